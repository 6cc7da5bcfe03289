import { useSyncExternalStore } from 'react';

/**
 * Where the crosshair stands. It moves with the mouse, so it lives beside the figure's state: only what shows the values under it
 * is drawn again.
 */
export type Cursor = {
  get: () => number | null;
  set: (x: number | null) => void;
  subscribe: (listener: () => void) => () => void;
};

export function makeCursor(): Cursor {
  let at: number | null = null;
  const listeners = new Set<() => void>();
  return {
    get: () => at,
    set: (x) => {
      if (x === at) return;
      at = x;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The x of the crosshair; null while there is none. */
export const useCursor = (cursor: Cursor): number | null =>
  useSyncExternalStore(cursor.subscribe, cursor.get);
