import { z } from 'zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
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

type TourProgress = {
  done: ReadonlySet<Stop>;
  /** What each stop shows at the moment, as the address of its room says it. */
  shown: Partial<Record<Stop, RoomSearch>>;
  finish(stop: Stop): void;
  show(stop: Stop, search: RoomSearch): void;
  forget(): void;
};

export type RoomSearch = Record<string, string | number>;

/** Which stops' actions were performed: kept over a reload, and forgotten with the tab. */
export const useTourProgress = create<TourProgress>()(
  persist(
    (set) => ({
      done: new Set<Stop>(),
      shown: {},
      // Nothing changed, so the state stays the same object: a new one would draw everything again and finish again, for ever.
      finish: (stop) =>
        set((state) => (state.done.has(stop) ? state : { ...state, done: new Set([...state.done, stop]) })),
      show: (stop, search) => set(({ shown }) => ({ shown: { ...shown, [stop]: search } })),
      forget: () => set({ done: new Set() }),
    }),
    {
      name: 'anchor.tour',
      storage: {
        getItem: (name) => {
          const kept = z
            .array(z.enum(STOPS))
            .safeParse(JSON.parse(sessionStorage.getItem(name) ?? '[]') as unknown);
          return { state: { done: new Set(kept.data ?? []) } };
        },
        setItem: (name, { state }) => sessionStorage.setItem(name, JSON.stringify([...state.done])),
        removeItem: (name) => sessionStorage.removeItem(name),
      },
      partialize: ({ done }) => ({ done: new Set(done) }),
    },
  ),
);
