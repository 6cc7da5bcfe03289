import {
  figureOf,
  type EvaluationScore,
  type MatrixCell,
  type ScoreChange,
} from '../../../electron/contract/index.ts';
import { percentText } from '../../ui/index.ts';

type Unit = EvaluationScore['unit'];

/** A score as a table shows it: shares as per cent, scales with two digits, counts whole. */
export function scoreText(value: number | null, unit: Unit): string {
  if (value === null || !Number.isFinite(value)) return '–';
  if (unit === 'share') return percentText(value);
  return unit === 'scale' ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}

/** An interval in brackets, in per cent for shares: it is not symmetric near its ends. Null where there is none. */
export function intervalText(low: number | null, high: number | null, unit: Unit): string | null {
  if (low === null || high === null) return null;
  const bound = (value: number): string => (unit === 'share' ? (value * 100).toFixed(1) : value.toFixed(2));
  return `[${bound(low)}–${bound(high)}]`;
}

/** A change with its sign, in points for shares: +4.2, −0.31, ±0.0. The minus is as wide as a digit. */
export function changeText(change: number, unit: Unit): string {
  const text = distanceText(change, unit);
  if (Number(text.replaceAll(',', '')) === 0) return `±${text}`;
  return (change > 0 ? '+' : '−') + text;
}

/** The interval of a change in brackets, with the signs of its ends; null where there is none. */
export const changeIntervalText = (
  { low, high }: Pick<ScoreChange, 'low' | 'high'>,
  unit: Unit,
): string | null =>
  low === null || high === null ? null : `[${changeText(low, unit)}, ${changeText(high, unit)}]`;

/** How far a score moved, without direction. */
function distanceText(change: number, unit: Unit): string {
  if (unit === 'share') return Math.abs(change * 100).toFixed(1);
  return unit === 'scale' ? Math.abs(change).toFixed(2) : Math.abs(Math.round(change)).toLocaleString('en');
}

type Tone = 'good' | 'bad' | 'same' | 'plain';

/** Whether a change is for the better; plain where the score knows no better. */
export function toneOf(change: number, better: EvaluationScore['better'], unit: Unit): Tone {
  if (changeText(change, unit).startsWith('±')) return 'same';
  if (better === 'neither') return 'plain';
  return change > 0 === (better === 'higher') ? 'good' : 'bad';
}

/** Shown beside every change, so that colour is never alone. */
export const DIRECTIONS = { up: '▲', down: '▼', same: '·' } as const;
export function directionOf(change: number, unit: Unit): keyof typeof DIRECTIONS {
  if (changeText(change, unit).startsWith('±')) return 'same';
  return change > 0 ? 'up' : 'down';
}

/** P as papers print it. */
export const chanceText = (p: number): string => (p < 0.001 ? '< 0.001' : `= ${p.toFixed(3)}`);

/** What a person's overrides made of a cell where there are any, else what the graders said. */
export const valueOf = (cell: MatrixCell | null | undefined): number | null =>
  cell == null ? null : figureOf(cell).value;

/** Marks under which two numbers are not of the same measurement. */
const INCOMPARABLE = ['judge', 'protocol', 'items', 'rules'] as const;
export const isIncomparable = ({ marks }: MatrixCell): boolean =>
  INCOMPARABLE.some((mark) => marks.includes(mark));
