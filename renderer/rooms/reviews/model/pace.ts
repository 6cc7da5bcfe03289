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
