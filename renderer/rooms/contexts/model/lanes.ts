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
  left: { context: number; reason: 'expired' | 'conflict' | 'budget' } | null;
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
