import type { Lab } from '../../store/index.ts';

/** A run step by step: what its timeline and its curves are drawn from. Every array has one entry per committed step. */
export type RunCourse = {
  steps: number[];
  /** Seconds by sub-phase; null where a step did not have one. `step` is the whole. */
  timings: Record<string, (number | null)[]>;
  /** Reviews that were answered, and items they sent back. */
  reviews: number[];
  retries: number[];
};

export function courseOf(store: Lab, runId: string): RunCourse {
  const series = store.metricSeries(runId, store.metricNames(runId, 'timing'), { kind: 'timing' });
  const steps = (series['step'] ?? []).map(({ step }) => step);
  const decisions = new Map(store.stepDecisions(runId).map((each) => [each.step, each]));
  return {
    steps,
    timings: Object.fromEntries(
      Object.entries(series).map(([name, points]) => [name, alongSteps(steps, points)]),
    ),
    reviews: steps.map((step) => decisions.get(step)?.reviews ?? 0),
    retries: steps.map((step) => decisions.get(step)?.retries ?? 0),
  };
}

/** Values of metrics along the same steps; null where a step did not have one. */
export function metricsAlong(
  store: Lab,
  runId: string,
  steps: readonly number[],
  names: readonly string[],
): Record<string, (number | null)[]> {
  return Object.fromEntries(
    Object.entries(store.metricSeries(runId, names)).map(([name, points]) => [
      name,
      alongSteps(steps, points),
    ]),
  );
}

function alongSteps(
  steps: readonly number[],
  points: readonly { step: number; mean: number }[],
): (number | null)[] {
  const values = new Map(points.map(({ step, mean }) => [step, mean]));
  return steps.map((step) => values.get(step) ?? null);
}
