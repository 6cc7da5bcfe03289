import type { Frame } from '../../contract/index.ts';
import { FRAME_LIMITS } from './frame.ts';
import type { LiteralSource } from './literal-source.ts';

const OPENING = /([a-zA-Z]{0,2})("""|'''|"|')/y;
const SIMPLE_ESCAPES: Record<string, string> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\n': '',
};

/** Whether a string or bytes literal (with or without a prefix) starts here. */
export function startsText(source: LiteralSource): boolean {
  return source.match(OPENING) !== null;
}

/** Reads one or more adjacent string or bytes literals as one value, as Python concatenates them. */
export function readText(source: LiteralSource): Frame {
  const start = source.position;
  let kind: 's' | 'y' | null = null;
  const parts: string[] = [];
  while (startsText(source)) {
    const part = readOne(source);
    if (kind !== null && part.kind !== kind) source.fail('Strings and bytes cannot be joined');
    kind = part.kind;
    if (splitsPair(parts.at(-1) ?? '', part.value))
      source.fail(
        'Two escaped surrogates in a row cannot be kept apart from the character they would form',
        start,
      );
    parts.push(part.value);
    source.skipSpace();
  }
  const value = parts.join('');
  if (value.length > FRAME_LIMITS.textLength)
    source.fail(`Text may have at most ${FRAME_LIMITS.textLength} characters`, start);
  if (kind === 'y')
    return ['y', Array.from(value, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')];
  return ['s', value];
}

function readOne(source: LiteralSource): { kind: 's' | 'y'; value: string } {
  const start = source.position;
  const opening = source.match(OPENING) as RegExpExecArray;
  const prefix = (opening[1] as string).toLowerCase();
  const quote = opening[2] as string;
  if (prefix.includes('f')) source.fail('An f-string is a computation, not a literal');
  if (!['', 'r', 'u', 'b', 'br', 'rb'].includes(prefix))
    source.fail(`The string prefix ${opening[1]} does not exist`);
  const isBytes = prefix.includes('b');
  const isRaw = prefix.includes('r');
  source.position += opening[0].length;
  let value = '';
  for (;;) {
    if (source.atEnd()) source.fail('The string is not closed', start);
    if (source.startsWith(quote)) break;
    const character = source.peek();
    if (character === '\n' && quote.length === 1)
      source.fail('The string is not closed before the end of its line', start);
    if (isBytes && character > '\x7f')
      source.fail('Bytes may hold only ASCII characters; write others as \\x escapes');
    if (character !== '\\') {
      value += character;
      source.position += 1;
    } else if (isRaw) {
      value += source.text.slice(source.position, source.position + 2);
      if (isBytes && source.text.charCodeAt(source.position + 1) > 0x7f)
        source.fail('Bytes may hold only ASCII characters');
      source.position += 2;
    } else {
      const escaped = readEscape(source, isBytes);
      if (splitsPair(value, escaped))
        source.fail(
          'Two escaped surrogates in a row cannot be kept apart from the character they would form',
          start,
        );
      value += escaped;
    }
  }
  source.position += quote.length;
  return { kind: isBytes ? 'y' : 's', value };
}

function readEscape(source: LiteralSource, isBytes: boolean): string {
  const start = source.position;
  const letter = source.text[start + 1];
  if (letter === undefined) source.fail('The string ends in the middle of an escape');
  const octal = /^[0-7]{1,3}/.exec(source.text.slice(start + 1, start + 4));
  if (octal) {
    source.position += 1 + octal[0].length;
    const code = Number.parseInt(octal[0], 8);
    return String.fromCharCode(isBytes ? code & 0xff : code);
  }
  const simple = SIMPLE_ESCAPES[letter];
  if (simple !== undefined) {
    source.position += 2;
    return simple;
  }
  const width = letter === 'x' ? 2 : letter === 'u' && !isBytes ? 4 : letter === 'U' && !isBytes ? 8 : 0;
  if (width > 0) {
    const digits = source.text.slice(start + 2, start + 2 + width);
    const code = Number.parseInt(digits, 16);
    if (digits.length !== width || !/^[0-9a-fA-F]+$/.test(digits) || code > 0x10ffff)
      source.fail(`The escape \\${letter}${digits} is incomplete or out of range`);
    source.position += 2 + width;
    return String.fromCodePoint(code);
  }
  if (letter === 'N' && !isBytes)
    source.fail('Named characters (\\N{...}) are not supported; write the character itself or a \\u escape');
  if (isBytes && letter > '\x7f') source.fail('Bytes may hold only ASCII characters');
  source.position += 1; // Python keeps the backslash of an unknown escape; the letter is read next as itself.
  return '\\';
}

/** JavaScript text would fuse a lone high and a lone low surrogate into one character; Python keeps two. */
function splitsPair(before: string, after: string): boolean {
  return /[\ud800-\udbff]$/.test(before) && /^[\udc00-\udfff]/.test(after);
}
