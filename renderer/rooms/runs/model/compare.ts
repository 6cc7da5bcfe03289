import { z } from 'zod';
import {
  CURVE_AXES,
  type CheckpointScore,
  type CurveAxis,
  type RunConfig,
  type RunCurve,
  type RunRecord,
  type RunRow,
} from '../../../../electron/contract/index.ts';
import { type CurveSeries, scoreSeries } from '../../../charts/index.ts';
import { runIds } from './filter.ts';

/** What can be drawn for all compared runs at once. */
export const COMPARED_MEASURES = [
  'passRate',
  'solverReward',
  'proposerReward',
  'ratedReward',
  'solveRate',
  'validProposals',
  'formatOk',
  'responseLength',
  'entropy',
  'reviewsPerStep',
  'contextLines',
  'refusedLines',
  'stepSeconds',
] as const;
export type ComparedMeasure = (typeof COMPARED_MEASURES)[number];

/** What held-out questions say, a suite at a time; drawn from evaluations instead of steps. */
export const SCORES = 'scores';

/** The address of a comparison. */
export const compareSearch = z.object({
  runs: runIds.catch([]),
  base: z.string().optional().catch(undefined),
  axis: z.enum(CURVE_AXES).catch('step'),
  measure: z.enum([...COMPARED_MEASURES, SCORES]).catch('passRate'),
  /** Whose scores are drawn. */
  scored: z.string().optional().catch(undefined),
  show: z.enum(['different', 'all']).catch('different'),
  group: z.enum(['run', 'supervision', 'model']).optional().catch(undefined),
  suite: z.string().optional().catch(undefined),
  against: z.string().optional().catch(undefined),
});

/** A run with everything a comparison says of it. */
export type ComparedRun = { run: RunRecord; row: RunRow | null; sandboxLevels: string[] };

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

/** A configured value as a table shows it. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(valueText).join(', ') : JSON.stringify(value);
}

/** Rows by their first key, in order; keys without a section come first under ''. */
export function sections(rows: readonly ComparedRow[]): { section: string; rows: ComparedRow[] }[] {
  const grouped = Map.groupBy(rows, ({ path }) => (path.length === 1 ? '' : (path[0] as string)));
  return [...grouped].map(([section, own]) => ({ section, rows: own }));
}

/** More lines than this cannot be told apart; groups are drawn instead. */
export const MOST_LINES = 12;
/** Places along the axis at which a group is measured. */
const BAND_POINTS = 60;

/** One line per run. */
export function lines(
  curves: readonly RunCurve[],
  axis: CurveAxis,
  nameOf: (runId: string) => string,
): CurveSeries[] {
  return curves.map((curve) => ({
    id: curve.runId,
    label: nameOf(curve.runId),
    kind: 'line',
    x: curve[axis],
    y: curve.values,
  }));
}

type Band = {
  group: string;
  runs: number;
  x: number[];
  low: number[];
  middle: number[];
  high: number[];
};

/** Median and range of each group along the axis, as far as all of its runs reach: beyond that the group would change under the line. */
export function bands(
  curves: readonly RunCurve[],
  axis: CurveAxis,
  groupOf: (runId: string) => string,
): Band[] {
  const grouped = Map.groupBy(
    curves.filter(({ values }) => values.length > 0),
    ({ runId }) => groupOf(runId),
  );
  return [...grouped].map(([group, members]) => {
    const from = Math.max(...members.map((curve) => curve[axis][0] as number));
    const to = Math.min(...members.map((curve) => curve[axis].at(-1) as number));
    const x =
      to <= from
        ? [from]
        : Array.from({ length: BAND_POINTS }, (_, index) => from + ((to - from) * index) / (BAND_POINTS - 1));
    const sorted = x.map((at) => members.map((curve) => valueAt(curve, axis, at)).sort((a, b) => a - b));
    return {
      group,
      runs: members.length,
      x,
      low: sorted.map((values) => values[0] as number),
      middle: sorted.map(median),
      high: sorted.map((values) => values.at(-1) as number),
    };
  });
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

/** Between two points, on the straight line from one to the other. */
function valueAt(curve: RunCurve, axis: CurveAxis, at: number): number {
  const x = curve[axis];
  const after = x.findIndex((value) => value >= at);
  if (after <= 0) return curve.values[after < 0 ? curve.values.length - 1 : 0] as number;
  const [left, right] = [x[after - 1] as number, x[after] as number];
  const [below, above] = [curve.values[after - 1] as number, curve.values[after] as number];
  return right === left ? above : below + ((above - below) * (at - left)) / (right - left);
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
