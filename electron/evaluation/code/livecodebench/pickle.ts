import { Failure } from '../../../contract/index.ts';

const [PROTO, FRAME, BINUNICODE, SHORT_BINUNICODE, BINUNICODE8, MEMOIZE, BINPUT, LONG_BINPUT, STOP] = [
  0x80, 0x95, 0x58, 0x8c, 0x8d, 0x94, 0x71, 0x72, 0x2e,
];
const NEWEST_PROTOCOL = 5;

/**
 * The text in a pickle that holds one str and nothing else, which is how LiveCodeBench packs its private tests: PROTO, FRAME,
 * one of the three unicode opcodes, MEMOIZE or BINPUT, STOP. A pickle is a program for a machine that can call anything, so
 * every other opcode is refused, and nothing is ever looked up or called.
 * @throws Failure `badPickle` naming the byte offset of what does not belong there.
 */
export function textOfPickle(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let text: string | null = null;
  const refuse = (offset: number, why: string): never => {
    throw new Failure(
      'badPickle',
      `The packed tests are refused at byte ${offset}: ${why}. Take the file as LiveCodeBench published it.`,
    );
  };
  const need = (count: number): number => {
    const from = at;
    if (count > bytes.length - from) refuse(from, 'they end too early');
    at += count;
    return from;
  };
  const long = (): number => {
    const size = view.getBigUint64(need(8), true);
    if (size > BigInt(bytes.length)) refuse(at - 8, 'a length is beyond the end');
    return Number(size);
  };
  const decode = (size: number): void => {
    const from = need(size);
    if (text !== null) refuse(from, 'there is a second text');
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        bytes.subarray(from, from + size),
      );
    } catch {
      refuse(from, 'the text is not UTF-8');
    }
  };
  for (;;) {
    const offset = need(1);
    const opcode = bytes[offset]!;
    switch (opcode) {
      case PROTO:
        if (offset !== 0 || bytes[need(1)]! > NEWEST_PROTOCOL) refuse(offset, 'the protocol is unknown');
        break;
      case FRAME:
        if (long() > bytes.length - at) refuse(offset, 'a frame is longer than what follows');
        break;
      case SHORT_BINUNICODE:
        decode(bytes[need(1)]!);
        break;
      case BINUNICODE:
        decode(view.getUint32(need(4), true));
        break;
      case BINUNICODE8:
        decode(long());
        break;
      case MEMOIZE:
        break;
      case BINPUT:
        need(1);
        break;
      case LONG_BINPUT:
        need(4);
        break;
      case STOP:
        if (text === null) return refuse(offset, 'they hold no text');
        if (at !== bytes.length) refuse(at, 'something follows the end');
        return text;
      default:
        refuse(offset, `opcode 0x${opcode.toString(16).padStart(2, '0')} does not belong in a packed text`);
    }
  }
}
