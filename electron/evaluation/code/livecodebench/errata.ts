import type { LiveCodeBenchProblem } from './problem.ts';

export type Erratum = 'severalAnswers' | 'interactive' | 'badTests';

/**
 * Problems that LiveCodeBench's ERRATA.md names, by question id or by the title as LeetCode writes it in addresses. They stay
 * in the official denominator; scores without them are shown beside it. The list grows upstream, so callers may add to it.
 */
export const ERRATA: Readonly<Record<string, Erratum>> = {
  abc311_c: 'severalAnswers',
  abc326_d: 'severalAnswers',
  abc327_b: 'severalAnswers',
  abc333_e: 'severalAnswers',
  abc343_e: 'severalAnswers',
  abc362_c: 'severalAnswers',
  'find-words-containing-character': 'severalAnswers',
  'find-the-peaks': 'severalAnswers',
  'generate-binary-strings-without-adjacent-zeros': 'severalAnswers',
  abc337_e: 'interactive',
  abc355_e: 'interactive',
  abc350_c: 'badTests',
  'apply-operations-to-make-string-empty': 'badTests',
  'most-frequent-ids': 'badTests',
};

/** What is known to be wrong with a problem; null for nothing. */
export function erratumOf(
  { id, title }: Pick<LiveCodeBenchProblem, 'id' | 'title'>,
  errata: Readonly<Record<string, Erratum>> = ERRATA,
): Erratum | null {
  return (
    errata[id] ??
    errata[
      title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
    ] ??
    null
  );
}
