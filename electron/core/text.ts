import type { Failure } from '../contract/index.ts';
import { sha256Hex } from './hash.ts';

/**
 * The text without the characters at both ends that `around` matches, one at a time. A pattern such as `x+$` tries every run of x in
 * the text and takes the square of its length.
 */
export function stripped(text: string, around: RegExp): string {
  let [from, to] = [0, text.length];
  while (from < to && around.test(text[from] as string)) from += 1;
  while (to > from && around.test(text[to - 1] as string)) to -= 1;
  return text.slice(from, to);
}

/**
 * What stands between each opening and the next closing behind it, in order, in one pass: what is never closed ends the search. A lazy
 * pattern looks for the end again from every opening.
 * @param opening, closing global patterns that find what they look for in linear time. @param openEnded the end of the text closes too.
 */
export function spansBetween(text: string, opening: RegExp, closing: RegExp, openEnded = false): string[] {
  const spans: string[] = [];
  for (let at = 0; ;) {
    opening.lastIndex = at;
    const open = opening.exec(text);
    if (open === null) return spans;
    closing.lastIndex = opening.lastIndex;
    const close = closing.exec(text);
    if (close === null) return openEnded ? [...spans, text.slice(opening.lastIndex)] : spans;
    spans.push(text.slice(opening.lastIndex, close.index));
    at = closing.lastIndex;
  }
}

/** Neutral stand-in for text that was cut; no reviewer mistakes it for agent text. */
const CUT = ' [cut]';

const ROLE_TOKENS =
  /<(?=\||\/?(?:s|think|plan|answer|question|system|user|assistant|start_of_turn|end_of_turn|im_start|im_end|tool_call|bos|eos)\b)|\[(?=\/?INST\])|<<(?=\/?SYS>>)/gi;
const ROLE_LINES = /^([ \t]*)(assistant|system|user|human|supervisor|reviewer)([ \t]*:)/gim;
/** Control characters but newline and tab, and everything invisible: zero-width, bidirectional, tags, variation selectors, blank fillers. */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Text of an agent made fit to be shown as data: NFKC, nothing invisible, no role markers that a chat template or a careless
 * reader could take for a turn, at most `limit` characters. Reading it changes; the stored original does not.
 * @param keeps of a longer text: how it begins (first), or half of that and how it ends (both).
 */
export function asData(text: string, limit: number, keeps: 'first' | 'both' = 'first'): string {
  // Cutting first keeps the work bounded for a megabyte of output; normalising may lengthen, hence the second cut.
  const isWhole = text.length <= limit * 4;
  const begins = tamed(text.slice(0, limit * 4));
  if (isWhole && begins.length <= limit) return begins;
  if (keeps === 'first') return headOf(begins, limit - CUT.length) + CUT;
  const room = limit - CUT.length - 1;
  const ends = isWhole ? begins : tamed(text.slice(-limit * 4));
  const tail = ends.slice(ends.length - Math.floor(room / 2)).replace(/^[\udc00-\udfff]/, '');
  // On the line of what was cut, so that no tail can begin a line that it did not begin.
  return `${headOf(begins, Math.ceil(room / 2))}${CUT} ${tail}`;
}

const tamed = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(ROLE_TOKENS, (mark) => `${mark} `)
    .replace(ROLE_LINES, '$1($2)$3');

const headOf = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

const ACTING = new RegExp(`${INVISIBLE.source}|[\\n\\t]`, 'gu');

/**
 * What somebody typed, as a sentence can quote it: on one line, at most `most` characters of it, with the code points of what is invisible or
 * would act on a terminal, as \u{1b}.
 */
export function quotable(text: string, most = 120): string {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text;
  return shown.replace(ACTING, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}

/** The lines of a failure below each other, each quotable by itself. @param most characters of a line */
export const quotableLines = ({ lines }: Pick<Failure, 'lines'>, most: number): string =>
  lines.map((line) => quotable(line, most)).join('\n');

/** A text for a terminal, its lines kept: what would act instead of showing stands there as its code point, as in `quotable`. */
export const shownOnTerminal = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);

/**
 * Twelve hexadecimal digits of SHA-256 that stand in none of `texts`: between them a text is data. `material` says what is hashed;
 * the attempt is for the text that holds the digits by chance.
 */
export function freshDelimiter(texts: readonly string[], material: (attempt: number) => string): string {
  for (let attempt = 0; ; attempt += 1) {
    const candidate = sha256Hex(material(attempt)).slice(0, 12);
    if (!texts.some((text) => text.toLowerCase().includes(candidate))) return candidate;
  }
}

/** English for 0 to 19, in order. */
export const SMALL_NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
/** English for 20, 30, … 90. */
export const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

const OTHER_DIGITS = /[^\P{Nd}0-9]/gu;
const DIGIT = /\p{Nd}/u;
/** The ASCII digits of those that were met: of some seven hundred that there are. */
const asciiOf = new Map<string, string>();

/**
 * The text with every decimal digit of any script as the ASCII digit of its value, as Python's int(), float() and Decimal() read them.
 * Unicode keeps the ten digits of a script together, in order.
 */
export const asciiDigits = (text: string): string =>
  text.replace(OTHER_DIGITS, (digit) => {
    const known = asciiOf.get(digit);
    if (known !== undefined) return known;
    let before = 0;
    while (DIGIT.test(String.fromCodePoint(digit.codePointAt(0)! - before - 1))) before += 1;
    const ascii = String(before % 10);
    asciiOf.set(digit, ascii);
    return ascii;
  });
