import { useEffect, useState } from 'react';
import { Dwell } from '../model/dwell.ts';

const now = (): number => performance.now() / 1000;

/** Seconds an item was in front of the person since the page was opened. */
export function useDwell(current: string | null): (key: string) => number {
  const [dwell] = useState(() => new Dwell());
  useEffect(() => {
    dwell.look(current, now());
    return () => dwell.look(null, now());
  }, [dwell, current]);
  return (key) => dwell.of(key, now());
}
