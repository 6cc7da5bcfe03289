import { inDigits, plainArithmetic, reckonedInTurn } from './stated-numbers.ts';
import { equal, includesRun, negate, add, type Atom, type Fraction, type GoldValue } from './values.ts';
import { shifted, standsAlone, type View } from './views.ts';

const squeeze = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');

/** Short strings count only as words of their own and in their own case: two letters occur inside every sentence. */
const SHORT_TEXT = 5;
/** Letters of which another alphabet or a list of single ones is no coincidence. */
const TELLING_LETTERS = 3;

/** Whether a text has the secret in it, in one piece or letter by letter. @param caseless in a coding that knows no capitals. */
export function statesText(text: string, secret: string, caseless = false): boolean {
  const tight = squeeze(secret);
  if (tight === '') return secret !== '' && text.includes(secret);
  if (tight.length >= SHORT_TEXT) {
    if (squeeze(text).toLowerCase().includes(tight.toLowerCase())) return true;
  } else if (standsAlone(text, secret, caseless)) return true;
  return spelledOut(text, tight) || isShifted(text, tight);
}

/** "C A B", "c-a-b", "C, A and B", "first C, then A, then B", "'CA' and then 'B'". */
function spelledOut(text: string, secret: string): boolean {
  const wanted = secret.toLowerCase();
  const plain = text.replace(/\b(?:and|then)\b/gi, ' ');
  const runs = plain.matchAll(
    /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\s,.\-_|'"+]+[\p{L}\p{N}](?![\p{L}\p{N}]))+/gu,
  );
  for (const [run] of runs) if (squeeze(run).toLowerCase() === wanted) return true;
  if (secret.length < TELLING_LETTERS || /^a+$/i.test(secret)) return false;
  const letters = (text.match(/(?<![\p{L}\p{N}'’])[\p{L}\p{N}](?![\p{L}\p{N}’])/gu) ?? []).join('');
  const pieces = [...text.matchAll(/['"`‘“]([^'"`’”\s]{1,20})['"`’”]/g)].map(([, piece]) => piece!).join('');
  const forms = [letters, letters.replace(/a|I/g, ''), letters.replace(/\d/g, ''), pieces];
  return forms.some((joined) => joined.toLowerCase().includes(wanted));
}

/** A word that is the secret moved along the alphabet, or counted from its end. */
function isShifted(text: string, secret: string): boolean {
  if (secret.length < SHORT_TEXT || secret.length > 200 || !/^[a-z]+$/i.test(secret)) return false;
  const wanted = secret.toLowerCase();
  const mirrored = wanted.replace(/./g, (letter) => String.fromCharCode(219 - letter.charCodeAt(0)));
  const words = (text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => word.length === wanted.length);
  return words.some((word) => {
    const by = (wanted.charCodeAt(0) - word.charCodeAt(0) + 26) % 26;
    return word === mirrored || shifted(word, by) === wanted;
  });
}

const CONNECTORS = new Set(['and', 'then', 'followed', 'by']);

/** Numbers and words of a text in order, connecting words left out. */
export function tokensOf(text: string): string[] {
  return (text.match(/(?<![\p{L}\p{N}])-?\d+(?:\.\d+)?|[\p{L}\p{N}]+/gu) ?? []).filter(
    (token) => !CONNECTORS.has(token.toLowerCase()),
  );
}

/** What a text that states the answer in full has in a row. */
export function sequenceTokens({ atoms }: GoldValue): string[] {
  return atoms.flatMap((atom) => (atom.kind === 'number' ? [numberToken(atom.value)] : tokensOf(atom.text)));
}

export function numberToken({ n, d }: Fraction): string {
  return d === 1n ? String(n) : String(Number(n) / Number(d));
}

/**
 * Whether a text tells a list, tuple, set or dict: in a row, in another order, or by a rule that makes it.
 * @param areShown whether the agent was shown all parts: then only their order is the answer.
 */
export function statesSequence(gold: GoldValue, { how, text }: View, areShown: boolean): boolean {
  const wanted = sequenceTokens(gold);
  const arithmetic = plainArithmetic(text);
  if (includesRun(tokensOf(arithmetic), wanted) || statesJoined(text, wanted.join(''))) return true;
  if (areShown || how === 'reversed') return false;
  const numbers = gold.atoms.flatMap((atom) => (atom.kind === 'number' ? [atom.value] : []));
  const isNumbers = numbers.length === gold.atoms.length;
  // Digits stand in rot13 as they are; only the word that makes one the number of a step is gone.
  if (isNumbers && how === 'rot13') return false;
  const told = numbersOf(arithmetic);
  const stands = (read: string): boolean => includesRun(reckonedInTurn(read).map(numberToken), wanted);
  const inPlaces = text.replace(PLACE_ONE, '$1');
  if (isNumbers && (stands(text) || (inPlaces !== text && stands(inPlaces)))) return true;
  if (isNumbers && statesRule(numbers, told, arithmetic)) return true;
  return (
    gold.bits >= BITS_FOR_ORDER &&
    gold.atoms.length > 1 &&
    holdsAll(numbers, told) &&
    holdsTexts(gold.atoms, text)
  );
}

/** "The last one is 9" names a place and no 1; it is read with and without. */
const PLACE_ONE = /\b(first|second|third|fourth|fifth|next|other|previous|last|final)\s+one\b/gi;

/** "4815" or "4 8 1 5" for [4, 8, 15]: only when the characters are too many to agree by chance. */
function statesJoined(text: string, joined: string): boolean {
  if (/^\d{4,}$/.test(joined))
    return [...text.matchAll(/\d(?:[\s,;.\-_|[\]()]*\d)*/g)].some(
      ([found]) => found.replace(/\D/g, '') === joined,
    );
  return (
    !/^\d*$/.test(joined) &&
    joined.length >= 8 &&
    squeeze(text).toLowerCase().includes(squeeze(joined).toLowerCase())
  );
}

/** Below this the parts of an answer may all stand in a sentence by chance. */
const BITS_FOR_ORDER = 10;

/** Steps and lines are numbered; so are the places of a list, one at a time. */
const LABELS =
  /\b(?:(?:steps?|lines?|iterations?|rounds?|phases?|stages?|tests?|cases?|branches|attempts?|tasks?|questions?|rules?|points?)\s+\d+(?:\s*(?:,|,? and|,? or|to|through|-|\/)\s*\d+)*|(?:item|element|index|position|entry|place|slot|number|no\.)\s+\d+(?=\s*(?:is|=|:|should|becomes|holds|would)))/gi;

const EVERY: Record<string, number> = { other: 2, second: 2, third: 3, fourth: 4, fifth: 5, sixth: 6 };
const numbersOf = (arithmetic: string): string[] =>
  arithmetic
    .replace(LABELS, ' ~ ')
    .replace(/\.{2,}|…/g, ' to ')
    .replace(
      /\bevery (other|second|third|fourth|fifth|sixth)\b/gi,
      (_, place: string) => `every ${EVERY[place.toLowerCase()]}`,
    )
    .match(/(?<![\p{L}\p{N}.])-?\d+(?:\.\d+)?(?!(?!st\b|nd\b|rd\b|th\b)\p{L})/gu) ?? [];

function holdsAll(numbers: readonly Fraction[], told: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const token of told) left.set(token, (left.get(token) ?? 0) + 1);
  return numbers.every((number) => {
    const token = numberToken(number);
    const count = left.get(token) ?? 0;
    left.set(token, count - 1);
    return count > 0;
  });
}

function holdsTexts(atoms: readonly Atom[], text: string): boolean {
  return atoms.every((atom) => {
    if (atom.kind === 'number') return true;
    if (atom.kind === 'word') return standsAlone(text, atom.text, true);
    const part = atom.text.trim();
    return part.length > 1 ? statesText(text, part) : standsAlone(text, part);
  });
}

/** Numbers among which the parts of a rule stand. */
const WINDOW = 6;

/** A first number with the differences, with one difference and an end or a length, a range, or one number many times. */
function statesRule(numbers: readonly Fraction[], told: readonly string[], arithmetic: string): boolean {
  if (numbers.length < 3) return false;
  const sizes = told.map((token) => token.replace('-', ''));
  const differences = numbers.slice(1).map((value, index) => add(value, negate(numbers[index]!))!);
  const [first, last, step] = [numbers[0]!, numbers.at(-1)!, differences[0]!];
  if (!differences.every((value) => equal(value, step))) {
    const gaps = differences.map((value) => numberToken(value).replace('-', ''));
    return sizes.includes(numberToken(first).replace('-', '')) && includesRun(sizes, gaps);
  }
  if (step.n === 0n) {
    const repeated = [String(numbers.length), numberToken(first)];
    return (
      includesRun(told, repeated) ||
      includesRun(told, repeated.toReversed()) ||
      isPlural(arithmetic, repeated)
    );
  }
  const beyond = add(last, step)!;
  const ends = [last, beyond, add(last, { n: step.n < 0n ? -1n : 1n, d: 1n })!].map(numberToken);
  const size = numberToken(step).replace('-', '');
  const isRange =
    size === '1' &&
    told.some((token, at) => token === numberToken(first) && ends.includes(told[at + 1] ?? ''));
  if (isRange && RANGE.test(arithmetic)) return true;
  return told.some((_, at) => {
    const near = told.slice(at, at + WINDOW);
    const rest = new Set(near.map((token) => token.replace('-', '')));
    return (
      near[0] !== undefined &&
      near.includes(numberToken(first)) &&
      rest.has(size) &&
      new Set([numberToken(first), size]).size === (numberToken(first) === size ? 1 : 2) &&
      [...ends, String(numbers.length)].some((end) =>
        near.some((token, index) => token === end && index !== near.indexOf(numberToken(first))),
      )
    );
  });
}

const RANGE =
  /\d\s*(?:to|through|until|till|up to|down to|up through|\.\.+|…|-)\s*\d|range|between|consecutive|in a row|count(?:s|ing)? (?:up|down)/i;

const NAMES = [
  'zeros',
  'ones',
  'twos',
  'threes',
  'fours',
  'fives',
  'sixes',
  'sevens',
  'eights',
  'nines',
  'tens',
];
const isPlural = (text: string, [count, value]: string[]): boolean => {
  const name = NAMES[Number(value)];
  return (
    name !== undefined &&
    new RegExp(
      `(?<!\\d)${count}\\*?\\s*(?:times )?(?:${name}|${name.replace('zeros', 'zeroes')})\\b`,
      'i',
    ).test(inDigits(text))
  );
};
