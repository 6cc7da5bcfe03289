import type { EvaluationScore, RunScore, ScoreChange, WireLimit } from '../contract/index.ts';
import { wilsonInterval } from '../core/index.ts';

type Unit = EvaluationScore['unit'];

/** A number of a score in its unit: per cent with a tenth, a suite's own scale with two digits, counts whole. */
export function scoreText(value: number | null, unit: Unit): string {
  if (value === null) return '–';
  if (unit === 'share') return `${(100 * value).toFixed(1)} %`;
  return unit === 'scale' ? value.toFixed(2) : String(Math.round(value));
}

export const intervalText = (low: number | null, high: number | null, unit: Unit): string =>
  low === null || high === null ? '' : ` [${scoreText(low, unit)}, ${scoreText(high, unit)}]`;

/** A share of answers that passed with its own interval: `48.3 % [36.2 %, 60.7 %]`. */
export function shareText({ passed, n }: Pick<RunScore, 'passed' | 'n'>): string {
  const { low, high } = wilsonInterval(passed, n);
  return `${scoreText(n === 0 ? null : passed / n, 'share')}${intervalText(low, high, 'share')}`;
}

/** Stands beside a figure into which a person's overrides went, as the marks of a matrix do. */
export const OVERRIDDEN = ' (overridden)';

const signed = (value: number, unit: Unit): string => {
  const text = unit === 'share' ? (100 * value).toFixed(1) : value.toFixed(2);
  return Number(text) > 0 ? `+${text}` : text.replace('-', '−');
};

/** Statistics behind the differences of a report, as its notes name them. */
export const METHODS: Record<ScoreChange['method'], string> = {
  paired: 'paired by item (Newcombe’s method 10; where an item has several answers they count as one unit)',
  items: 'over the items of both, each drawn again with all its answers: percentile bootstrap of 2,000',
  apart: 'from both intervals, as if the items were not the same',
};

/** A p to three places, and what is smaller as such. */
export const pText = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3));

/** `+31.0 points [+21.0, +40.0], 60 items`. */
export function changeText({ value, low, high, n }: ScoreChange, unit: Unit): string {
  const interval = low === null || high === null ? '' : ` [${signed(low, unit)}, ${signed(high, unit)}]`;
  return `${signed(value, unit)}${unit === 'share' ? ' points' : ''}${interval}${n === null ? '' : `, ${n} items`}`;
}

export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const momentText = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const WHEN: Record<WireLimit['when'], (value: string) => { words: string; short: string }> = {
  below: (value) => ({ words: `below ${value}`, short: `< ${value}` }),
  above: (value) => ({ words: `above ${value}`, short: `> ${value}` }),
  falls: (value) => ({ words: `${value} or lower`, short: `≤ ${value}` }),
  rises: (value) => ({ words: `${value} or higher`, short: `≥ ${value}` }),
};

/** What a tripwire watches for, under a figure and on its line. @param of the runs that have it; null where all have. */
export function limitWords(
  { when, value }: WireLimit,
  of: readonly string[] | null,
): { label: string; short: string } {
  const { words, short } = WHEN[when](scoreText(value, 'share'));
  return { label: `Tripwire${of === null ? '' : ` of ${of.join(', ')}`}: ${words}`, short };
}
