import { isClosedSentence } from '../reviewers/answers.ts';
import { plainArithmetic, statedNumbers, statesAnyNumber } from './stated-numbers.ts';
import {
  decimalFraction,
  equal,
  nearlyEqual,
  ENOUGH_BITS,
  goldValue,
  type Fraction,
  type Atom,
  type GoldValue,
} from './values.ts';
import { encodedForms, viewsOf, visibleText, type View } from './views.ts';

/** A hidden answer of an item: a Python literal, or a program. Golds go to the leak guard and nowhere else. */
export type Gold = { kind: 'literal'; text: string } | { kind: 'program'; source: string };

/** Longest feedback that is searched; anything longer is no review and counts as a leak of unknown content. */
const SEARCHED = 4000;

/**
 * Findings, each a few words that never contain the gold; empty when none. `visible` is what the agent was shown: it cannot be
 * leaked to it. Sentences written by us cannot leak. Hints in other words ("think of the meaning of life") are beyond any
 * such test.
 */
export function findLeaks(feedback: string, golds: readonly Gold[], visible: string): string[] {
  if (isClosedSentence(feedback)) return [];
  if (feedback.length > SEARCHED) return ['feedback too long to be searched'];
  const found = golds.flatMap((gold) =>
    gold.kind === 'literal'
      ? literalLeaks(feedback, gold.text, visible)
      : programLeaks(feedback, gold.source, visible),
  );
  return [...new Set(found)];
}

/** A number read backwards is often another plausible number; three digits make the coincidence rare. */
const BITS_FOR_REVERSED = 7;

/** Ways in which `feedback` gives the literal away; `visible` is what the agent was shown and so knows already. */
function literalLeaks(feedback: string, literal: string, visible: string): string[] {
  const gold = goldValue(literal);
  const views = viewsOf(feedback).filter(({ how }) => how !== 'reversed' || gold.bits >= BITS_FOR_REVERSED);
  if (gold.bits < ENOUGH_BITS) return lowEntropyLeaks(views);
  const stated = gold.single ? singleMatcher(gold.atoms[0]!) : sequenceMatcher(gold);
  if (shownBefore(gold, stated, visibleText(visible))) return [];
  const found = views.filter(({ text }) => stated(text)).map(({ how }) => `answer stated (${how})`);
  return [...new Set([...found, ...encodedLeaks(visibleText(feedback), literal, gold)])];
}

/** A number counts as shown only where it stands in digits; reading the agent's prompt as arithmetic would excuse too much. */
function shownBefore(
  { single, atoms }: GoldValue,
  stated: (text: string) => boolean,
  visible: string,
): boolean {
  const [atom] = atoms;
  if (!single || atom?.kind !== 'number') return stated(visible);
  return (visible.match(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])/g) ?? []).some((text) => {
    const value = decimalFraction(text);
    return value !== null && equal(value, atom.value);
  });
}

/** Where the answer is a guess away, any bare number or option is taken for it. */
function lowEntropyLeaks(views: View[]): string[] {
  const isStated = views
    .filter(({ how }) => how !== 'reversed')
    .some(({ text }) => statesAnyNumber(text) || statesOption(text));
  return isStated ? ['bare number or option where the answer is a guess away'] : [];
}

/** True, False, None, "empty", a quoted character, or a lone capital other than the words "A" and "I". */
function statesOption(text: string): boolean {
  return (
    /\b(?:true|false)\b|\bempty\b/i.test(text) ||
    /\bNone\b/.test(text) ||
    /['"`].['"`]/.test(text) ||
    /(?<![\w'’])[B-HJ-Z](?![\w'’])/.test(text) ||
    /(?<![\w'’])[AI](?=[.,;:)]|$)/.test(text)
  );
}

function singleMatcher(atom: Atom): (text: string) => boolean {
  switch (atom.kind) {
    case 'number':
      return (text) => statedNumbers(text).some((value) => sameNumber(value, atom.value));
    case 'text':
      return (text) => statesText(text, atom.text);
    case 'word':
      return (text) => new RegExp(`\\b${atom.text}\\b`, 'i').test(text);
  }
}

/** Integers must be met exactly; a rounded fraction still gives the answer away. */
function sameNumber(stated: Fraction, gold: Fraction): boolean {
  return gold.d === 1n ? equal(stated, gold) : nearlyEqual(stated, gold);
}

const squeeze = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Short strings count only as words of their own and in their own case: two letters occur inside every sentence. */
const SHORT_TEXT = 5;

function statesText(text: string, secret: string): boolean {
  const tight = squeeze(secret);
  if (tight === '') return secret !== '' && text.includes(secret);
  if (tight.length >= SHORT_TEXT) return squeeze(text).toLowerCase().includes(tight.toLowerCase());
  if (new RegExp(`(?<![\\p{L}\\p{N}])${escape(secret)}(?![\\p{L}\\p{N}])`, 'u').test(text)) return true;
  return spelledOut(text).some((word) => word === tight);
}

/** Words spelled letter by letter ("C A B", "c-a-b", "C, A and B"). */
function spelledOut(text: string): string[] {
  const plain = text.replace(/\b(?:and|then)\b/gi, ' ');
  return [
    ...plain.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\s,.\-_|'"]+[\p{L}\p{N}](?![\p{L}\p{N}]))+/gu),
  ].map((match) => squeeze(match[0]));
}

const CONNECTORS = new Set(['and', 'then', 'followed', 'by']);

/** Numbers and words of a text in order, numbers in plain digits, connecting words left out. */
function tokensOf(text: string): string[] {
  return (plainArithmetic(text).match(/(?<![\p{L}\p{N}])-?\d+(?:\.\d+)?|[\p{L}\p{N}]+/gu) ?? []).filter(
    (token) => !CONNECTORS.has(token.toLowerCase()),
  );
}

function sequenceMatcher({ atoms }: GoldValue): (text: string) => boolean {
  const wanted = atoms.flatMap((atom) =>
    atom.kind === 'number' ? [numberToken(atom.value)] : tokensOf(atom.text),
  );
  const joined = wanted.join('');
  // "4815" or "4 8 1 5" for [4, 8, 15]: only when the digits are too many to agree by chance.
  const digits = /^\d{4,}$/.test(joined) ? joined : null;
  return (text) => {
    const tokens = tokensOf(text);
    if (tokens.some((_, start) => wanted.every((token, index) => tokens[start + index] === token)))
      return true;
    const tight =
      digits !== null
        ? [...text.matchAll(/\d(?:[\s,;.\-_|[\]()]*\d)*/g)].map((match) => match[0].replace(/\D/g, ''))
        : [];
    if (tight.includes(digits!)) return true;
    return (
      !/^\d*$/.test(joined) &&
      joined.length >= 8 &&
      squeeze(text).toLowerCase().includes(squeeze(joined).toLowerCase())
    );
  };
}

function numberToken({ n, d }: Fraction): string {
  return d === 1n ? String(n) : String(Number(n) / Number(d));
}

/** base64 and hexadecimal of the literal, its content and its tight form, as words of their own. */
function encodedLeaks(feedback: string, literal: string, gold: GoldValue): string[] {
  const content = gold.atoms
    .map((atom) => (atom.kind === 'number' ? numberToken(atom.value) : atom.text))
    .join(gold.single ? '' : ',');
  const secrets = new Set([
    literal.trim(),
    literal.replace(/\s+/g, ''),
    content,
    [...content].toReversed().join(''),
  ]);
  return [...secrets]
    .flatMap(encodedForms)
    .filter(({ how, text }) =>
      new RegExp(`(?<![A-Za-z0-9+/])${escape(text)}(?![A-Za-z0-9+/])`, how === 'hex' ? 'i' : '').test(
        feedback,
      ),
    )
    .map(({ how }) => `answer stated (${how})`);
}

const GRAM = 6;
/** Shared 6-grams of a program that cannot be coincidence. */
const CONTAINED = 0.3;
/** A shared line of this many characters without spaces is a quotation. */
const LINE = 12;
/** A shorter statement is one when all its tokens stand in a row; below five there is hardly anything to tell ("return y"). */
const STATEMENT_TOKENS = 5;

const KEYWORDS = new Set([
  'and',
  'as',
  'break',
  'class',
  'continue',
  'def',
  'elif',
  'else',
  'for',
  'from',
  'if',
  'import',
  'in',
  'is',
  'lambda',
  'not',
  'or',
  'pass',
  'return',
  'while',
  'with',
  'yield',
]);

/** Ways in which `feedback` gives a program away: quoted lines, or its structure under other names. */
function programLeaks(feedback: string, source: string, visible: string): string[] {
  const known = visibleText(visible);
  const knownGrams = grams(codeTokens(known));
  const goldGrams = [...grams(codeTokens(source))].filter((gram) => !knownGrams.has(gram));
  const tightKnown = tight(known);
  const lines = source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !tightKnown.includes(tight(line)));
  const found = viewsOf(feedback).flatMap(({ how, text }) => {
    const shown = grams(codeTokens(text));
    const shared = goldGrams.filter((gram) => shown.has(gram)).length;
    const tightText = tight(text);
    const quoted =
      lines.some((line) => tight(line).length >= LINE && tightText.includes(tight(line))) ||
      lines.some((line) => statementIn(text, line));
    return [
      ...(goldGrams.length > 0 && shared / goldGrams.length >= CONTAINED
        ? [`program structure shown (${how})`]
        : []),
      ...(quoted ? [`program line quoted (${how})`] : []),
    ];
  });
  return [...new Set(found)];
}

/** Statements, definitions and assignments, up to where a sentence goes on; and what stands between backticks or fences. */
const CODE = [
  /```[a-z]*\n?([\s\S]*?)(?:```|$)/g,
  /`([^`]+)`/g,
  /\b(def\s+\w+\s*\([^)]*\)\s*:?[^\n]*)/g,
  /\b(return\s+[\w.[\]()]+\s*(?:[-+*/%<>]|\/\/|==)+\s*[^\s,;`]+)/g,
  /(?<![\w=<>!])([a-z_]\w*\s*[-+*/]?=(?!=)\s*[^\s,;`]+)/gi,
];
/** A name or a word in backticks is no code; a statement has an operator, a call or a keyword with something behind it. */
const IS_CODE = /[-+*/%<>=]|\w\(.*\)|\b(?:return|def|lambda|import)\b\s*\S/;

/** A corrected line is a fix, whatever the hidden answer is: code in a feedback that stands nowhere in the material. */
export function unseenCode(feedback: string, material: string): string[] {
  if (isClosedSentence(feedback) || feedback.length > SEARCHED) return [];
  const known = tight(visibleText(material)).replaceAll(/[;:.]$/gm, '');
  const unseen = CODE.some((pattern) =>
    [...feedback.matchAll(pattern)].some(([, code = '']) => {
      const text = tight(code).replace(/[;:.,]+$/, '');
      return IS_CODE.test(code) && text !== '' && !known.includes(text);
    }),
  );
  return unseen ? ['code that is not in the material'] : [];
}

const tight = (text: string): string => text.replace(/\s+/g, '');

const lex = (text: string): string[] =>
  text.match(/[^\W\d]\w*|\d+(?:\.\d+)?|\/\/|\*\*|[<>=!]=|[^\s\w]/g) ?? [];

/** Tokens with every identifier replaced, so that renaming hides nothing. */
const codeTokens = (text: string): string[] =>
  lex(text).map((token) => (/^[^\W\d]/.test(token) && !KEYWORDS.has(token) ? '·' : token));

function grams(tokens: string[]): Set<string> {
  const found = new Set<string>();
  for (let start = 0; start + GRAM <= tokens.length; start++) {
    const gram = tokens.slice(start, start + GRAM);
    // Prose is identifiers in a row; a gram of code has at least two other tokens.
    if (gram.filter((token) => token !== '·').length >= 2) found.add(gram.join(' '));
  }
  return found;
}

function statementIn(text: string, line: string): boolean {
  const [wanted, tokens] = [lex(line), lex(text)];
  if (wanted.length < STATEMENT_TOKENS || /^(?:def|else)\b/.test(line)) return false;
  return tokens.some((_, start) => wanted.every((token, index) => tokens[start + index] === token));
}
