import { z } from 'zod';
import {
  CURVE_AXES,
  MEASURE_NAMES,
  type CurveAxis,
  type RunCurve,
  type RunRecord,
  type RunRow,
} from '../../../../electron/contract/index.ts';
import {
  type ComparedRow,
  configRows,
  type CurveSeries,
  median,
  setUps,
} from '../../../../electron/figures/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import { runIds } from './filter.ts';

/** What held-out questions say, a suite at a time; drawn from evaluations instead of steps. */
export const SCORES = 'scores';

/** A line for each run, or for all runs that differ in their seed alone. */
export const GROUPINGS = ['run', 'seeds'] as const;

/** The address of a comparison. */
export const compareSearch = z.object({
  runs: runIds.catch([]),
  base: z.string().optional().catch(undefined),
  axis: z.enum(CURVE_AXES).catch('step'),
  measure: z.enum([...MEASURE_NAMES, SCORES]).catch('passRate'),
  /** Whose scores are drawn. */
  scored: z.string().optional().catch(undefined),
  show: z.enum(['different', 'all']).catch('different'),
  group: z.enum(GROUPINGS).optional().catch(undefined),
  suite: z.string().optional().catch(undefined),
  against: z.string().optional().catch(undefined),
});

/** A run with everything a comparison says of it. */
export type ComparedRun = { run: RunRecord; row: RunRow | null; sandboxLevels: string[] };

/**
 * What each run is called beside the others, by id: its name, and where several bear the same one also its day; the minute where they are
 * of one day, the id where they are of one minute.
 */
export function runLabels(runs: readonly Named[]): ReadonlyMap<string, string> {
  const grouped = Map.groupBy(runs, ({ run }) => run.config.name);
  return new Map(
    [...grouped].flatMap(([name, own]) => {
      const told = TELLING.map((tell) => own.map(({ run }) => tell(run))).find(
        (marks) => new Set(marks).size === own.length,
      );
      return own.map(({ run }, index): [string, string] => [
        run.id,
        own.length === 1 ? name : `${name} · ${told?.[index] ?? run.id}`,
      ]);
    }),
  );
}

/**
 * What each run's set-up is called beside the others, by id of the run: how it was supervised, and of the other settings as many as it
 * takes to tell the set-ups apart.
 */
export function setUpLabels(
  t: Translate,
  runs: readonly { run: Pick<RunRecord, 'id' | 'config'> }[],
): ReadonlyMap<string, string> {
  const configs = runs.map(({ run }) => run.config);
  const labels = configs.map(({ supervision }) => {
    const most = Math.max(...Object.values(supervision.phases));
    return most === 0 ? t('compare.supervision.off') : t('compare.supervision.on', { p: most });
  });
  const groups = setUps(configs);
  for (const { path, values, differs, folded } of configRows(configs)) {
    if (folded || !differs) continue;
    const longer = labels.map((label, index) => `${label} · ${path.at(-1)} ${values[index] ?? '–'}`);
    if (new Set(longer).size > new Set(labels).size) labels.splice(0, labels.length, ...longer);
    if (new Set(labels).size === new Set(groups).size) break;
  }
  return new Map(runs.map(({ run }, index) => [run.id, labels[index] as string]));
}

type Named = { run: Pick<RunRecord, 'id' | 'createdAt'> & { config: { name: string } } };

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const;
const TELLING = [DAY, MINUTE].map(
  (parts) =>
    ({ createdAt }: Named['run']): string =>
      new Date(createdAt).toLocaleString('en-GB', parts),
);

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

/** Between two points, on the straight line from one to the other. */
function valueAt(curve: RunCurve, axis: CurveAxis, at: number): number {
  const x = curve[axis];
  const after = x.findIndex((value) => value >= at);
  if (after <= 0) return curve.values[after < 0 ? curve.values.length - 1 : 0] as number;
  const [left, right] = [x[after - 1] as number, x[after] as number];
  const [below, above] = [curve.values[after - 1] as number, curve.values[after] as number];
  return right === left ? above : below + ((above - below) * (at - left)) / (right - left);
}
