import type { ItemGrade, ItemOverride } from '../../contract/index.ts';
import { sql } from '../sql.ts';

// The one place where people's overrides take the place of verdicts. What is stored stays as it was graded; whoever shows a share or
// counts verdicts reads what is corrected here, and only what writes, attests or sets both beside each other reads it as it was graded.

/** People's words on answers of an evaluation of the outer query, which has to call it `evaluations`; they are few, so that a list can ask for each of its rows. */
const WORDS = sql`
  FROM evaluation_overrides o JOIN evaluation_items i ON i.evaluation_key = o.evaluation_key AND i.ordinal = o.ordinal
  WHERE o.evaluation_key = evaluations.key`;

/** Columns `n` and `passed` of a finished evaluation: a person's word on an unjudged answer makes it count. */
export const CORRECTED_COUNTS = sql`
  evaluations.n + (SELECT count(*) ${WORDS} AND i.outcome = 'unjudged') AS n,
  evaluations.passed + (SELECT coalesce(sum((o.outcome = 'passed') - i.passed), 0) ${WORDS}) AS passed`;

/** Column `overridden`: answers whose verdict is a person's. */
export const OVERRIDDEN = sql`
  (SELECT count(*) FROM evaluation_overrides o WHERE o.evaluation_key = evaluations.key) AS overridden`;

/** Answers `i`, each with what a person said of it in `o`, where one did. */
export const CORRECTED_ITEMS = sql`
  evaluation_items i LEFT JOIN evaluation_overrides o ON o.evaluation_key = i.evaluation_key AND o.ordinal = i.ordinal`;
/** Whether such an answer passed, 1 or 0. */
export const CORRECTED_PASSED = sql`coalesce(o.outcome = 'passed', i.passed)`;

/** Verdicts with people's words in the place of the graders'. */
export function withOverrides<Row extends { ordinal: number; grade: ItemGrade }>(
  rows: readonly Row[],
  overrides: readonly Pick<ItemOverride, 'ordinal' | 'outcome'>[],
): Row[] {
  const words = new Map(overrides.map(({ ordinal, outcome }) => [ordinal, outcome]));
  return rows.map((row) => {
    const outcome = words.get(row.ordinal);
    if (outcome === undefined) return row;
    return { ...row, grade: { ...row.grade, outcome, flags: [...row.grade.flags, 'overridden'] } };
  });
}
