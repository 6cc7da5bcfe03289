import type { CurveAxis, RunCurve } from '../../../../electron/contract/index.ts';
import type { CurveSeries } from '../../../charts/index.ts';

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

export type Band = {
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

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
