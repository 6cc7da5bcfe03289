import type { Lab } from '../store/index.ts';
import { FEED_LINES, type RecordHead, type ReviewHead } from '../contract/index.ts';
import { recordHead, reviewHead } from './live-feed.ts';

/** A run step by step: what its timeline and its curves are drawn from. Every array has one entry per committed step. */
export type RunTimeline = {
  steps: number[];
  /** Seconds by sub-phase; null where a step did not have one. `step` is the whole. */
  timings: Record<string, (number | null)[]>;
  /** Reviews that were answered, and items they sent back. */
  reviews: number[];
  retries: number[];
};

export function timelineOf(store: Lab, runId: string): RunTimeline {
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

/** Rows of a feed, as their events had them, and when each was there; null for a response that was stored before this was kept. */
export type FeedHeads = {
  records: { at: string | null; record: RecordHead }[];
  reviews: { at: string; review: ReviewHead }[];
  /** First step that is here in full; later than asked when there was too much. */
  fromStep: number;
  toStep: number;
};

/**
 * Rollouts and reviews of the newest steps within [fromStep, toStep], whole steps only, at least one, until they make FEED_LINES lines: one
 * for every review, and one for every response that nobody reviewed. Estimates are left out, as events leave them out.
 */
export function feedHeads(store: Lab, runId: string, fromStep: number, toStep: number): FeedHeads {
  const heads: FeedHeads = { records: [], reviews: [], fromStep: toStep, toStep };
  let lines = 0;
  // A caller may ask for more steps than there will ever be.
  const newest = Math.min(toStep, store.requireRun(runId).committedSteps);
  for (let step = newest; step >= Math.max(1, fromStep); step -= 1) {
    const times = new Map(store.listGenerations(runId, step).map(({ rolloutId, at }) => [rolloutId, at]));
    const rollouts = store.listRollouts(runId, step).filter(({ purpose }) => purpose !== 'estimate');
    const reviews = store.listReviews(runId, step);
    const reviewed = new Set(reviews.map(({ rolloutId }) => rolloutId));
    heads.records.unshift(
      ...rollouts.map((rollout) => ({ at: times.get(rollout.id) ?? null, record: recordHead(rollout) })),
    );
    heads.reviews.unshift(...reviews.map((review) => ({ at: review.createdAt, review: reviewHead(review) })));
    heads.fromStep = step;
    lines += reviews.length + rollouts.filter(({ id }) => !reviewed.has(id)).length;
    if (lines >= FEED_LINES) break;
  }
  return heads;
}
