import { decimalFraction, equal, nearlyEqual, type Fraction } from './fraction.ts';
import { ENOUGH_BITS, goldValue, type Atom, type GoldValue } from './gold-value.ts';
import { plainArithmetic, statedNumbers, statesAnyNumber } from './stated-numbers.ts';
import { encodedForms, viewsOf, visibleText, type View } from './views.ts';

/** A number read backwards is often another plausible number; three digits make the coincidence rare. */
const BITS_FOR_REVERSED = 7;

/** Ways in which `feedback` gives the literal away; `visible` is what the agent was shown and so knows already. */
export function literalLeaks(feedback: string, literal: string, visible: string): string[] {
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
  const told = views
    .filter(({ how }) => how !== 'reversed')
    .some(({ text }) => statesAnyNumber(text) || statesOption(text));
  return told ? ['bare number or option where the answer is a guess away'] : [];
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
