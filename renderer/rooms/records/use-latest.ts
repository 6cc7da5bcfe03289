import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function that stays the same while what it does follows the newest one: parts that are given it are not drawn again for it. Not to be called while drawing. */
export function useLatest<A extends unknown[]>(act: (...given: A) => void): (...given: A) => void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...given: A) => latest.current(...given), []);
}
