import type { EvaluationRecord, LiveEvent } from '../../contract/index.ts';
import { recordHead, reviewHead } from '../live/live-heads.ts';
import type { RecordedStep, Recording } from '../../experiments/index.ts';

/** Something that happened in the recording: told, stored, or a run's beginning or end. */
export type Happening =
  | { kind: 'begin'; runId: string }
  | { kind: 'tell'; event: LiveEvent }
  | { kind: 'commit'; step: RecordedStep }
  | { kind: 'end'; runId: string }
  | { kind: 'evaluation'; evaluation: EvaluationRecord };

/** `atMs` counts from the beginning of the recording. */
export type Moment = { atMs: number; happening: Happening };

/** Which step of which run a moment belongs to; null for what belongs to none. Moments of stored steps are not played again. */
export const stepOf = ({ happening }: Moment): { runId: string; step: number } | null => {
  if (happening.kind === 'commit')
    return { runId: happening.step.runId, step: happening.step.commit.step.step };
  if (happening.kind !== 'tell') return null;
  const { event } = happening;
  if (event.kind === 'progress') return { runId: event.runId, step: event.step };
  if (event.kind === 'record') return { runId: event.runId, step: event.record.step };
  return event.kind === 'review' ? { runId: event.runId, step: event.review.step } : null;
};

/** Everything of a recording in the order in which it happened. Ties keep the order of the pieces: a step's events before its commit. */
export function timelineOf(recording: Recording): { beganMs: number; moments: Moment[]; lengthMs: number } {
  const starts = recording.steps.map(({ commit }) => Date.parse(commit.step.startedAt));
  const beganMs = Math.min(...recording.runs.map(({ createdAt }) => Date.parse(createdAt)), ...starts);
  const moments: Moment[] = [];
  for (const { id, createdAt, config } of recording.runs) {
    const own = recording.steps.filter(({ runId }) => runId === id);
    moments.push({ atMs: Date.parse(createdAt) - beganMs, happening: { kind: 'begin', runId: id } });
    for (const step of own) moments.push(...momentsOfStep(step, config.steps, beganMs));
    const last = own.at(-1);
    if (last !== undefined)
      moments.push({
        atMs: Date.parse(last.commit.step.finishedAt) - beganMs,
        happening: { kind: 'end', runId: id },
      });
  }
  for (const evaluation of recording.evaluations)
    moments.push({
      atMs: Math.max(0, Date.parse(evaluation.createdAt) - beganMs),
      happening: { kind: 'evaluation', evaluation },
    });
  moments.sort((a, b) => a.atMs - b.atMs);
  return { beganMs, moments, lengthMs: moments.at(-1)?.atMs ?? 0 };
}

/**
 * The moments of one step. Reviews carry their time; of records only the step's generation time is stored, so they are spread
 * evenly over it, as a continuous batch hands them out.
 */
function momentsOfStep(recorded: RecordedStep, steps: number, beganMs: number): Moment[] {
  const { runId, commit } = recorded;
  const { step, startedAt, finishedAt, timings } = commit.step;
  const from = Date.parse(startedAt) - beganMs;
  const to = Date.parse(finishedAt) - beganMs;
  const within = (ms: number): number => Math.min(Math.max(ms, from), to);
  const generating = 1000 * ((timings['prompts'] ?? 0) + (timings['gen'] ?? 0));
  const estimating = 1000 * (timings['estimate'] ?? 0);
  const progress = (atMs: number, stage: string, done: number, total: number): Moment => ({
    atMs: within(atMs),
    happening: {
      kind: 'tell',
      event: {
        kind: 'progress',
        runId,
        step,
        steps,
        stage,
        done,
        total,
        unit: 'step',
        ratePerSecond: null,
        etaSeconds: null,
      },
    },
  });
  const trained = commit.rollouts.filter(({ purpose }) => purpose !== 'estimate');
  const records = trained.flatMap((rollout, index): Moment[] => {
    const atMs = within(from + (generating * (index + 1)) / trained.length);
    return [
      { atMs, happening: { kind: 'tell', event: { kind: 'record', runId, record: recordHead(rollout) } } },
      progress(atMs, 'generate', index + 1, trained.length),
    ];
  });
  const reviews = commit.reviews.map((review): Moment => ({
    atMs: within(Date.parse(review.createdAt) - beganMs),
    happening: { kind: 'tell', event: { kind: 'review', runId, review: reviewHead(review) } },
  }));
  return [
    progress(from, 'generate', 0, trained.length),
    ...records,
    ...reviews,
    progress(from + generating, 'estimate', 0, 1),
    progress(from + generating + estimating, 'update', 0, 1),
    { atMs: to, happening: { kind: 'commit', step: recorded } },
  ];
}
