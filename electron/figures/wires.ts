import type { RunWires, Tripped, WireLimit } from '../contract/index.ts';
import type { CurveLimit, CurveMark } from './series.ts';

export type WiresOfRun = { runId: string } & RunWires;

type WireWords = {
  /** What is said of a touched wire. */
  touched: (tripped: Tripped) => string;
  /** What is said of a limit that these runs have. */
  limit: (limit: WireLimit, runIds: readonly string[]) => Pick<CurveLimit, 'label' | 'short'>;
};

/** Scores are shares; a limit beyond them can never be touched, and has no place on the axis. */
const isOnAxis = ({ value }: WireLimit): boolean => value >= 0 && value <= 1;

/**
 * What the tripwires of runs put into a figure of their scores: a mark where one was touched and a line at what it watches
 * for, which is drawn once for all runs that have it.
 * @param suite whose curves the figure has; null for all. @param placeOf where a step of a run lies on the figure's axis; null where it lies nowhere.
 */
export function wireMarks(
  runs: readonly WiresOfRun[],
  suite: string | null,
  placeOf: (runId: string, step: number) => number | null,
  words: WireWords,
): { marks: CurveMark[]; limits: CurveLimit[] } {
  const marks = runs.flatMap(({ runId, tripped }) =>
    tripped
      .filter(({ wire }) => suite === null || wire.suite === suite)
      .flatMap((one): CurveMark[] => {
        const x = placeOf(runId, one.step);
        return x === null ? [] : [{ x, label: words.touched(one) }];
      }),
  );
  const drawn = runs.flatMap(({ runId, limits }) =>
    limits
      .filter((limit) => (suite === null || limit.suite === suite) && isOnAxis(limit))
      .map((limit) => ({ runId, limit })),
  );
  const limits = [...Map.groupBy(drawn, ({ limit }) => `${limit.suite}\n${limit.when}\n${limit.value}`)].map(
    ([, same]): CurveLimit => {
      const { limit } = same[0]!;
      return {
        y: limit.value,
        isFloor: limit.when === 'below' || limit.when === 'falls',
        ...words.limit(limit, [...new Set(same.map(({ runId }) => runId))]),
      };
    },
  );
  return { marks: sameIfEmpty(marks), limits: sameIfEmpty(limits) };
}

/** A figure is drawn again for other marks; most runs have none, however often they are asked. */
const NOTHING: never[] = [];
const sameIfEmpty = <T>(all: T[]): T[] => (all.length === 0 ? NOTHING : all);

type LabelBox = {
  /** Left end and baseline. */
  x: number;
  y: number;
};

/** Between a label, its line and the label beside it. */
const GAP = 4;

/**
 * Where the labels of limits stand: at the left, on the side of their line that is not to be reached, as curves lie on the other one; on
 * that one where there is no room. Labels that would lie on each other stand side by side.
 * @param limits `at` is the line's height in pixels from above, `width` the label's.
 */
export function placeLimits(
  limits: readonly { at: number; width: number; isFloor: boolean }[],
  { left, top, bottom, height }: { left: number; top: number; bottom: number; height: number },
): LabelBox[] {
  const placed: (LabelBox & { width: number })[] = [];
  for (const { at, width, isFloor } of limits) {
    const [above, below] = [at - GAP, at + height];
    const y = isFloor ? (below > bottom ? above : below) : above - height < top ? below : above;
    const x = placed
      .filter((other) => Math.abs(other.y - y) < height)
      .reduce((free, other) => Math.max(free, other.x + other.width + 2 * GAP), left + GAP);
    placed.push({ x, y, width });
  }
  return placed.map(({ x, y }) => ({ x, y }));
}
