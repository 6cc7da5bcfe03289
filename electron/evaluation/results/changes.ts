import {
  figureOf,
  type EvaluationSummary,
  type MatrixCell,
  type MatrixRow,
  type ScoreChange,
} from '../../contract/index.ts';
import {
  BOOTSTRAP_RESAMPLES,
  pairedCounts,
  pairedDifferenceInterval,
  stratifiedBootstrap,
} from '../../core/index.ts';
import { hasPassed, hasVerdict } from '../suites/scores.ts';
import type { GradeRow } from '../suites/graded-suite.ts';
import { correctedRows } from './compare.ts';
import type { EvaluationReads } from './reads.ts';

/** Names the draws, so that a table is the same whenever it is made. */
const SEED = 1;
const EQUAL = 1e-9;

type Compared = { row: Pick<MatrixRow, 'unit' | 'suite' | 'score'>; before: MatrixCell; after: MatrixCell };

/**
 * How a cell differs from another of its row, people's overrides in the verdicts' place. Where the score is a mean over items and both
 * asked items of the same names, they are paired, and an item counts once however many answers it was given. Null where either has no value.
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
      itemValues(correctedRows(store, earlier.id), from.value),
      itemValues(correctedRows(store, later.id), to.value),
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

/** What an answer brings to a score that is a mean; which of them it is shows in the mean. */
const READINGS: ((row: GradeRow) => number | null)[] = [
  (row) => (hasPassed(row) ? 1 : 0),
  (row) => (hasPassed(row) ? 0 : 1),
  ({ grade }) => grade.score,
];

/** The score's value of each item, in the items' order; null where the score is no mean over items. */
function itemValues(rows: readonly GradeRow[], score: number): Map<string, number> | null {
  const items = [...Map.groupBy(rows.filter(hasVerdict), ({ itemId }) => itemId)];
  for (const reading of READINGS) {
    const values = items.map(([id, own]): [string, number | null] => {
      const read = own.map(reading).filter((value) => value !== null);
      return [id, read.length === 0 ? null : mean(read)];
    });
    const known = values.filter((one): one is [string, number] => one[1] !== null);
    if (known.length > 0 && Math.abs(mean(known.map(([, value]) => value)) - score) < EQUAL)
      return new Map(known);
  }
  return null;
}

function pairedChange(
  before: ReadonlyMap<string, number> | null,
  after: ReadonlyMap<string, number> | null,
  { unit, suite, score }: Compared['row'],
): ScoreChange | null {
  if (before === null || after === null) return null;
  const pairs = [...before].flatMap(([id, value]): [number, number][] => {
    const other = after.get(id);
    return other === undefined ? [] : [[value, other]];
  });
  if (pairs.length === 0) return null;
  const [firsts, seconds] = [pairs.map(([value]) => value), pairs.map(([, value]) => value)];
  const isSettled = (value: number): boolean => value === 0 || value === 1;
  if (unit === 'share' && firsts.every(isSettled) && seconds.every(isSettled)) {
    const counts = pairedCounts(
      firsts.map((value) => value === 1),
      seconds.map((value) => value === 1),
    );
    const { difference, low, high } = pairedDifferenceInterval(counts);
    return { value: difference, low, high, n: pairs.length, method: 'paired' };
  }
  const widest = unit === 'share' ? 1 : spanOf([...firsts, ...seconds]);
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
