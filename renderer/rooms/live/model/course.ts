/** A run along its steps: every array has one entry per step, null where a step did not have the value. */
export type Course = {
  steps: readonly number[];
  timings: Readonly<Record<string, readonly (number | null)[]>>;
  metrics: Readonly<Record<string, readonly (number | null)[]>>;
  reviews: readonly number[];
  retries: readonly number[];
};

/** A step as it was told when it was stored. */
export type ToldStep = {
  step: number;
  timings: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, number>>;
};

export const EMPTY_COURSE: Course = { steps: [], timings: {}, metrics: {}, reviews: [], retries: [] };

const REVIEWS = /^supervision\/\w+\/reviews$/;

/** The course with the steps that were told since it was read. A step it has already is not added again. */
export function withSteps(course: Course, told: readonly ToldStep[]): Course {
  const last = course.steps.at(-1) ?? 0;
  const newer = [
    ...new Map(told.filter(({ step }) => step > last).map((one) => [one.step, one])).values(),
  ].sort((a, b) => a.step - b.step);
  if (newer.length === 0) return course;
  const grown = (
    series: Course['timings'],
    of: (step: ToldStep) => Readonly<Record<string, number>>,
  ): Course['timings'] => {
    const names = new Set([...Object.keys(series), ...newer.flatMap((step) => Object.keys(of(step)))]);
    return Object.fromEntries(
      [...names].map((name) => [
        name,
        [...(series[name] ?? course.steps.map(() => null)), ...newer.map((step) => of(step)[name] ?? null)],
      ]),
    );
  };
  const reviewsOf = ({ metrics }: ToldStep): number =>
    Object.entries(metrics).reduce((sum, [name, value]) => sum + (REVIEWS.test(name) ? value : 0), 0);
  return {
    steps: [...course.steps, ...newer.map(({ step }) => step)],
    timings: grown(course.timings, (step) => step.timings),
    metrics: grown(course.metrics, (step) => step.metrics),
    reviews: [...course.reviews, ...newer.map(reviewsOf)],
    retries: [...course.retries, ...newer.map(({ metrics }) => metrics['supervision/retries'] ?? 0)],
  };
}
