import type { EncodedValue } from '../../contract/index.ts';
import {
  doubleToHex,
  ENCODED_VALUE_LIMITS,
  encodedFloat,
  encodedInt,
  hexToDouble,
  hexToInt,
} from './encoded-value.ts';

/** Why a text is not a literal; the message is the whole sentence shown to people. */
export class LiteralError extends Error {}

/** Cursor over literal text that knows what Python counts as white space in and outside of brackets. */
export class LiteralSource {
  readonly text: string;
  position = 0;
  private readonly openBrackets: boolean;
  private brackets = 0;

  /** With `openBrackets` the text counts as bracketed from the start, as call arguments are: line breaks are free. */
  constructor(text: string, openBrackets: boolean) {
    this.text = text.replace(/\r\n?/g, '\n');
    this.openBrackets = openBrackets;
  }

  enterBracket(): void {
    this.position += 1;
    this.brackets += 1;
    this.skipSpace();
  }

  leaveBracket(): void {
    this.position += 1;
    this.brackets -= 1;
    this.skipSpace();
  }

  skipSpace(): void {
    const breaksAreFree = this.openBrackets || this.brackets > 0;
    for (;;) {
      const character = this.text[this.position];
      if (
        character === ' ' ||
        character === '\t' ||
        character === '\f' ||
        (character === '\n' && breaksAreFree)
      )
        this.position += 1;
      else if (character === '\\' && this.text[this.position + 1] === '\n') this.position += 2;
      else if (character === '#') this.skipComment();
      else return;
    }
  }

  /** After the value only blank lines and comments may follow. */
  skipTrailingLines(): void {
    for (;;) {
      this.skipSpace();
      if (this.text[this.position] !== '\n') return;
      this.position += 1;
    }
  }

  private skipComment(): void {
    const end = this.text.indexOf('\n', this.position);
    this.position = end < 0 ? this.text.length : end;
  }

  peek(): string {
    return this.text[this.position] ?? '';
  }

  startsWith(part: string): boolean {
    return this.text.startsWith(part, this.position);
  }

  /** Matches a sticky regular expression here, without moving. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text);
  }

  atEnd(): boolean {
    return this.position >= this.text.length;
  }

  fail(problem: string, position = this.position): never {
    const before = this.text.slice(0, position);
    const line = before.split('\n').length;
    const column = position - before.lastIndexOf('\n');
    throw new LiteralError(`${problem} (line ${line}, column ${column}).`);
  }
}

const DIGITS = '[0-9](?:_?[0-9])*';
const EXPONENT = `[eE][+-]?${DIGITS}`;
const FLOAT = new RegExp(
  `(?:${DIGITS}\\.(?:${DIGITS})?|\\.${DIGITS})(?:${EXPONENT})?|${DIGITS}${EXPONENT}`,
  'y',
);
const RADIX = /0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y;
const DECIMAL = new RegExp(DIGITS, 'y');
/** CPython refuses to read longer decimal integers (sys.int_info.default_max_str_digits). */
const MAX_DECIMAL_DIGITS = 4300;

/** Reads an unsigned number: an int, a float, or an imaginary number with its `j`. */
export function readNumber(source: LiteralSource): EncodedValue {
  const start = source.position;
  const radix = source.match(RADIX);
  if (radix) {
    source.position += radix[0].length;
    refuseSuffix(source, start);
    return checkedInt(BigInt(radix[0].replaceAll('_', '').toLowerCase()), source, start);
  }
  const float = source.match(FLOAT);
  const digits = (float ?? source.match(DECIMAL))?.[0];
  if (digits === undefined) source.fail('A number was expected');
  source.position += digits.length;
  const plain = digits.replaceAll('_', '');
  if (/^[jJ]$/.test(source.peek())) {
    source.position += 1;
    refuseSuffix(source, start);
    return ['z', doubleToHex(0), doubleToHex(Number(plain))];
  }
  refuseSuffix(source, start);
  if (float) return encodedFloat(Number(plain));
  if (/^0+[1-9]/.test(plain)) source.fail('A decimal integer may not start with a zero', start);
  if (plain.length > MAX_DECIMAL_DIGITS)
    source.fail(`A decimal integer may have at most ${MAX_DECIMAL_DIGITS} digits`, start);
  return checkedInt(BigInt(plain), source, start);
}

/** `-x` or `+x` of a number; null for anything that has no sign. Python turns a signed bool into an int, so True has none here. */
export function negate(encoded: EncodedValue): EncodedValue | null {
  switch (encoded[0]) {
    case 'i':
      return encodedInt(-hexToInt(encoded[1]));
    case 'f':
      return encodedFloat(-hexToDouble(encoded[1]));
    case 'z':
      return ['z', doubleToHex(-hexToDouble(encoded[1])), doubleToHex(-hexToDouble(encoded[2]))];
    default:
      return null;
  }
}

/** `real ± imaginary` as Python adds them: the real number becomes a complex with imaginary part 0 first. */
export function joinComplex(
  real: EncodedValue,
  imaginary: EncodedValue,
  sign: 1 | -1,
  source: LiteralSource,
): EncodedValue {
  if ((real[0] !== 'i' && real[0] !== 'f') || imaginary[0] !== 'z')
    return source.fail('Only a real and an imaginary number can be added in a literal');
  const realPart = real[0] === 'i' ? Number(hexToInt(real[1])) : hexToDouble(real[1]);
  if (real[0] === 'i' && !Number.isFinite(realPart))
    source.fail('The integer is too large for a complex number');
  const added = (left: number, right: number): string => doubleToHex(sign > 0 ? left + right : left - right);
  return ['z', added(realPart, hexToDouble(imaginary[1])), added(0, hexToDouble(imaginary[2]))];
}

function checkedInt(value: bigint, source: LiteralSource, start: number): EncodedValue {
  if (value !== 0n && value.toString(16).length > ENCODED_VALUE_LIMITS.intBits / 4)
    source.fail(`An integer may have at most ${ENCODED_VALUE_LIMITS.intBits} bits`, start);
  return encodedInt(value);
}

/** `1_`, `1a`, `0x` or `1.2.3`: what follows a number directly must not continue it. */
function refuseSuffix(source: LiteralSource, start: number): void {
  if (/^[\w.]$/u.test(source.peek()) || source.peek() > '\x7f')
    source.fail('The number is not written as Python writes numbers', start);
}

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
export function readText(source: LiteralSource): EncodedValue {
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
  if (value.length > ENCODED_VALUE_LIMITS.textLength)
    source.fail(`Text may have at most ${ENCODED_VALUE_LIMITS.textLength} characters`, start);
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
