import type { Frame } from '../../contract/index.ts';
import { FRAME_LIMITS, doubleToHex, floatFrame, hexToDouble, hexToInt, intFrame } from './frame.ts';
import type { LiteralSource } from './literal-source.ts';

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
export function readNumber(source: LiteralSource): Frame {
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
  if (float) return floatFrame(Number(plain));
  if (/^0+[1-9]/.test(plain)) source.fail('A decimal integer may not start with a zero', start);
  if (plain.length > MAX_DECIMAL_DIGITS)
    source.fail(`A decimal integer may have at most ${MAX_DECIMAL_DIGITS} digits`, start);
  return checkedInt(BigInt(plain), source, start);
}

/** `-x` or `+x` of a number; null for anything that has no sign. Python turns a signed bool into an int, so True has none here. */
export function negate(frame: Frame): Frame | null {
  switch (frame[0]) {
    case 'i':
      return intFrame(-hexToInt(frame[1]));
    case 'f':
      return floatFrame(-hexToDouble(frame[1]));
    case 'z':
      return ['z', doubleToHex(-hexToDouble(frame[1])), doubleToHex(-hexToDouble(frame[2]))];
    default:
      return null;
  }
}

/** `real ± imaginary` as Python adds them: the real number becomes a complex with imaginary part 0 first. */
export function joinComplex(real: Frame, imaginary: Frame, sign: 1 | -1, source: LiteralSource): Frame {
  if ((real[0] !== 'i' && real[0] !== 'f') || imaginary[0] !== 'z')
    return source.fail('Only a real and an imaginary number can be added in a literal');
  const realPart = real[0] === 'i' ? Number(hexToInt(real[1])) : hexToDouble(real[1]);
  if (real[0] === 'i' && !Number.isFinite(realPart))
    source.fail('The integer is too large for a complex number');
  const added = (left: number, right: number): string => doubleToHex(sign > 0 ? left + right : left - right);
  return ['z', added(realPart, hexToDouble(imaginary[1])), added(0, hexToDouble(imaginary[2]))];
}

function checkedInt(value: bigint, source: LiteralSource, start: number): Frame {
  if (value !== 0n && value.toString(16).length > FRAME_LIMITS.intBits / 4)
    source.fail(`An integer may have at most ${FRAME_LIMITS.intBits} bits`, start);
  return intFrame(value);
}

/** `1_`, `1a`, `0x` or `1.2.3`: what follows a number directly must not continue it. */
function refuseSuffix(source: LiteralSource, start: number): void {
  if (/^[\w.]$/u.test(source.peek()) || source.peek() > '\x7f')
    source.fail('The number is not written as Python writes numbers', start);
}
