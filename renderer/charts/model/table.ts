import { align, type CurveSeries } from './series.ts';

/** A figure's numbers: what its table twin shows and what its CSV holds. */
export type ChartTable = { columns: string[]; rows: (string | number | null)[][] };

/** One row per x, one column per series; null where there is no value. */
export function tableOf(series: readonly CurveSeries[], xLabel: string): ChartTable {
  const { x, columns } = align(series);
  return {
    columns: [xLabel, ...series.map(({ label }) => label)],
    rows: x.map((value, at) => [value, ...columns.map((column) => column[at] ?? null)]),
  };
}

/** Comma-separated, RFC 4180; numbers in full. */
export function csvOf({ columns, rows }: ChartTable): string {
  return [columns, ...rows].map((row) => row.map(csvField).join(',')).join('\r\n') + '\r\n';
}

function csvField(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
