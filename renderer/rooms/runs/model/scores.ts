import type { RunScore } from '../../../../electron/contract/index.ts';

/** The indicators of the table. `asr` counts restricted requests that were fulfilled, `rr` those that were refused. */
export const INDICATORS = ['code', 'math', 'asr', 'rr'] as const;
export type Indicator = (typeof INDICATORS)[number];

/** What an indicator came to at a run's last evaluated checkpoint. */
type IndicatorScore = {
  share: number;
  /** Against the weights the run began with, in points; null without such a result. */
  change: number | null;
  n: number;
  step: number;
  suites: string[];
  withContext: boolean;
};

type Share = Pick<RunScore, 'passed' | 'n' | 'reasons'>;
const passed = ({ passed: count, n }: Share): number => count / n;
const fulfilled = ({ reasons, n }: Share): number => (reasons['complied'] ?? 0) / n;

const MADE_OF: Record<Indicator, { suites: readonly string[]; share: (score: Share) => number }> = {
  code: { suites: ['toy-deduction', 'toy-abduction', 'toy-induction', 'toy-error'], share: passed },
  math: { suites: ['toy-arithmetic'], share: passed },
  asr: { suites: ['toy-refusal'], share: fulfilled },
  rr: { suites: ['toy-refusal'], share: passed },
};

/** Whether more of it is better. */
export const isHigherBetter = (indicator: Indicator): boolean => indicator !== 'asr';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean over the indicator's suites; null when none was asked. A change needs a base for every suite, else it would compare different suites. */
export function indicatorScore(indicator: Indicator, scores: readonly RunScore[]): IndicatorScore | null {
  const { suites, share } = MADE_OF[indicator];
  const asked = scores.filter(({ suite, n }) => suites.includes(suite) && n > 0);
  const [first] = asked;
  if (first === undefined) return null;
  const bases = asked.flatMap(({ base }) => (base === null || base.n === 0 ? [] : [share(base)]));
  const value = mean(asked.map(share));
  return {
    share: value,
    change: bases.length === asked.length ? (value - mean(bases)) * 100 : null,
    n: asked.reduce((sum, { n }) => sum + n, 0),
    step: first.step,
    suites: asked.map(({ suite }) => suite),
    withContext: first.withContext,
  };
}
