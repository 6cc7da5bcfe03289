import { cpus, loadavg } from 'node:os';

/** One budget and what was measured against it. */
export type Measured = {
  name: string;
  unit: string;
  budget: number;
  /** Whether smaller or larger is better. */
  better: 'less' | 'more';
  values: readonly number[];
  /** The figure that is held against the budget. */
  heldBy: 'median' | 'p95' | 'p5' | 'worst';
  note?: string;
};

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN;
}

export function heldFigure({ heldBy, values, better }: Measured): number {
  switch (heldBy) {
    case 'median':
      return quantile(values, 0.5);
    case 'p95':
      return quantile(values, 0.95);
    case 'p5':
      return quantile(values, 0.05);
    case 'worst':
      return better === 'less' ? Math.max(...values) : Math.min(...values);
  }
}

export function isWithin(measured: Measured): boolean {
  const figure = heldFigure(measured);
  return measured.better === 'less' ? figure <= measured.budget : figure >= measured.budget;
}

const digits = (value: number): string =>
  Number.isNaN(value) ? '–' : Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(1);

/** The table a person reads; the column "held" says which figure the budget is about. */
export function table(all: readonly Measured[]): string {
  const rows = [
    ['measured', 'unit', 'n', 'median', 'p95', 'worst', 'budget', 'held', 'within'],
    ...all.map((one) => [
      one.name,
      one.unit,
      String(one.values.length),
      digits(quantile(one.values, 0.5)),
      digits(quantile(one.values, one.better === 'less' ? 0.95 : 0.05)),
      digits(one.better === 'less' ? Math.max(...one.values) : Math.min(...one.values)),
      `${one.better === 'less' ? '≤' : '≥'} ${one.budget}`,
      one.heldBy,
      isWithin(one) ? 'yes' : 'NO',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  const notes = all.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`]));
  return [
    ...lines,
    '',
    ...notes,
    `machine: ${cpus().length} threads of ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`,
  ].join('\n');
}
