import { shownOnTerminal } from '../core/index.ts';

/** A plain-text table: first column left, the others right aligned, two spaces apart. Rows may be shorter than the head. */
export function renderTable(head: readonly string[], rowsAsGiven: readonly (readonly string[])[]): string {
  const rows = rowsAsGiven.map((row) => row.map(shownOnTerminal));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, column) =>
        column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
      )
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** `12.3 MB` with three digits at most. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `45 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

/** Stands beside a figure into which a person's overrides went. */
export const OVERRIDDEN = 'o';

export const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;
