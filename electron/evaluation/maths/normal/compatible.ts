import { asciiDigits, SMALL_NUMBERS, stripped, TENS } from '../../../core/index.ts';

/**
 * Characters. What is longer keeps the form that it has and is no answer: the longest correct one of the six sets has 162. The patterns
 * here and in the repaired form take the square of a text's length, and its nesting in depth.
 */
export const LONGEST_ANSWER = 4_000;

const BEFORE_UNITS = [
  ['bmatrix', 'pmatrix'],
  ['tfrac', 'frac'],
  ['dfrac', 'frac'],
  ['\\neq', '\\ne'],
  ['\\leq', '\\le'],
  ['\\geq', '\\ge'],
  ['\\left', ''],
  ['\\right', ''],
  ['\\{', '{'],
  ['\\}', '}'],
] as const;
const SIGNS = [
  ['^{\\circ}', ''],
  ['^\\circ', ''],
  ['\\$', ''],
  ['$', ''],
  ['\\(', ''],
  ['\\)', ''],
] as const;
const NAMES = [
  ['x=', ''],
  ['y=', ''],
  ['z=', ''],
  ['x\\in', ''],
  ['y\\in', ''],
  ['z\\in', ''],
  ['x\\to', ''],
  ['y\\to', ''],
  ['z\\to', ''],
  ['\\emptyset', '{}'],
  ['(-\\infty,\\infty)', '\\mathbb{R}'],
  ['\\%', ''],
  ['%', ''],
  [' .', ' 0.'],
  ['{.', '{0.'],
  ['infinity', '\\infty'],
] as const;
const AFTER_INFINITY = [
  ['+\\inity', '\\infty'],
  ['and', ''],
  ['\\mathbf', ''],
] as const;

/**
 * An answer in the form that Qwen's and AZR's graders compare, with all that is known to be wrong about it: a value that ends in
 * \text{…} loses what follows it, braces included; unit words go wherever they stand; "4:30 p.m." becomes "4:30p..".
 * @param keepUnits for Minerva, whose answers have units of their own.
 */
export function compatibleForm(answer: string, keepUnits = false): string {
  if (answer.length > LONGEST_ANSWER) return answer;
  let text = replaceEach(pythonStrip(answer), [['\n', '']]).replace(/\.+$/, '');
  text = text
    .replaceAll('\\!', '')
    .replace(/\\begin\{array\}\{[^\n]*?\}/gu, '\\begin{pmatrix}')
    .replaceAll('\\end{array}', '\\end{pmatrix}');
  text = replaceEach(text, BEFORE_UNITS);
  const withoutText = pythonStrip(text.replace(/\\text\{[^\n]*?\}$/u, ''));
  if (withoutText !== '') text = withoutText;
  if (!keepUnits) text = withoutUnits(text);
  text = replaceEach(text, SIGNS);
  text = numberFromWords(text) ?? text;
  text = replaceEach(text.replace(/\\text\{([^\n]*?)\}/gu, '$1'), NAMES);
  if (!text.includes('\\infty')) text = text.replaceAll('inf', '\\infty');
  text = replaceEach(text, AFTER_INFINITY).replace(/\\mbox\{[^\n]*?\}/gu, '');
  if (text.includes('j') && !text.includes('i')) text = text.replaceAll('j', 'i');
  text = text.replace(/(\p{Nd}+)\.0*(\P{Nd})/gu, '$1$2').replace(/(\p{Nd}+)\.0*$/u, '$1');
  if (text === '') return '';
  if (text.startsWith('.')) text = `0${text}`;
  const sides = text.split('=');
  if (sides.length === 2 && [...sides[0]!].length <= 2) text = sides[1]!;
  text = text.replace(/\\sqrt([\p{L}\p{N}_]+)/gu, '\\sqrt{$1}').replaceAll(' ', '');
  return fractionOfSlash(bracedFractions(text));
}

/** \frac12 and \frac1{72} with braces around both parts; the text as it was when one of them has less than two characters left. */
export function bracedFractions(text: string): string {
  const [first = '', ...rest] = text.split('\\frac');
  let braced = first;
  for (const part of rest) {
    const [a, b, ...after] = part;
    if (a === '{') braced += `\\frac${part}`;
    else if (a === undefined || b === undefined) return text;
    else braced += b === '{' ? `\\frac{${a}}{${after.join('')}` : `\\frac{${a}}{${b}}${after.join('')}`;
  }
  return braced;
}

/** "3/4" as \frac{3}{4}: whole numbers as Python prints them, or anything with a root in it. */
function fractionOfSlash(text: string): string {
  const parts = text.split('/');
  const fits = (part: string): boolean =>
    part.includes('sqrt') || (/^-?(?:0|[1-9][0-9]*)$/.test(part) && part !== '-0');
  return parts.length === 2 && parts.every(fits) ? `\\frac{${parts[0]}}{${parts[1]}}` : text;
}

const VALUES = new Map<string, number>([
  ...SMALL_NUMBERS.map((word, value): [string, number] => [word, value]),
  ...TENS.map((word, index): [string, number] => [word, 20 + 10 * index]),
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);
const POINT = 'point';
const SCALES = ['billion', 'million', 'thousand'];
/** Python refuses to read longer numbers, and the word stays as it is. */
const LONGEST_DIGITS = 4300;

/**
 * A number written in words as digits, by the rules of the Python package word2number: other words are passed over, "forty two"
 * and "forty-two" are 42, digits lose leading zeros. Null where that package finds no number.
 */
export function numberFromWords(text: string): string | null {
  const spaced = text.replaceAll('-', ' ').toLowerCase();
  if (/^\p{Nd}+$/u.test(spaced)) {
    const digits = asciiDigits(spaced);
    return digits.length > LONGEST_DIGITS ? null : BigInt(digits).toString();
  }
  const words = spaced.split(PYTHON_SPACES).filter((word) => word === POINT || VALUES.has(word));
  const repeats = [...SCALES, POINT].some((scale) => words.filter((word) => word === scale).length > 1);
  if (words.length === 0 || repeats) return null;
  const point = words.indexOf(POINT);
  const whole = wholeNumber(point < 0 ? words : words.slice(0, point));
  if (whole === null) return null;
  const decimals = point < 0 ? [] : words.slice(point + 1);
  if (decimals.length === 0) return String(whole);
  const digits = decimals.map((word) => SMALL_NUMBERS.indexOf(word));
  if (digits.some((digit) => digit < 0 || digit > 9)) return String(whole);
  const sum = whole + Number(`0.${digits.join('')}`);
  return Number.isInteger(sum) ? `${sum}.0` : String(sum);
}

function wholeNumber(words: readonly string[]): number | null {
  if (words.length < 2) return words.length === 0 ? 0 : VALUES.get(words[0]!)!;
  const at = SCALES.map((scale) => words.indexOf(scale));
  const present = at.filter((index) => index >= 0);
  if (present.some((index, position) => position > 0 && index < present[position - 1]!)) return null;
  let [sum, from] = [0, 0];
  for (const [position, index] of at.entries()) {
    if (index < 0) continue;
    const group = groupValue(words.slice(from, index));
    if (group === null) return null;
    sum += group * VALUES.get(SCALES[position]!)!;
    from = index + 1;
  }
  if (from === words.length) return sum;
  const rest = groupValue(words.slice(from));
  return rest === null ? null : sum + rest;
}

/** Up to four words below a thousand; longer groups count by their first word, as the package has it. */
function groupValue(words: readonly string[]): number | null {
  const [a, b, c, d] = words.map((word) => VALUES.get(word)!);
  if (a === undefined) return null;
  if (words.length === 4) return a * b! + c! + d!;
  if (words.length === 3) return a * b! + c!;
  if (words.length === 2) return words.includes('hundred') ? a * b! : a + b!;
  return a;
}

/** Python's white space, for str.strip, str.split and \s: with the separators of ASCII and U+0085, without U+FEFF. */
const PYTHON_SPACE = '(?:(?!\\ufeff)[\\s\\u0085\\u001c-\\u001f])';
const ONE_SPACE = new RegExp(`^${PYTHON_SPACE}$`);
const PYTHON_SPACES = new RegExp(`${PYTHON_SPACE}+`, 'u');
const BROKEN_LINES = new RegExp(`\\n${PYTHON_SPACE}*`, 'gu');

/** Python's str.strip(). */
export const pythonStrip = (text: string): string => stripped(text, ONE_SPACE);

/** A text without its line ends and what is blank behind them. */
export const withoutLineEnds = (text: string): string => text.replace(BROKEN_LINES, '');

/** Python's str.replace of every occurrence, one pair after the other. */
export function replaceEach(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((current, [from, to]) => current.replaceAll(from, () => to), text);
}

/**
 * The words that Qwen's and AZR's published graders take for units (mostly from MathQA), in their order, as patterns: a dot stands
 * for any character. They are matched as whole words wherever they stand, which is why "east" or "t" alone can be an answer lost.
 */
const WORDS =
  `east|degree|mph|kmph|ft|m sqaure| m east|sq m|deg|mile|q .|monkey|prime|ratio|profit of rs|rd|o|gm|p . m|lb|tile|per|dm|lt|gain|ab|way|west
a .|b .|c .|d .|e .|f .|g .|h .|t|a|h|no change|men|soldier|pie|bc|excess|st|inches|noon|percent|by|gal|kmh|c|acre|rise|a . m|th|π r 2|sq|mark|l|toy|coin
sq . m|gallon|° f|profit|minw|yr|women|feet|am|pm|hr|cu cm|square|v â € ™|are|rupee|rounds|cubic|cc|mtr|s|ohm|number|kmph|day|hour|minute|min|second|man
woman|sec|cube|mt|sq inch|mp|∏ cm ³|hectare|more|sec|unit|cu . m|cm 2|rs .|rs|kg|g|month|km|m|cm|mm|apple|liter|loss|yard|pure|year|increase|decrease|d|less
Surface|litre|pi sq m|s .|metre|meter|inch`.split(/[|\n]/);

let known: { literal: string | null; pattern: RegExp }[] | null = null;
/** Made when they are first needed: compiling them takes a tenth of a program's start. */
const patterns = (): NonNullable<typeof known> =>
  (known ??= [...WORDS, ...WORDS.map((word) => `${word}s`)].map((word) => ({
    literal: word.includes('.') ? null : word,
    pattern: new RegExp(`(^|[^\\p{L}\\p{N}_])${word.replaceAll('.', '[^\\n]')}($|[^\\p{L}\\p{N}_])`, 'gu'),
  })));

/** Removes each unit word, twice over the list; a removal that would leave nothing is not made. */
function withoutUnits(text: string): string {
  let current = text;
  for (let round = 0; round < 2; round += 1) {
    for (const { literal, pattern } of patterns()) {
      if (literal !== null && !current.includes(literal)) continue;
      const removed = current.replace(pattern, '$1$2');
      if (removed !== '') current = removed;
    }
  }
  return current;
}

/** Unit words that can follow a number, for the repaired form. Single letters are not among them: "6m" may be a product. */
export const TRAILING_UNITS = [
  'square',
  'sq',
  'cubic',
  'cu',
  'degrees?',
  'miles?',
  'mph',
  'kmph',
  'feet',
  'foot',
  'ft',
  'inch(?:es)?',
  'yards?',
  'pounds?',
  'dollars?',
  'cents?',
  'percent',
  'gallons?',
  'lit(?:er|re)s?',
  'hectares?',
  'acres?',
  '(?:kilo|centi|milli)?met(?:er|re)s?',
  'km',
  'cm',
  'mm',
  'kg',
  'units?',
  'per',
  'hours?',
  'minutes?',
  'seconds?',
  'days?',
  'weeks?',
  'months?',
  'years?',
  'hr',
  'min',
  'sec',
  'men',
  'women',
  'apples?',
  'coins?',
  'ways',
];

/** Symbols that are units where they are set upright. */
export const UNIT_SYMBOLS = [
  'm',
  's',
  'g',
  'h',
  'J',
  'N',
  'W',
  'V',
  'K',
  'Hz',
  'eV',
  'keV',
  'MeV',
  'GeV',
  'Pa',
  'mol',
  'ly',
  'pc',
  'kpc',
  'AU',
  'yr',
  'erg',
  'nm',
  'lb',
];
