import { useEffect, useRef, useState } from 'react';

/** The value, passed on at most once per `milliseconds`; the last one always arrives. */
export function useThrottled<T>(value: T, milliseconds: number): T {
  const [shown, setShown] = useState(value);
  const lastAt = useRef(-Infinity);
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + milliseconds - performance.now());
    const timer = window.setTimeout(() => {
      lastAt.current = performance.now();
      setShown(value);
    }, wait);
    return () => window.clearTimeout(timer);
  }, [value, milliseconds]);
  return shown;
}
