import type { EncodedValue } from '../../contract/index.ts';
import { hexToDouble, hexToInt } from './encoded-value.ts';

/** repr: what CPython's repr() writes. compact: the same without spaces after commas and colons, as the embedded policy writes. */
export type LiteralStyle = 'repr' | 'compact';

/** CPython refuses to write longer integers in decimal; those are written in hexadecimal, which it reads back. */
const MAX_DECIMAL_DIGITS = 4300;

/**
 * The Python literal of a value. Two things CPython leaves open are fixed here: sets are written in the encoded order (CPython's
 * depends on hashes), and which characters count as printable follows the Unicode version of this JavaScript engine.
 */
export function renderLiteral(encoded: EncodedValue, style: LiteralStyle): string {
  const comma = style === 'repr' ? ', ' : ',';
  const colon = style === 'repr' ? ': ' : ':';
  const join = (items: readonly EncodedValue[]): string => items.map(write).join(comma);
  const write = (value: EncodedValue): string => {
    switch (value[0]) {
      case 'n':
        return 'None';
      case 'b':
        return value[1] ? 'True' : 'False';
      case 'i':
        return renderInt(hexToInt(value[1]));
      case 'f':
        return renderDouble(hexToDouble(value[1]), true);
      case 'z':
        return renderComplex(hexToDouble(value[1]), hexToDouble(value[2]));
      case 's':
        return renderText(value[1]);
      case 'y':
        return renderBytes(value[1]);
      case 'l':
        return `[${join(value[1])}]`;
      case 't':
        return value[1].length === 1 ? `(${join(value[1])},)` : `(${join(value[1])})`;
      case 'S':
        return value[1].length === 0 ? 'set()' : `{${join(value[1])}}`;
      case 'F':
        return value[1].length === 0 ? 'frozenset()' : `frozenset({${join(value[1])}})`;
      case 'd':
        return `{${value[1].map(([key, item]) => `${write(key)}${colon}${write(item)}`).join(comma)}}`;
    }
  };
  return write(encoded);
}

function renderInt(value: bigint): string {
  const text = value.toString();
  if (text.length <= MAX_DECIMAL_DIGITS) return text;
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

/** Shortest digits that read back the same; exponent form below 1e-4 and from 1e16 on, as CPython's repr. */
function renderDouble(value: number, markAsFloat: boolean): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction !== '' ? `.${fraction}` : markAsFloat ? '.0' : ''}`;
}

function renderComplex(real: number, imaginary: number): string {
  const imaginaryText = renderDouble(imaginary, false);
  if (Object.is(real, 0)) return `${imaginaryText}j`;
  return `(${renderDouble(real, false)}${imaginaryText.startsWith('-') ? '' : '+'}${imaginaryText}j)`;
}

/** Double quotes only when that saves escaping: the text has single quotes and no double ones. */
function chooseQuote(text: string): '"' | "'" {
  return text.includes("'") && !text.includes('"') ? '"' : "'";
}

const NAMED_ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** Other, separator (but the plain space), surrogate, private and unassigned characters are escaped by repr(). */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

function renderText(text: string): string {
  const quote = chooseQuote(text);
  let result = quote as string;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (character === quote) result += `\\${quote}`;
    else if (NAMED_ESCAPES[character] !== undefined) result += NAMED_ESCAPES[character];
    else if (character === ' ' || !UNPRINTABLE.test(character)) result += character;
    else if (code <= 0xff) result += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code <= 0xffff) result += `\\u${code.toString(16).padStart(4, '0')}`;
    else result += `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return result + quote;
}

function renderBytes(hex: string): string {
  const text = Buffer.from(hex, 'hex').toString('latin1');
  const quote = chooseQuote(text);
  let result = `b${quote}`;
  for (const character of text) {
    if (character === quote) result += `\\${quote}`;
    else if (NAMED_ESCAPES[character] !== undefined) result += NAMED_ESCAPES[character];
    else if (character >= ' ' && character <= '~') result += character;
    else result += `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  }
  return result + quote;
}
