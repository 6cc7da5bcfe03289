import { Failure } from '../../../contract/index.ts';

/** Something a pickle names: never looked up. */
class Named {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
/** What a pickle would make by calling `of`: never called. */
export class Made {
  readonly of: string;
  readonly from: readonly Inert[];
  state: Inert = null;
  constructor(of: string, from: readonly Inert[]) {
    this.of = of;
    this.from = from;
  }
}
/** What stands in a pickle, as plain data. */
export type Inert =
  | null
  | boolean
  | bigint
  | string
  | Uint8Array
  | Inert[]
  | Map<string, Inert>
  | Named
  | Made;

const PROTOCOLS = [3, 4]; // before, bytes are texts that are decoded by a call; after, arrays are made from buffers beside the stack
const MOST_VALUES = 20_000_000;
const MARK = Symbol('mark');
type Slot = Inert | typeof MARK;

/**
 * Reads a pickle of protocol 3 or 4 as data. A pickle is a program for a machine that can call anything. Here nothing is imported,
 * made or called: what would be becomes a note of it, and only names in `allowed` may stand in it at all.
 * @param allowed "module name" pairs
 * @throws Failure `badPickle` naming the byte offset of what does not belong there.
 */
export function inertPickle(bytes: Uint8Array, allowed: ReadonlySet<string>): Inert {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stack: Slot[] = [];
  const memo = new Map<number, Inert>();
  let at = 0;
  let values = 0;
  let offset = 0;
  const refuse = (why: string): never => {
    throw new Failure('badPickle', `it is refused at byte ${offset}: ${why}`);
  };
  const take = (count: number): Uint8Array => {
    if (count > bytes.length - at) refuse('it ends too early');
    at += count;
    return bytes.subarray(at - count, at);
  };
  const whole = (size: 1 | 2 | 4 | 8): number => {
    const from = at;
    take(size);
    if (size === 8) {
      const length = view.getBigUint64(from, true);
      return length > BigInt(bytes.length) ? refuse('a length is beyond the end') : Number(length);
    }
    return size === 4
      ? view.getUint32(from, true)
      : size === 2
        ? view.getUint16(from, true)
        : (bytes[from] as number);
  };
  const line = (): string => {
    const end = bytes.indexOf(0x0a, at);
    const text = latin(take((end === -1 ? bytes.length : end) - at));
    take(1);
    return text;
  };
  const push = (value: Slot): void => {
    values += 1;
    if (values > MOST_VALUES) refuse('it holds too many values');
    stack.push(value);
  };
  const pop = (): Inert => {
    const value = stack.pop();
    return value === undefined || value === MARK ? refuse('a value is missing') : value;
  };
  const last = (): Inert => {
    const value = stack.at(-1);
    return value === undefined || value === MARK ? refuse('a value is missing') : value;
  };
  const toMark = (): Inert[] => {
    const from = stack.lastIndexOf(MARK);
    if (from === -1) refuse('a mark is missing');
    return stack.splice(from).slice(1) as Inert[];
  };
  const named = (module: Inert, name: Inert): Named => {
    const full = `${String(module)} ${String(name)}`;
    return allowed.has(full)
      ? new Named(full)
      : refuse(`it names ${JSON.stringify(full.slice(0, 80))}, which does not belong in such a file`);
  };
  const made = (from: Inert, callee: Inert): Made =>
    callee instanceof Named && Array.isArray(from)
      ? new Made(callee.name, from)
      : refuse('it calls what is no name');
  const setItems = (pairs: readonly Inert[]): void => {
    const into = last();
    if (!(into instanceof Map) || pairs.length % 2 !== 0)
      return refuse('items are set where there is no dictionary');
    for (let index = 0; index < pairs.length; index += 2) {
      const key = pairs[index];
      if (typeof key !== 'string') return refuse('a key is no text');
      into.set(key, pairs[index + 1] as Inert);
    }
  };
  const append = (items: readonly Inert[]): void => {
    const into = last();
    if (!Array.isArray(into)) return refuse('a value is appended to what is no list');
    for (const item of items) into.push(item);
  };
  const text = (size: number): void => push(utf8(take(size)) ?? refuse('a text is not UTF-8'));
  const pair = (): [Inert, Inert] => {
    const second = pop();
    return [pop(), second];
  };
  const remembered = (index: number): void =>
    push(memo.get(index) ?? refuse('it recalls what was never there'));
  for (;;) {
    offset = at;
    const opcode = whole(1);
    switch (opcode) {
      case 0x80:
        if (offset !== 0 || !PROTOCOLS.includes(whole(1)))
          refuse(`its protocol is not ${PROTOCOLS.join(' or ')}`);
        break; // PROTO
      case 0x95:
        whole(8);
        break; // FRAME
      case 0x28:
        push(MARK);
        break;
      case 0x4e:
        push(null);
        break; // NONE
      case 0x88:
      case 0x89:
        push(opcode === 0x88);
        break; // NEWTRUE, NEWFALSE
      case 0x4a:
        push(BigInt(view.getInt32((take(4), at - 4), true)));
        break; // BININT
      case 0x4b:
        push(BigInt(whole(1)));
        break; // BININT1
      case 0x4d:
        push(BigInt(whole(2)));
        break; // BININT2
      case 0x8a:
        push(long(take(whole(1))));
        break; // LONG1
      case 0x58:
        text(whole(4));
        break; // BINUNICODE
      case 0x8c:
        text(whole(1));
        break; // SHORT_BINUNICODE
      case 0x8d:
        text(whole(8));
        break; // BINUNICODE8
      case 0x42:
        push(take(whole(4)));
        break; // BINBYTES
      case 0x43:
        push(take(whole(1)));
        break; // SHORT_BINBYTES
      case 0x8e:
        push(take(whole(8)));
        break; // BINBYTES8
      case 0x5d:
      case 0x29:
        push([]);
        break; // EMPTY_LIST, EMPTY_TUPLE
      case 0x7d:
        push(new Map());
        break; // EMPTY_DICT
      case 0x61:
        append([pop()]);
        break; // APPEND
      case 0x65:
        append(toMark());
        break; // APPENDS
      case 0x73:
        setItems(pair());
        break; // SETITEM
      case 0x75:
        setItems(toMark());
        break; // SETITEMS
      case 0x74:
        push(toMark());
        break; // TUPLE
      case 0x85:
        push([pop()]);
        break; // TUPLE1
      case 0x86:
        push(pair());
        break; // TUPLE2
      case 0x87: {
        const rest = pair();
        push([pop(), ...rest]);
        break;
      } // TUPLE3
      case 0x63: {
        const module = line();
        push(named(module, line()));
        break;
      } // GLOBAL
      case 0x93:
        push(named(...pair()));
        break; // STACK_GLOBAL
      case 0x81:
      case 0x52: {
        const from = pop();
        push(made(from, pop()));
        break;
      } // NEWOBJ, REDUCE
      case 0x62: {
        // BUILD
        const state = pop();
        const into = last();
        if (!(into instanceof Made)) return refuse('a state is given to what was not made');
        into.state = state;
        break;
      }
      case 0x94:
        memo.set(memo.size, last());
        break; // MEMOIZE
      case 0x71:
        memo.set(whole(1), last());
        break; // BINPUT
      case 0x72:
        memo.set(whole(4), last());
        break; // LONG_BINPUT
      case 0x68:
        remembered(whole(1));
        break; // BINGET
      case 0x6a:
        remembered(whole(4));
        break; // LONG_BINGET
      case 0x2e: {
        // STOP
        const value = pop();
        if (stack.length > 0 || at !== bytes.length) refuse('something is left over at its end');
        return value;
      }
      default:
        refuse(`opcode 0x${opcode.toString(16).padStart(2, '0')} does not belong in such a file`);
    }
  }
}

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Little-endian two's complement. */
function long(bytes: Uint8Array): bigint {
  const value = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return BigInt.asIntN(8 * bytes.length, value);
}
