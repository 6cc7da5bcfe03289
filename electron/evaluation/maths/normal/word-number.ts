const SMALL = [
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
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const VALUES = new Map<string, number>([
  ...SMALL.map((word, value): [string, number] => [word, value]),
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
  if (/^[0-9]+$/.test(spaced)) return spaced.length > LONGEST_DIGITS ? null : BigInt(spaced).toString();
  const words = spaced.split(/\s+/u).filter((word) => word === POINT || VALUES.has(word));
  const repeats = [...SCALES, POINT].some((scale) => words.filter((word) => word === scale).length > 1);
  if (words.length === 0 || repeats) return null;
  const point = words.indexOf(POINT);
  const whole = wholeNumber(point < 0 ? words : words.slice(0, point));
  if (whole === null) return null;
  const decimals = point < 0 ? [] : words.slice(point + 1);
  if (decimals.length === 0) return String(whole);
  const digits = decimals.map((word) => SMALL.indexOf(word));
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

/** Python's str.strip(): its white space, which is not quite that of String.trim. */
export const pythonStrip = (text: string): string =>
  text.replace(/^[\s\u0085\u001c-\u001f]+|[\s\u0085\u001c-\u001f]+$/gu, '');

/** Python's str.replace of every occurrence, one pair after the other. */
export function replaceEach(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((current, [from, to]) => current.replaceAll(from, () => to), text);
}
