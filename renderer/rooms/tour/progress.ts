import { create } from 'zustand';
import type { Stop } from './model.ts';

type TourProgress = { done: ReadonlySet<Stop>; finish(stop: Stop): void; forget(): void };

/** Which stops' actions were performed in this window; a reload begins anew, as a presentation does. */
export const useTourProgress = create<TourProgress>((set) => ({
  done: new Set(),
  // The same state when nothing changed: a new one would have everything drawn again, and again be told.
  finish: (stop) =>
    set((state) => (state.done.has(stop) ? state : { ...state, done: new Set([...state.done, stop]) })),
  forget: () => set({ done: new Set() }),
}));
