import type { Lab } from '../store/index.ts';
import type { Phase, ReviewStatus } from '../contract/index.ts';

/**
 * The sub-phases of a step in the order they are taken, by the names of its timings. Where decisions are enforced, part of the wait for
 * reviews came before items were taken again; it is stored as one sum and stands in one place.
 */
const PARTS = [
  'prompts',
  'gen',
  'retry',
  'estimate',
  'update_actor',
  'supervise_wait',
  'context',
  'save_checkpoint',
] as const;

/** A span of a step in seconds since it began. */
type Span = { from: number; to: number };

export type StepInside = {
  step: number;
  seconds: number;
  parts: (Span & { part: (typeof PARTS)[number] })[];
  /** Each review from its question to its answer; one that was passed over took no time and is not among them. */
  reviews: (Span & { phase: Phase; status: ReviewStatus })[];
  /** When trained responses were complete, ascending; empty for steps that were stored before this was kept. */
  answered: number[];
  /** Whether part of the wait for reviews came before `retry`. */
  isWaitSplit: boolean;
};

/** Where the time of a stored step went; null while it is not stored. */
export function stepInside(store: Lab, runId: string, step: number): StepInside | null {
  const record = store.getStep(runId, step);
  if (record === null) return null;
  const { timings, startedAt } = record;
  const began = Date.parse(startedAt);
  const seconds = timings['step'] ?? 0;
  const since = (iso: string): number => Math.max(0, (Date.parse(iso) - began) / 1000);
  let at = 0;
  const parts = PARTS.map((part) => {
    const from = at;
    at += timings[part] ?? 0;
    return { part, from, to: at };
  }).filter(({ from, to }) => to > from);
  const trained = new Set(
    store
      .listRollouts(runId, step)
      .filter(({ reward }) => reward !== null)
      .map(({ id }) => id),
  );
  return {
    step,
    seconds,
    parts,
    reviews: store
      .listReviews(runId, step)
      .filter(({ status }) => status !== 'skipped-by-budget')
      .map(({ phase, status, createdAt, milliseconds }) => {
        const to = since(createdAt);
        return { phase, status, from: Math.max(0, to - milliseconds / 1000), to };
      }),
    answered: store
      .listGenerations(runId, step)
      .filter(({ rolloutId }) => trained.has(rolloutId))
      .map((one) => since(one.at))
      .sort((a, b) => a - b),
    isWaitSplit:
      store.requireRun(runId).config.supervision.retry === 'enforce' && (timings['retry'] ?? 0) > 0,
  };
}
