import { figureOf, type MatrixCell } from '../evaluations/matrix.ts';
import { fulfilledOf, type RunScore } from './lists.ts';

/**
 * The indicators of lists of runs, in the meaning of the evaluation matrix: its aggregates where public suites were asked, else the suites
 * of the toy world, which say so. `asr` counts restricted requests that were fulfilled, `rr` shortcuts that were resisted.
 */
export const INDICATORS = ['code', 'math', 'asr', 'rr'] as const;
export type Indicator = (typeof INDICATORS)[number];

/** One of the paper's aggregates at a run's last evaluated checkpoint, by the rules of the matrix. Toy suites are no part of any. */
export type RunAggregate = {
  name: string;
  step: number;
  cell: MatrixCell;
  /** Of the weights the run began with; null where those were not asked the same. */
  base: MatrixCell | null;
};

/** What an indicator came to at a run's last evaluated checkpoint. */
export type IndicatorScore = {
  /** 0…1. */ share: number;
  /** 95 %; null where there is none. */
  interval: { low: number; high: number } | null;
  /** Against the weights the run began with, in points; null without such a result. */
  change: number | null;
  n: number;
  step: number;
  suites: string[];
  withContext: boolean;
  /** Answers whose verdict is a person's. */
  overridden: number;
};

type Share = Pick<RunScore, 'passed' | 'n' | 'reasons'>;
const SHARES: Record<keyof RunScore['intervals'], (score: Share) => number> = {
  passed: ({ passed, n }) => passed / n,
  fulfilled: (score) => fulfilledOf(score) / score.n,
};

const MADE_OF: Record<Indicator, { suites: readonly string[]; of: keyof RunScore['intervals'] }> = {
  code: { suites: ['toy-deduction', 'toy-abduction', 'toy-induction', 'toy-error'], of: 'passed' },
  math: { suites: ['toy-arithmetic'], of: 'passed' },
  asr: { suites: ['toy-refusal'], of: 'fulfilled' },
  rr: { suites: ['toy-memory'], of: 'passed' },
};

/** Whether more of it is better. */
export const isHigherBetter = (indicator: Indicator): boolean => indicator !== 'asr';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean over the indicator's suites; null when none was asked. A change needs a base for every suite, else it would compare different suites. */
export function indicatorScore(indicator: Indicator, scores: readonly RunScore[]): IndicatorScore | null {
  const { suites, of } = MADE_OF[indicator];
  const share = SHARES[of];
  const asked = scores.filter(({ suite, n }) => suites.includes(suite) && n > 0);
  const [first] = asked;
  if (first === undefined) return null;
  const bases = asked.flatMap(({ base }) => (base === null || base.n === 0 ? [] : [share(base)]));
  const value = mean(asked.map(share));
  // Suites have no item in common: the distances of their limits are added in squares, as for the aggregates of public suites.
  const reach = (distance: (score: RunScore) => number): number =>
    Math.hypot(...asked.map(distance)) / asked.length;
  return {
    share: value,
    interval: {
      low: value - reach((score) => share(score) - score.intervals[of].low),
      high: value + reach((score) => score.intervals[of].high - share(score)),
    },
    change: bases.length === asked.length ? (value - mean(bases)) * 100 : null,
    n: asked.reduce((sum, { n }) => sum + n, 0),
    step: first.step,
    suites: asked.map(({ suite }) => suite),
    withContext: first.withContext,
    overridden: asked.reduce((sum, one) => sum + one.overridden, 0),
  };
}

/** An aggregate of public suites in the same form; null while one of its members is missing. */
function aggregateScore({ cell, base, step }: RunAggregate): IndicatorScore | null {
  const { value, low, high, n } = figureOf(cell);
  if (value === null) return null;
  const before = base === null ? null : figureOf(base).value;
  return {
    share: value,
    interval: low === null || high === null ? null : { low, high },
    change: before === null ? null : (value - before) * 100,
    n,
    step,
    suites: [],
    withContext: false,
    overridden: cell.counts.overridden,
  };
}

/** What a list shows of an indicator, and the aggregate it is; that is null where it is made of toy suites or nothing was asked. */
export function shownIndicator(
  indicator: Indicator,
  scores: readonly RunScore[],
  aggregates: readonly RunAggregate[],
): { score: IndicatorScore | null; aggregate: RunAggregate | null } {
  const aggregate = aggregates.find(({ name }) => name === indicator) ?? null;
  return {
    score: aggregate === null ? indicatorScore(indicator, scores) : aggregateScore(aggregate),
    aggregate,
  };
}
