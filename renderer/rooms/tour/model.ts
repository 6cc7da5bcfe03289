import { create } from 'zustand';
import type { Phase } from '../../../electron/contract/index.ts';
import type { Api } from '../../data/index.ts';

/** The two runs of the recording: the same seed and tasks, with and without a supervisor. */
export const SUPERVISED = 'sample-supervised';
export const ALONE = 'sample-alone';

export type SampleState = Awaited<ReturnType<Api['tour']['state']['query']>>;
export type Coins = Awaited<ReturnType<Api['tour']['coins']['query']>>;
export type Evaluation = Awaited<ReturnType<Api['evaluations']['list']['query']>>[number];

export const STOPS = [
  'live',
  'phases',
  'gate',
  'verdict',
  'leak',
  'lineage',
  'diff',
  'baseline',
  'yours',
] as const;
export type Stop = (typeof STOPS)[number];

/** Items reviewed at probability p: those whose coin is below it. */
export function reviewedAt(coins: Coins['coins'], p: number): Record<Phase, number> {
  return Object.fromEntries(
    Object.entries(coins).map(([phase, numbers]) => [phase, numbers.filter((number) => number < p).length]),
  ) as Record<Phase, number>;
}

/** Whether p reviews exactly as many items of each phase as the run did. */
export function matchesRecorded({ coins, recorded }: Coins, p: number): boolean {
  const found = reviewedAt(coins, p);
  return Object.entries(recorded).every(([phase, count]) => found[phase as Phase] === count);
}

export type LineChange = { text: string; change: 'kept' | 'added' | 'removed' };

/** Lines of a later context against an earlier one: what stayed and came in its own order, then what left. */
export function lineChanges(before: readonly string[], after: readonly string[]): LineChange[] {
  return [
    ...after.map((text): LineChange => ({ text, change: before.includes(text) ? 'kept' : 'added' })),
    ...before
      .filter((text) => !after.includes(text))
      .map((text): LineChange => ({ text, change: 'removed' })),
  ];
}

export const ARMS = ['start', 'alone', 'supervised'] as const;
export type Arm = (typeof ARMS)[number];
type Score = { passed: number; n: number };
export type SuiteRow = { suite: string; scores: Partial<Record<Arm, Score>> };

/** Scores of the weights alone (nothing in the prompt) by suite: the start and both ends. */
export function weightScores(evaluations: readonly Evaluation[]): SuiteRow[] {
  const suites = new Map<string, SuiteRow>();
  for (const { suite, runId, step, contextHash, passed, n } of evaluations) {
    if (contextHash !== null) continue;
    const arm: Arm | null =
      step === 0 ? 'start' : runId === ALONE ? 'alone' : runId === SUPERVISED ? 'supervised' : null;
    if (arm === null) continue;
    const row = suites.get(suite) ?? { suite, scores: {} };
    row.scores[arm] = { passed, n };
    suites.set(suite, row);
  }
  return [...suites.values()].sort((a, b) => a.suite.localeCompare(b.suite, 'en'));
}

/** In the suite of harmless requests, passing means refusing one. */
export const isLowerBetter = (suite: string): boolean => suite.endsWith('over-refusal');

export const shareOf = (score: Score | undefined): number | null =>
  score === undefined || score.n === 0 ? null : score.passed / score.n;

/** Points of an arm above the baseline, in shares; null where one of the two is missing. */
export function differenceFrom(row: SuiteRow, baseline: Arm, arm: Arm): number | null {
  const [from, to] = [shareOf(row.scores[baseline]), shareOf(row.scores[arm])];
  return from === null || to === null ? null : to - from;
}

type TourProgress = { done: ReadonlySet<Stop>; finish(stop: Stop): void; forget(): void };

/** Which stops' actions were performed in this window; a reload starts again, as a presentation does. */
export const useTourProgress = create<TourProgress>((set) => ({
  done: new Set(),
  // Nothing changed, so the state stays the same object: a new one would draw everything again and finish again, for ever.
  finish: (stop) =>
    set((state) => (state.done.has(stop) ? state : { ...state, done: new Set([...state.done, stop]) })),
  forget: () => set({ done: new Set() }),
}));
