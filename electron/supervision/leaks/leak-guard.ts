import { isClosedSentence } from '../reviewers/answers.ts';
import { statesGuess } from './guesses.ts';
import { formsInDigits } from './number-forms.ts';
import { notationsOf, passageLeaks } from './expressions.ts';
import { programLeaks, SEARCHED } from './programs.ts';
import { numberToken, sequenceTokens, statesSequence, statesText, tokensOf } from './sequences.ts';
import { statedNumbers } from './stated-numbers.ts';
import {
  decimalFraction,
  equal,
  includesRun,
  nearlyEqual,
  ENOUGH_BITS,
  goldValue,
  type Fraction,
  type Atom,
  type GoldValue,
} from './values.ts';
import { encodedForms, standsAlone, viewsOf, visibleText, type View } from './views.ts';

/**
 * What a review of an item may not give away: a Python literal, a program, a mathematical expression, or a text of which it may repeat no long
 * stretch. Golds go to the leak guard and nowhere else.
 */
export type Gold =
  | { kind: 'literal'; text: string }
  | { kind: 'program'; source: string }
  | { kind: 'expression'; text: string }
  | { kind: 'passage'; text: string };

/**
 * Findings, each a few words that never contain the gold; empty when none. `visible` is what the agent was shown: it cannot be
 * leaked to it. Sentences written by us cannot leak. Hints in other words ("think of the meaning of life") are beyond any
 * such test.
 */
export function findLeaks(feedback: string, golds: readonly Gold[], visible: string): string[] {
  if (isClosedSentence(feedback)) return [];
  if (feedback.length > SEARCHED) return ['feedback too long to be searched'];
  return [...new Set(golds.flatMap((gold) => leaksOf(gold, feedback, visible)))];
}

function leaksOf(gold: Gold, feedback: string, visible: string): string[] {
  switch (gold.kind) {
    case 'literal':
      return literalLeaks(feedback, gold.text, visible);
    case 'program':
      return programLeaks(feedback, gold.source, visible);
    case 'expression':
      return notationsOf(gold.text).flatMap((text) => literalLeaks(feedback, text, visible));
    case 'passage':
      return passageLeaks(feedback, gold.text, visible);
  }
}

/** A number read backwards is often another plausible number; three digits make the coincidence rare. Words are none. */
const BITS_FOR_REVERSED = 7;

/** Ways in which `feedback` gives the literal away; `visible` is what the agent was shown and so knows already. */
function literalLeaks(feedback: string, literal: string, visible: string): string[] {
  const gold = goldValue(literal);
  const views = [...viewsOf(feedback), ...otherLanguages(feedback, gold)].map((view) =>
    view.how === 'reversed' && gold.bits < BITS_FOR_REVERSED
      ? { ...view, text: view.text.replace(/\d/g, ' ') }
      : view,
  );
  const shown = visibleText(visible);
  const isShown = shownIn(shown);
  const found = (told: (view: View) => boolean): string[] =>
    views.filter(told).map(({ how }) => `answer stated (${how})`);
  if (gold.bits < ENOUGH_BITS) {
    const areShown = gold.atoms.every(isShown);
    return [...new Set(found((view) => statesGuess(gold, literal.trim(), view, areShown)))];
  }
  const [atom] = gold.atoms;
  if (gold.single ? isShown(atom!) : includesRun(tokensOf(shown), sequenceTokens(gold))) return [];
  const areShown = !gold.single && gold.atoms.every(isShown);
  const told = gold.single
    ? found((view) => statesAtom(atom!, view))
    : found((view) => statesSequence(gold, view, areShown));
  return [...new Set([...told, ...encodedLeaks(visibleText(feedback), literal, gold)])];
}

/** The feedback with the answer's numbers in digits where other languages, scripts or the Romans write them. */
function otherLanguages(feedback: string, { atoms }: GoldValue): View[] {
  const integers = atoms.flatMap((atom) =>
    atom.kind === 'number' && atom.value.d === 1n ? [atom.value.n] : [],
  );
  const text = integers.length > 0 ? formsInDigits(visibleText(feedback), integers) : null;
  return text === null ? [] : [{ how: 'other languages', text }];
}

/**
 * Says of parts of an answer whether they stand in a prompt. A number counts as shown only in digits; reading the agent's prompt as
 * arithmetic would excuse too much.
 */
function shownIn(visible: string): (atom: Atom) => boolean {
  const key = ({ n, d }: Fraction): string => `${n}/${d}`;
  let numbers: Set<string> | null = null;
  const all = (): Set<string> =>
    new Set(
      [...new Set(visible.match(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])/g))].flatMap((text) => {
        const value = decimalFraction(text);
        return value === null ? [] : [key(value)];
      }),
    );
  return (atom) =>
    atom.kind === 'number'
      ? (numbers ??= all()).has(key(atom.value))
      : statesAtom(atom, { how: 'plain', text: visible });
}

/** Views whose letters have no case of their own. */
const CASELESS = new Set(['morse', 'letters by number', 'spelling alphabet']);

function statesAtom(atom: Atom, { how, text }: View): boolean {
  switch (atom.kind) {
    case 'number':
      return statedNumbers(text).some((value) => sameNumber(value, atom.value));
    case 'text':
      return statesText(text, atom.text, CASELESS.has(how));
    case 'word':
      return standsAlone(text, atom.text, true);
  }
}

/** Integers must be met exactly; a rounded fraction still gives the answer away. */
function sameNumber(stated: Fraction, gold: Fraction): boolean {
  return gold.d === 1n ? equal(stated, gold) : nearlyEqual(stated, gold);
}

/** Longer answers are found by the stretches that decode to them. */
const LONGEST_ENCODED = 400;
const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** base64 and hexadecimal of the literal, its content and its tight form, as words of their own. */
function encodedLeaks(feedback: string, literal: string, gold: GoldValue): string[] {
  if (literal.length > LONGEST_ENCODED) return [];
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
