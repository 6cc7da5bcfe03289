import { BATCHES, type BatchSpec, type BatchStatistics } from '../../../contract/index.ts';
import type { Issue } from '../../reviewers/answers.ts';
import { execOf, type PairMaker, type PairMaking } from '../pair.ts';

/** Responses of a batch; the longer item is the larger batch. */
const SIZE = { short: 16, long: 128 } as const;
/** How many in eight Monte-Carlo answers solved a proposal. */
const ESTIMATES = 8;

const share = (n: number, part: number): number => Math.round(n * part);

/** A batch in which nothing stands out: half of it passes, and little else happens. */
function usual(n: number, proposals: boolean): BatchStatistics {
  const histogram = Array.from({ length: ESTIMATES + 1 }, () => 0);
  if (proposals) {
    histogram[3] = share(n, 0.25);
    histogram[4] = share(n, 0.25);
    histogram[5] = share(n, 0.25);
  }
  return {
    n,
    passed: share(n, 0.5),
    invalid: proposals ? share(n, 0.06) : 0,
    formatFailures: share(n, 0.06),
    timeouts: 0,
    solveRateHistogram: proposals ? histogram : [],
  };
}

function withAccuracy(usually: BatchStatistics, accuracy: number): BatchStatistics {
  const { n, solveRateHistogram } = usually;
  if (solveRateHistogram.length === 0) return { ...usually, passed: share(n, accuracy) };
  const estimated = solveRateHistogram.reduce((sum, count) => sum + count, 0);
  const bin = Math.round(accuracy * ESTIMATES);
  return { ...usually, solveRateHistogram: solveRateHistogram.map((_, at) => (at === bin ? estimated : 0)) };
}

const DEFECTS = {
  format_failures: (usually) => ({ ...usually, formatFailures: share(usually.n, 0.42) }),
  timeouts: (usually) => ({ ...usually, timeouts: share(usually.n, 0.25) }),
  low_accuracy: (usually) => withAccuracy(usually, 0.1),
  high_accuracy: (usually) => withAccuracy(usually, 0.92),
} as const satisfies Partial<Record<Issue, (usually: BatchStatistics) => BatchStatistics>>;

const OF_KIND: readonly { kind: string; batches: readonly BatchSpec[] }[] = [
  { kind: 'solutions', batches: BATCHES.filter(({ judgedBy }) => judgedBy === 'pass-rate') },
  { kind: 'proposals', batches: BATCHES.filter(({ judgedBy }) => judgedBy === 'solve-rate') },
];

/** A batch in which one count stands out, or none does. */
function batchPair(issue: keyof typeof DEFECTS, { draw, length, turn }: PairMaking): ReturnType<PairMaker> {
  const { kind, batches } = OF_KIND[turn % OF_KIND.length] as (typeof OF_KIND)[number];
  const { name, role, taskType } = draw.pick(batches);
  const usually = usual(SIZE[length], kind === 'proposals');
  return Promise.resolve({
    kind,
    carries: execOf(name, role, taskType, DEFECTS[issue](usually)),
    control: execOf(name, role, taskType, usually),
  });
}

export const BATCH_PAIRS = {
  format_failures: (making) => batchPair('format_failures', making),
  timeouts: (making) => batchPair('timeouts', making),
  low_accuracy: (making) => batchPair('low_accuracy', making),
  high_accuracy: (making) => batchPair('high_accuracy', making),
} as const satisfies Partial<Record<Issue, PairMaker>>;
