import { PHASES } from '../../../../electron/contract/index.ts';

/** A run along its steps: every array has one entry per step, null where a step did not have the value. */
export type Timeline = {
  steps: readonly number[];
  /** Seconds by sub-phase; `step` is the whole. */
  timings: Readonly<Record<string, readonly (number | null)[]>>;
  metrics: Readonly<Record<string, readonly (number | null)[]>>;
};

/** What an event says of a step that was stored. */
export type StepEvent = {
  step: number;
  timings: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, number>>;
};

export const EMPTY_TIMELINE: Timeline = { steps: [], timings: {}, metrics: {} };

const RETRIES = 'supervision/retries';
/** Reviews that were answered: those that count, by phase, and those withheld because they told the reference. */
const REVIEWS = [...PHASES.map((phase) => `supervision/${phase}/reviews`), 'supervision/leaks'];

/** Metrics that every timeline needs, whichever curves are drawn. */
export const SUPERVISION_METRICS: readonly string[] = [...REVIEWS, RETRIES];

/** Answered reviews of the whole run. */
export const reviewCount = ({ metrics }: Timeline): number =>
  REVIEWS.flatMap((name) => metrics[name] ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Mean seconds of a review over the stored steps; null while there was none. */
export function meanReviewSeconds(timeline: Timeline): number | null {
  const reviews = reviewCount(timeline);
  const seconds = (timeline.timings['supervise'] ?? []).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  return reviews === 0 ? null : seconds / reviews;
}

/** The timeline with the steps that events brought since it was read. A step it has already is not added again. */
export function withSteps(timeline: Timeline, events: readonly StepEvent[]): Timeline {
  const last = timeline.steps.at(-1) ?? 0;
  const newer = [
    ...new Map(events.filter(({ step }) => step > last).map((one) => [one.step, one])).values(),
  ].sort((a, b) => a.step - b.step);
  if (newer.length === 0) return timeline;
  const grown = (of: 'timings' | 'metrics'): Timeline['timings'] => {
    const series = timeline[of];
    const names = new Set([...Object.keys(series), ...newer.flatMap((step) => Object.keys(step[of]))]);
    return Object.fromEntries(
      [...names].map((name) => [
        name,
        [...(series[name] ?? timeline.steps.map(() => null)), ...newer.map((step) => step[of][name] ?? null)],
      ]),
    );
  };
  return {
    steps: [...timeline.steps, ...newer.map(({ step }) => step)],
    timings: grown('timings'),
    metrics: grown('metrics'),
  };
}

/** Seconds left: the median, and what the faster and the slower quarter of the last steps would make of it. */
export type TimeLeft = { median: number; low: number; high: number };

const LAST_STEPS = 10; // older ones describe another speed
const LEAST_STEPS = 3;

/** Time for `left` more steps at the pace of the last ten; null until three are known. Steps must be in order. */
export function timeLeft(stepSeconds: readonly (number | null)[], left: number): TimeLeft | null {
  const last = stepSeconds
    .filter((seconds) => seconds !== null)
    .slice(-LAST_STEPS)
    .sort((a, b) => a - b);
  if (last.length < LEAST_STEPS) return null;
  return {
    median: quantile(last, 0.5) * left,
    low: quantile(last, 0.25) * left,
    high: quantile(last, 0.75) * left,
  };
}

/** Linear between the two nearest of sorted values. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** The sub-phases of a step in the order they are taken, by the names of its timings; the rest of the step is `other`. */
const STEP_PARTS = [
  'prompts',
  'gen',
  'retry',
  'estimate',
  'update_actor',
  'save_checkpoint',
  'supervise_wait',
  'context',
] as const;
export type StepPart = (typeof STEP_PARTS)[number] | 'other';
export const ALL_PARTS: readonly StepPart[] = [...STEP_PARTS, 'other'];

/** One cell of the timeline: a step, or a few where there are more steps than pixels. Seconds are of one step on average. */
export type TimelineCell = {
  from: number;
  to: number;
  seconds: number;
  parts: Record<StepPart, number>;
  retries: number;
};

/** Cells for a strip that has room for `most` of them. Steps without a known duration have none. */
export function timelineCells({ steps, timings, metrics }: Timeline, most: number): TimelineCell[] {
  const perCell = Math.max(1, Math.ceil(steps.length / Math.max(1, most)));
  const cells: TimelineCell[] = [];
  for (let start = 0; start < steps.length; start += perCell) {
    const places = steps
      .slice(start, start + perCell)
      .map((_, offset) => start + offset)
      .filter((place) => timings['step']?.[place] != null);
    if (places.length === 0) continue;
    const mean = (name: string): number =>
      places.reduce((sum, place) => sum + (timings[name]?.[place] ?? 0), 0) / places.length;
    const seconds = mean('step');
    const parts = Object.fromEntries(STEP_PARTS.map((name) => [name, mean(name)])) as Record<
      StepPart,
      number
    >;
    parts.other = Math.max(0, seconds - STEP_PARTS.reduce((sum, name) => sum + parts[name], 0));
    cells.push({
      from: steps[start] as number,
      to: steps[Math.min(steps.length, start + perCell) - 1] as number,
      seconds,
      parts,
      retries: places.reduce((sum, place) => sum + (metrics[RETRIES]?.[place] ?? 0), 0),
    });
  }
  return cells;
}

const FEW_CELLS = 8;

/** Pixels of a strip of so many cells: all the room there is, but where a few steps would become blocks. */
export const stripWidth = (room: number, cells: number): number =>
  cells >= FEW_CELLS ? room : (room * cells) / FEW_CELLS;

const LONGEST_SHOWN = 3;

/** Highest duration the strip shows in full: a single stalled step may not press all others flat, so it is cut at three times the median. */
export function timelineCeiling(cells: readonly TimelineCell[]): number {
  const sorted = cells.map(({ seconds }) => seconds).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 1;
  return Math.min(sorted.at(-1) ?? 1, median * LONGEST_SHOWN) || 1;
}

export type Strip = { width: number; height: number; ceiling: number };

/** Rectangles of one sub-phase in all cells as one path, stacked above the sub-phases before it. */
export function partPath(
  cells: readonly TimelineCell[],
  part: StepPart,
  { width, height, ceiling }: Strip,
): string {
  const each = width / Math.max(1, cells.length);
  const gap = each > 6 ? 1 : 0;
  const below = ALL_PARTS.slice(0, ALL_PARTS.indexOf(part));
  return cells
    .map((cell, index) => {
      const scale = height / Math.max(ceiling, 1e-9);
      const base = Math.min(height, below.reduce((sum, name) => sum + cell.parts[name], 0) * scale);
      const tall = Math.min(height - base, cell.parts[part] * scale);
      if (tall <= 0) return '';
      return `M${(index * each).toFixed(2)} ${(height - base).toFixed(2)}h${(each - gap).toFixed(2)}v${(-tall).toFixed(2)}h${(gap - each).toFixed(2)}z`;
    })
    .join('');
}

/** The cell at this place of the strip; beside it the first or the last one, so that a drag reaches them. Null where there is none. */
export function cellAt(
  cells: readonly TimelineCell[],
  { width }: Pick<Strip, 'width'>,
  x: number,
): number | null {
  const index = Math.floor((x / width) * cells.length);
  return cells.length === 0 ? null : Math.max(0, Math.min(cells.length - 1, index));
}
