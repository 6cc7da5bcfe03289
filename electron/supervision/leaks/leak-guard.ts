import { isClosedSentence } from '../reviewers/issues.ts';
import { literalLeaks } from './literal-leaks.ts';
import { programLeaks } from './program-leaks.ts';

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
