import type { RunConfig } from '../../../../electron/contract/index.ts';

/** One key over all compared runs; `path` is nested, first part the section. */
export type ComparedRow = {
  path: string[];
  /** As they are shown; null where a run has no such key. */ values: (string | null)[];
  /** What decides whether two runs differ; the shown values unless those carry more. */ compared: (
    string | null
  )[];
  differs: boolean;
  folded: boolean;
};

/** Keys that differ between any two runs and say nothing about why they came out otherwise. */
const FOLDED = new Set(['name', 'preset', 'seed']);

/** Every key of any of the configurations, in the order of the schema. */
export function configRows(configs: readonly RunConfig[]): ComparedRow[] {
  const flat = configs.map((config) => new Map(leavesOf(config, [])));
  const keys = [...new Set(flat.flatMap((one) => [...one.keys()]))];
  return keys.map((key) =>
    comparedRow(
      key.split('\n'),
      flat.map((one) => one.get(key) ?? null),
      FOLDED.has(key),
    ),
  );
}

export function comparedRow(
  path: string[],
  values: (string | null)[],
  folded = false,
  compared = values,
): ComparedRow {
  return { path, values, compared, differs: new Set(compared).size > 1, folded };
}

function leavesOf(value: unknown, path: string[]): [string, string][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      inner === undefined ? [] : leavesOf(inner, [...path, key]),
    );
  return [[path.join('\n'), valueText(value)]];
}

/** A configured value as a table shows it. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(valueText).join(', ') : JSON.stringify(value);
}

/** Rows by their first key, in order; keys without a section come first under ''. */
export function sections(rows: readonly ComparedRow[]): { section: string; rows: ComparedRow[] }[] {
  const grouped = Map.groupBy(rows, ({ path }) => (path.length === 1 ? '' : (path[0] as string)));
  return [...grouped].map(([section, own]) => ({ section, rows: own }));
}
