import {
  figureOf,
  type EvaluationSummary,
  type MatrixCell,
  type MatrixRow,
  type ScoreChange,
} from '../../contract/index.ts';
import { BOOTSTRAP_RESAMPLES, comparePaired, stratifiedBootstrap } from '../../core/index.ts';
import { hasPassed, hasVerdict } from '../suites/scores.ts';
import type { GradeRow } from '../suites/graded-suite.ts';
import { answerOutcome } from './compare.ts';
import type { EvaluationReads } from './reads.ts';

/** Names the draws, so that a table is the same whenever it is made. */
const SEED = 1;
const EQUAL = 1e-9;

type Compared = {
  row: Pick<MatrixRow, 'unit' | 'suite' | 'score' | 'better'>;
  before: MatrixCell;
  after: MatrixCell;
};

/**
 * How a cell differs from another of its row, people's overrides in the verdicts' place. Where the score is a share of answers and both
 * were asked items of the same names, it is the change that `compareEvaluations` finds; where it is another mean over items, they are
 * paired, and an item counts once however many answers it was given. Null where either has no value.
 */
export function changeOf(
  store: EvaluationReads,
  { row, before, after }: Compared,
  [earlier, later]: readonly [EvaluationSummary | null, EvaluationSummary | null],
): ScoreChange | null {
  const [from, to] = [figureOf(before), figureOf(after)];
  if (from.value === null || to.value === null) return null;
  if (earlier !== null && later !== null) {
    const paired = pairedChange(
      { rows: store.listGrades(earlier.id), score: from.value },
      { rows: store.listGrades(later.id), score: to.value },
      row,
    );
    if (paired !== null) return paired;
  }
  const value = to.value - from.value;
  if (from.low === null || from.high === null || to.low === null || to.high === null)
    return { value, low: null, high: null, n: null, method: 'apart' };
  return {
    value,
    low: value - Math.hypot(to.value - to.low, from.high - from.value),
    high: value + Math.hypot(to.high - to.value, from.value - from.low),
    n: null,
    method: 'apart',
  };
}

type Side = { rows: readonly GradeRow[]; score: number };

function pairedChange(before: Side, after: Side, row: Compared['row']): ScoreChange | null {
  // At a half, passes and failures make the same share; which of them is counted shows in which way is better.
  const signs = row.better === 'lower' ? ([-1, 1] as const) : ([1, -1] as const);
  for (const sign of signs) {
    if (isShare(before, sign) && isShare(after, sign)) return changeOfShares(before.rows, after.rows, sign);
  }
  const [first, second] = [itemScores(before), itemScores(after)];
  return first === null || second === null ? null : changeOfMeans(first, second, row);
}

/** Whether the score is the share of answers that passed (`sign` 1) or failed (−1), over all answers or as the mean of the items' shares. */
function isShare({ rows, score }: Side, sign: 1 | -1): boolean {
  const counted = rows.filter(hasVerdict);
  if (counted.length === 0) return false;
  const valueOf = (row: GradeRow): number => (hasPassed(row) === (sign === 1) ? 1 : 0);
  const items = [...Map.groupBy(counted, ({ itemId }) => itemId).values()];
  return [mean(counted.map(valueOf)), mean(items.map((own) => mean(own.map(valueOf))))].some(
    (share) => Math.abs(share - score) < EQUAL,
  );
}

/** The mean of the answers' scores of each item, in the items' order; null where the score is not the mean of these. */
function itemScores({ rows, score }: Side): Map<string, number> | null {
  const items = [...Map.groupBy(rows.filter(hasVerdict), ({ itemId }) => itemId)];
  const known = items.flatMap(([id, own]): [string, number][] => {
    const read = own.flatMap(({ grade }) => (grade.score === null ? [] : [grade.score]));
    return read.length === 0 ? [] : [[id, mean(read)]];
  });
  return known.length > 0 && Math.abs(mean(known.map(([, value]) => value)) - score) < EQUAL
    ? new Map(known)
    : null;
}

/** The same as two evaluations compared answer by answer; `sign` is −1 where the score counts answers that failed. */
function changeOfShares(
  before: readonly GradeRow[],
  after: readonly GradeRow[],
  sign: 1 | -1,
): ScoreChange | null {
  const { items, change } = comparePaired(before.map(answerOutcome), after.map(answerOutcome));
  if (items === 0) return null;
  const { difference, low, high } = change;
  return {
    // Not −0, which tables would show with a sign.
    value: sign * difference + 0,
    low: sign === 1 ? low : -high,
    high: sign === 1 ? high : -low,
    n: items,
    method: 'paired',
  };
}

function changeOfMeans(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  { unit, suite, score }: Compared['row'],
): ScoreChange | null {
  const pairs = [...before].flatMap(([id, value]): [number, number][] => {
    const other = after.get(id);
    return other === undefined ? [] : [[value, other]];
  });
  if (pairs.length === 0) return null;
  const widest = unit === 'share' ? 1 : spanOf(pairs.flat());
  const interval = stratifiedBootstrap(
    [{ values: pairs.map(([a, b]) => b - a), weight: 1, least: -widest, most: widest }],
    BOOTSTRAP_RESAMPLES,
    SEED,
    'change',
    suite ?? '',
    score ?? '',
  );
  return { value: interval.mean, low: interval.low, high: interval.high, n: pairs.length, method: 'items' };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function spanOf(values: readonly number[]): number {
  const [low, high] = values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  ) as [number, number];
  return high - low;
}
