import { useEffect, useState } from 'react';

/** Seconds since `key` became what it is; counts only while `isOn`. */
export function useElapsed(key: string, isOn: boolean): number {
  const [state, setState] = useState({ key, seconds: 0 });
  useEffect(() => {
    if (!isOn) return;
    const started = performance.now();
    const timer = window.setInterval(
      () => setState({ key, seconds: Math.round((performance.now() - started) / 1000) }),
      1000,
    );
    return () => window.clearInterval(timer);
  }, [key, isOn]);
  return state.key === key && isOn ? state.seconds : 0;
}

/** The time of day in milliseconds, every second while `isOn`. */
export function useNow(isOn: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isOn) return;
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [isOn]);
  return now;
}
