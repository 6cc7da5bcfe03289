import type { MeasuredStep } from './measured-run.ts';

/**
 * Reviews of use in an hour of reviewing, as the step itself counts the time; NaN where no model computed. Answers that leaked and those
 * that failed are of no use, so that of them only the time counts. `byModel`: without those for which no model was asked, which take no time.
 */
export function reviewsAnHour({
  reviews,
  byModel,
  timings,
}: Pick<MeasuredStep, 'reviews' | 'byModel' | 'timings'>): { all: number; byModel: number } {
  const seconds = timings['supervise'] ?? 0;
  const hourly = (count: number): number => (seconds > 0 ? (3600 * count) / seconds : Number.NaN);
  return { all: hourly(reviews.done ?? 0), byModel: hourly(byModel) };
}

/** Parts of a step's time in which nothing but supervision worked. */
type Waits = { reviews: number; context: number; all: number };

function waitsIn({ timings }: Pick<MeasuredStep, 'timings'>): Waits {
  const share = (name: string): number => (timings[name] ?? 0) / (timings['step'] ?? 0);
  const [reviews, context] = [share('supervise_wait'), share('context')];
  return { reviews, context, all: reviews + context };
}

/** The mean of the steps, and the most of any. */
export function waitsOf(steps: readonly Pick<MeasuredStep, 'timings'>[]): Record<'mean' | 'most', Waits> {
  const waits = steps.map(waitsIn);
  const by = (figure: (values: number[]) => number): Waits => ({
    reviews: figure(waits.map(({ reviews }) => reviews)),
    context: figure(waits.map(({ context }) => context)),
    all: figure(waits.map(({ all }) => all)),
  });
  return {
    mean: by((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    most: by((values) => Math.max(...values)),
  };
}
