import type { CheckpointScore, RunConfig } from '../contract/index.ts';
import { scoreSeries } from './scores.ts';
import type { CurveSeries } from './series.ts';

/** One key over all compared runs; `path` is nested, first part the section. */
export type ComparedRow = {
  path: string[];
  /** As they are shown; null where a run has no such key. */
  values: (string | null)[];
  /** What decides whether two runs differ; the shown values unless those carry more. */
  compared: (string | null)[];
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
    comparedRow({
      path: key.split('\n'),
      values: flat.map((one) => one.get(key) ?? null),
      folded: FOLDED.has(key),
    }),
  );
}

/**
 * Which set-up each configuration is, as a number from 0 on: those that are told the same but for what every run has of its own, as its
 * seed, are one. What is drawn over seeds rests on it.
 */
export function setUps(configs: readonly RunConfig[]): number[] {
  const rows = configRows(configs).filter(({ folded }) => !folded);
  const keys = configs.map((_, index) => JSON.stringify(rows.map(({ values }) => values[index])));
  const known = [...new Set(keys)];
  return keys.map((key) => known.indexOf(key));
}

/** What a row is made of; nothing folded, and compared as shown, unless it says otherwise. */
type RowParts = Pick<ComparedRow, 'path' | 'values'> & Partial<Pick<ComparedRow, 'folded' | 'compared'>>;

export function comparedRow({ path, values, folded = false, compared = values }: RowParts): ComparedRow {
  return { path, values, compared, differs: new Set(compared).size > 1, folded };
}

function leavesOf(value: unknown, path: string[]): [string, string][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      inner === undefined ? [] : leavesOf(inner, [...path, key]),
    );
  return [[path.join('\n'), valueText(value)]];
}

/** A configured value as a table shows it; what is left unset is said in words, apart from a key that a run does not have. */
function valueText(value: unknown): string {
  if (value === null) return 'not set';
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(valueText).join(', ') : JSON.stringify(value);
}

export type RunScores = { runId: string; scores: readonly CheckpointScore[] };

/**
 * A suite's scores of all runs: each run's checkpoints with their intervals, weights alone and under a context as a pair. A group of
 * several runs is drawn by its median over the steps that all of them were asked at, its band from the lowest to the highest run.
 */
export function comparedScores(
  runs: readonly RunScores[],
  suite: string,
  /** Where a step of a run lies on the axis; null where it lies nowhere. */
  placeOf: (runId: string, step: number) => number | null,
  groupOf: (runId: string) => string,
  label: (group: string, runs: number, withContext: boolean) => string,
): CurveSeries[] {
  const groups = [...Map.groupBy(runs, ({ runId }) => groupOf(runId))];
  return groups.flatMap(([group, members], color) =>
    [false, true].flatMap((withContext): CurveSeries[] => {
      const all = members.map(({ runId, scores }) =>
        scoreSeries(
          scores.filter((score) => score.suite === suite && (score.contextHash !== null) === withContext),
          () => runId,
        ),
      );
      const drawn = all.flatMap((line, index) =>
        line[0] === undefined ? [] : [{ ...line[0], runId: members[index]!.runId }],
      );
      const [first, ...others] = drawn;
      if (first === undefined) return [];
      const points = first.x.flatMap((step) => {
        const at = drawn.map((one) => ({ one, place: one.x.indexOf(step) }));
        const x = drawn.map(({ runId }) => placeOf(runId, step));
        if (at.some(({ place }) => place < 0) || x.includes(null)) return [];
        const values = at.map(({ one, place }) => one.y[place] as number).sort((a, b) => a - b);
        const place = at[0]!.place;
        return [
          {
            x: median((x as number[]).sort((a, b) => a - b)),
            y: median(values),
            low: others.length === 0 ? (first.band?.low[place] ?? null) : values[0]!,
            high: others.length === 0 ? (first.band?.high[place] ?? null) : values.at(-1)!,
          },
        ];
      });
      return [
        {
          id: `${group} ${withContext}`,
          label: label(group, drawn.length, withContext),
          kind: 'score',
          x: points.map(({ x }) => x),
          y: points.map(({ y }) => y),
          band: { low: points.map(({ low }) => low), high: points.map(({ high }) => high) },
          look: { color, dash: withContext ? 1 : 0 },
        },
      ];
    }),
  );
}

/** @param sorted not empty, ascending. */
export function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
