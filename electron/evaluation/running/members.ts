import type { MemberResult } from '../../core/index.ts';
import type { GradeRow } from './graded-suite.ts';

/** A suite as the aggregates count it: answers that passed, or that `counted` says, among those with a verdict. */
export function shareMember(
  rows: readonly GradeRow[],
  of: number,
  counted: (row: GradeRow) => boolean = ({ grade }) => grade.outcome === 'passed',
): MemberResult {
  const judged = rows.filter(({ grade }) => grade.outcome !== 'unjudged');
  return {
    form: 'share',
    passed: judged.filter(counted).length,
    n: judged.length,
    of,
    unjudged: rows.length - judged.length,
  };
}
