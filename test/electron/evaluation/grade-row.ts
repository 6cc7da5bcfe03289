import type { EvaluationScore, ItemGrade } from '../../../electron/contract/index.ts';
import { gradeOf, type GradeRow } from '../../../electron/evaluation/suites/graded-suite.ts';

/** The grade of one answer as scores are made of them. */
export const gradeRow = (
  ordinal: number,
  outcome: ItemGrade['outcome'],
  rest: Partial<ItemGrade> = {},
  itemId = String(ordinal),
): GradeRow => ({
  ordinal,
  itemId,
  sample: 0,
  grade: gradeOf(outcome === 'passed', 'test', { outcome, ...rest }),
});

/** Scores by name. */
export const valuesOf = (scores: readonly EvaluationScore[]): Record<string, number | null> =>
  Object.fromEntries(scores.map(({ name, value }) => [name, value]));
