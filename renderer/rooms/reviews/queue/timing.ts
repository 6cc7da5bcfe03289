import { useEffect, useState } from 'react';

/** A pause longer than this is a break, not work on an item. */
const BREAK_S = 600;
const RECENT = 10;
/** Fewer answers than this say nothing about the pace. */
const LEAST = 3;

/** Seconds per answer: the median of the last ten gaps between answers, breaks left out; null until there are three gaps. */
export function paceOf(answeredAtSeconds: readonly number[]): number | null {
  const gaps = answeredAtSeconds
    .slice(1)
    .map((at, index) => at - (answeredAtSeconds[index] ?? at))
    .filter((gap) => gap > 0 && gap <= BREAK_S)
    .slice(-RECENT);
  if (gaps.length < LEAST) return null;
  const sorted = gaps.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? null)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** `4:12` or `1:02:09`; never negative. */
export function countdownText(milliseconds: number): string {
  const whole = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** How long each item was in front of the person, all visits of one page together. Times are seconds of any steady clock. */
export class Dwell {
  readonly #spent = new Map<string, number>();
  #key: string | null = null;
  #since = 0;

  /** Another item is in front of the person from now on, or none. */
  visit(key: string | null, now: number): void {
    if (this.#key !== null) this.#spent.set(this.#key, this.of(this.#key, now));
    this.#key = key;
    this.#since = now;
  }

  of(key: string, now: number): number {
    return (this.#spent.get(key) ?? 0) + (key === this.#key ? now - this.#since : 0);
  }
}

const now = (): number => performance.now() / 1000;

/** Seconds an item was in front of the person since the page was opened. */
export function useDwell(current: string | null): (key: string) => number {
  const [dwell] = useState(() => new Dwell());
  useEffect(() => {
    dwell.visit(current, now());
    return () => dwell.visit(null, now());
  }, [dwell, current]);
  return (key) => dwell.of(key, now());
}
