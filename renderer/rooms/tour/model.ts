import { create } from 'zustand';
import type { Phase } from '../../../electron/contract/index.ts';
import type { Api } from '../../data/index.ts';

/** The supervised run of the recording. */
export const SUPERVISED = 'sample-supervised';

export type Coins = Awaited<ReturnType<Api['tour']['coins']['query']>>;

/** What the demo does not show: where a supervisor looks, which items it gets, and what it may not say. */
export const STOPS = ['phases', 'gate', 'leak', 'yours'] as const;
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

type TourProgress = { done: ReadonlySet<Stop>; finish(stop: Stop): void; forget(): void };

/** Which stops' actions were performed in this window; a reload starts again, as a presentation does. */
export const useTourProgress = create<TourProgress>((set) => ({
  done: new Set(),
  // Nothing changed, so the state stays the same object: a new one would draw everything again and finish again, for ever.
  finish: (stop) =>
    set((state) => (state.done.has(stop) ? state : { ...state, done: new Set([...state.done, stop]) })),
  forget: () => set({ done: new Set() }),
}));
