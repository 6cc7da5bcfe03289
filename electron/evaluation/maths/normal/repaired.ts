import {
  bracedFractions,
  LONGEST_ANSWER,
  TRAILING_UNITS,
  UNIT_SYMBOLS,
  numberFromWords,
} from './compatible.ts';

const TIME_OF_DAY = /^(\d{1,2}(?::\d{2}){0,2})\s*([ap])\s*\.?\s*m\b\.?$/i;
const STYLES = /\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox|operatorname)(?![a-zA-Z])\s*/;
const POWER = String.raw`\s*(?:\^\s*\{?[23]\}?)?`;
const PLAIN_UNIT = new RegExp(String.raw`(?<![\p{L}\\])(?:${TRAILING_UNITS.join('|')})${POWER}\s*\.?$`, 'u');
const STYLED_UNIT = new RegExp(
  String.raw`^(.*[\d})])[\s~]*\\(text|textrm|mathrm|mbox)\s*\{([^{}]*)\}${POWER}\s*\.?$`,
  'u',
);
const WORDS_OF_UNIT = new RegExp(
  String.raw`^[\s~]*(?:(?:${[...TRAILING_UNITS, ...UNIT_SYMBOLS].join('|')})[\s~./]*)+$`,
  'u',
);
const ENDS_IN_NUMBER = /[\d})]\s*$/;
/** Said of a number that was rounded. */
const ABOUT = /^\\(?:approx|sim|simeq)(?![a-zA-Z])\s*|\s*\(?approximately\)?$/g;
const ASSIGNED = /^\\?[a-zA-Z]\s*(?:=|\\in(?![a-z]))\s*/;

/**
 * An answer in a form that two notations of the same share, without the damage of the published one: words stay words, units go only
 * from behind a number, text commands give up their braces in pairs, names go only from the beginning, and a comma with a space behind it
 * separates. What is lost here (a per cent sign, a name) may mean something: answers are compared as they stand too, see grade.ts.
 */
export function repairedForm(answer: string): string {
  if (answer.length > LONGEST_ANSWER) return answer;
  let text = unboxed(answer).replaceAll(/\s+/gu, ' ').trim();
  text = text
    .replaceAll('\\$', '')
    .replaceAll('$', '')
    .replaceAll(/\\[()[\]](?![a-zA-Z])/g, '')
    .replaceAll(/\\(?:left|right)(?![a-zA-Z])/g, '');
  text = text
    .replaceAll('\\!', '')
    .replaceAll(/(\d)\\,(?=\d{3}(?!\d))/g, '$1')
    .replaceAll(/(?<!\\)\\[,;: ]/g, ' ')
    .replaceAll(/\\[td]frac/g, '\\frac');
  text = text
    .replaceAll(/\\(n|l|g)eq(?![a-zA-Z])/g, '\\$1e')
    .replaceAll(/\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![a-zA-Z]))|°/g, '')
    .trim();
  text = withoutStyles(withoutStyledUnit(text)).replaceAll(/ +/g, ' ').trim();
  const time = TIME_OF_DAY.exec(text);
  if (time !== null) return `${time[1]} ${time[2]!.toLowerCase()}m`;
  text = withoutUnit(text.replace(/\.+$/, '').trim())
    .replace(/\s*\\?%$/, '')
    .trim();
  text = text.replace(ABOUT, '');
  if (text.split('=').length <= 2) text = text.replace(ASSIGNED, '').trim();
  const worded = /^[a-z\s-]+$/i.test(text) ? wordsOnly(text) : null;
  if (worded !== null) return worded;
  text = text
    .replaceAll(/(\d)\.0+(?!\d)/g, '$1')
    .replace(/^\./, '0.')
    .replaceAll(/(?!(?<=\d,) \d{3}(?!\d))(?:(?<![a-zA-Z]) +| +(?![a-zA-Z]))/g, '');
  return bracedFractions(text).replaceAll(/\\sqrt(\d)/g, '\\sqrt{$1}');
}

/** What stands in a box when the box is all there is. */
export function unboxed(text: string): string {
  const trimmed = text.trim();
  const inside = /^\\[bf]?box(?:ed)?\s*(?=\{)/.exec(trimmed);
  if (inside === null) return trimmed;
  const from = inside[0].length;
  const to = closingBrace(trimmed, from);
  return to === trimmed.length - 1 ? unboxed(trimmed.slice(from + 1, to)) : trimmed;
}

/** Index of the brace that closes the one at `from`, or −1; escaped braces count for nothing. */
function closingBrace(text: string, from: number): number {
  return closingBraces(text).get(from) ?? -1;
}

/** Where each brace that is closed is closed, by the index of the opening one; escaped braces count for nothing. */
export function closingBraces(text: string): ReadonlyMap<number, number> {
  const open: number[] = [];
  const closed = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') open.push(at);
    else if (text[at] === '}') {
      const from = open.pop();
      if (from !== undefined) closed.set(from, at);
    }
  }
  return closed;
}

function withoutStyles(text: string): string {
  const style = STYLES.exec(text);
  if (style === null) return text;
  const from = style.index + style[0].length;
  const to = text[from] === '{' ? closingBrace(text, from) : -1;
  // A command without a brace pair may be the beginning of another name; it stays.
  if (to < 0) return `${text.slice(0, from)}${withoutStyles(text.slice(from))}`;
  return `${text.slice(0, style.index)} ${withoutStyles(text.slice(from + 1, to))} ${withoutStyles(text.slice(to + 1))}`;
}

/** In text mode everything behind a number is its unit; in upright mathematics only what is known as one. */
function withoutStyledUnit(text: string): string {
  const [, before, command, words] = STYLED_UNIT.exec(text) ?? [];
  if (before === undefined || words === undefined || /[ap]\s*\.?\s*m/i.test(words) || /[()\d]/.test(words))
    return text;
  return command !== 'mathrm' || WORDS_OF_UNIT.test(words) ? before : text;
}

function withoutUnit(text: string): string {
  const unit = PLAIN_UNIT.exec(text);
  if (unit === null) return text;
  const before = text
    .slice(0, unit.index)
    .replace(/\s*[/.]\s*$/, '')
    .trim();
  const rest = PLAIN_UNIT.test(before) ? withoutUnit(before) : before;
  return ENDS_IN_NUMBER.test(rest) ? rest : text;
}

/** "forty-two" as 42 when there is nothing but number words. */
function wordsOnly(text: string): string | null {
  const words = text
    .toLowerCase()
    .split(/[\s-]+/)
    .filter((word) => word !== 'and' && word !== '');
  return words.length > 0 && words.every((word) => word !== 'point' && numberFromWords(word) !== null)
    ? numberFromWords(text)
    : null;
}

/** An exact number; the denominator is positive and the fraction in lowest terms. `whole`: written without a decimal point. */
type Rational = { numerator: bigint; denominator: bigint; whole: boolean };

const INTEGER = String.raw`(?:\d{1,3}(?:(?:,|\{,\})\d{3})+|\d+)`;
const DECIMAL = new RegExp(String.raw`^([-+]?)(${INTEGER})?(?:\.(\d+))?$`);
const FRACTION = new RegExp(
  String.raw`^([-+]?)(?:\\[td]?frac\{([-+]?)(${INTEGER})\}\{([-+]?)(${INTEGER})\}|(${INTEGER})/(${INTEGER}))$`,
);
const POWER_OF_TEN = /^(.+?)(?:[eE]|\\(?:times|cdot)\s*10\s*\^)\s*(?:\{([-+]?\d{1,3})\}|([-+]?\d{1,3}))$/;
/** Longer numbers are left to the process that may be killed. */
const LONGEST = 400;

/**
 * The number a text is, when it is nothing but a number: 7, -007, 1,024, 10{,}000, 2.50, 3/4, \frac{3}{4}, boxed or not; with
 * `powers` also 4.5e33 and 4.5\times10^{33}. Null for anything else.
 */
export function exactNumber(text: string, powers = false): Rational | null {
  if (/,\s/.test(text)) return null; // a list
  const trimmed = unboxed(text).replaceAll(/\s+/g, '');
  if (trimmed.length === 0 || trimmed.length > LONGEST) return null;
  const power = powers ? POWER_OF_TEN.exec(trimmed) : null;
  if (power === null) return decimal(trimmed) ?? fraction(trimmed);
  const base = decimal(power[1]!);
  if (base === null) return null;
  const exponent = Number(power[2] ?? power[3]);
  const scale = 10n ** BigInt(Math.abs(exponent));
  return reduced(
    exponent < 0 ? base.numerator : base.numerator * scale,
    exponent < 0 ? base.denominator * scale : base.denominator,
    false,
  );
}

export const sameNumber = (a: Rational, b: Rational): boolean =>
  a.numerator === b.numerator && a.denominator === b.denominator;

/** Whether |a − b| ≤ tolerance, exactly; the tolerance is the decimal it prints as. */
export function withinTolerance(a: Rational, b: Rational, tolerance: number): boolean {
  const allowed = exactNumber(String(tolerance), true);
  if (allowed === null) return false;
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return (
    (difference < 0n ? -difference : difference) * allowed.denominator <=
    allowed.numerator * a.denominator * b.denominator
  );
}

function decimal(text: string): Rational | null {
  const match = DECIMAL.exec(text);
  if (match === null || (match[2] === undefined && match[3] === undefined)) return null;
  const [, sign, whole = '0', digits = ''] = match;
  const magnitude = BigInt(whole.replaceAll(/[{},]/g, '') + digits);
  return reduced(
    sign === '-' ? -magnitude : magnitude,
    10n ** BigInt(digits.length),
    digits === '' && !text.includes('.'),
  );
}

function fraction(text: string): Rational | null {
  const match = FRACTION.exec(text);
  if (match === null) return null;
  const [, sign, signAbove, above, signBelow, below, left, right] = match;
  const number = (digits: string): bigint => BigInt(digits.replaceAll(/[{},]/g, ''));
  const denominator = number(below ?? right!);
  if (denominator === 0n) return null;
  const negative = [sign, signAbove, signBelow].filter((one) => one === '-').length % 2 === 1;
  const numerator = number(above ?? left!);
  return reduced(negative ? -numerator : numerator, denominator, true);
}

function reduced(numerator: bigint, denominator: bigint, whole: boolean): Rational {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n
    ? { numerator: 0n, denominator: 1n, whole }
    : { numerator: numerator / a, denominator: denominator / a, whole };
}
