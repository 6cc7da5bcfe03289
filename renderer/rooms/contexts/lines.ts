import type { WordingRecord } from '../../../electron/contract/index.ts';

/** A line of the context over the run, as the engine tells it. */
export type LineLife = {
  id: string;
  text: string;
  key: string | null;
  firstContext: number;
  lastContext: number;
  support: number;
  sources: number;
  supports: readonly { context: number; reviews: number }[];
  left: { context: number; reason: 'expired' | 'conflict' | 'repeat' | 'budget' | 'model' } | null;
};

/** One line as a bar over steps, in shares of the axis: 0 is the left edge of step 1, 1 the right edge of the newest context. */
export type Lane = {
  id: string;
  start: number;
  end: number;
  dots: { at: number; radius: number }[];
  isGone: boolean;
};

const MOST_RADIUS = 5;
const LEAST_RADIUS = 1.8;

/** A step takes the same width everywhere, so that bars of one step can be seen. */
export function lanesOf(lines: readonly LineLife[], newestContext: number): Lane[] {
  const most = Math.max(1, ...lines.flatMap(({ supports }) => supports.map(({ reviews }) => reviews)));
  const edge = (context: number): number => (context - 1) / Math.max(1, newestContext);
  return lines.map(({ id, firstContext, lastContext, supports, left }) => ({
    id,
    start: edge(firstContext),
    end: edge(lastContext + 1),
    isGone: left !== null,
    // Area, not radius, grows with the number of reviews.
    dots: supports.map(({ context, reviews }) => ({
      at: edge(context + 0.5),
      radius: LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * Math.sqrt(reviews / most),
    })),
  }));
}

/** Steps to be named below the bars: round ones, about `count` of them, with their place on the axis. */
export function stepTicks(newestContext: number, count: number): { step: number; at: number }[] {
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => newestContext / each <= count) ?? 1000;
  const steps =
    newestContext < every
      ? [1]
      : Array.from({ length: Math.floor(newestContext / every) }, (_, index) => (index + 1) * every);
  return steps.map((step) => ({ step, at: (step - 0.5) / Math.max(1, newestContext) }));
}

export const isFixed = ({ id }: Pick<LineLife, 'id'>): boolean => id.startsWith('fixed.');

type Worded = {
  id: string;
  lines: readonly { id: string; text: string; sources: readonly string[]; wording: 'model' | 'source' }[];
};

/** The records in which a line was written: the merge that named it, and the summaries of the lines it was made of. */
export function wordingsOf<R extends Worded>(
  { id, text }: Pick<LineLife, 'id' | 'text'>,
  records: readonly R[],
): { record: R; line: R['lines'][number] }[] {
  const written = records.flatMap((record) => record.lines.map((line) => ({ record, line })));
  const merged = written.filter(({ line }) => line.id === id);
  const from = new Set(merged.flatMap(({ line }) => line.sources));
  const summaries = written.filter(
    ({ line }) => from.has(line.id) || (merged.length === 0 && line.text === text),
  );
  return [...merged, ...summaries];
}

/** Why a line has the words of what it rests on, though a model was asked for its own: it kept them, or what it wrote did not do. */
export function reasonForSource(
  { status, refused }: Pick<WordingRecord, 'status' | 'refused'>,
  { sources }: { sources: readonly string[] },
): 'kept' | 'refused' | 'silent' {
  if (refused.some((one) => one.sources.some((source) => sources.includes(source)))) return 'refused';
  return status === 'fallback' ? 'silent' : 'kept';
}

/** A review behind a line; `sinceContext` is the first context that counted it, so it is of the step before. */
export type Cause<R extends { id: string; step: number }> = { sinceContext: number; review: R };
type Summary = {
  batch: string;
  reviewed: number;
  eligible: number;
  points: readonly { issue: string; count: number; reviewIds: readonly string[] }[];
};

/** The reviews of one step that caused or renewed a line. */
export type CauseGroup<R extends { id: string; step: number }> = {
  context: number;
  step: number;
  isFirst: boolean;
  causes: Cause<R>[];
};

/** By step, first cause first. */
export function causeGroups<R extends { id: string; step: number }>(
  causes: readonly Cause<R>[],
): CauseGroup<R>[] {
  return [...Map.groupBy(causes, ({ sinceContext }) => sinceContext).entries()]
    .sort(([a], [b]) => a - b)
    .map(([context, ofContext], index) => ({
      context,
      step: context - 1,
      isFirst: index === 0,
      causes: ofContext,
    }));
}

/** The points of a step's summaries that name one of these reviews: the link between them and the line. */
export function pointsOf(
  summaries: readonly Summary[],
  reviewIds: ReadonlySet<string>,
): { batch: string; reviewed: number; eligible: number; points: { issue: string; count: number }[] }[] {
  return summaries
    .map(({ batch, reviewed, eligible, points }) => ({
      batch,
      reviewed,
      eligible,
      points: points
        .filter((point) => point.reviewIds.some((id) => reviewIds.has(id)))
        .map(({ issue, count }) => ({ issue, count })),
    }))
    .filter(({ points }) => points.length > 0);
}
