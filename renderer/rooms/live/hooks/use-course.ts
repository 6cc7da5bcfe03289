import { useEffect, useMemo, useState } from 'react';
import { api, invalidate, useLiveEvents, useApiQuery } from '../../../data/index.ts';
import { EMPTY_COURSE, withSteps, type Course, type ToldStep } from '../model/course.ts';

/**
 * The run along its steps, with these metrics: read once, then grown by what is told of each step, so that a run of hundreds of
 * steps is not read again with every one of them.
 */
export function useCourse(
  runId: string,
  names: readonly string[],
  committedSteps: number,
): { course: Course; isReady: boolean; error: unknown; invalidate: () => void } {
  const read = useApiQuery('live.course', api.live.course, { runId });
  const metrics = useApiQuery('live.metrics', api.live.metrics, { runId, names: [...names] });
  const [told, setTold] = useState<ToldStep[]>([]);
  useLiveEvents((events) => {
    const own = events.flatMap(({ event }) =>
      event.kind === 'step' && event.runId === runId ? [event] : [],
    );
    if (own.length > 0) setTold((before) => [...before, ...own]);
  });
  const course = useMemo(() => {
    if (read.data === undefined) return EMPTY_COURSE;
    const { steps, timings, reviews, retries } = read.data;
    const places = new Map((metrics.data?.steps ?? []).map((step, place) => [step, place]));
    const along = (values: readonly (number | null)[]) =>
      steps.map((step) => values[places.get(step) ?? -1] ?? null);
    const values = Object.fromEntries(
      Object.entries(metrics.data?.values ?? {}).map(([name, each]) => [name, along(each)]),
    );
    return withSteps({ steps, timings, reviews, retries, metrics: values }, told);
  }, [read.data, metrics.data, told]);
  const known = course.steps.at(-1) ?? 0;
  const again = (): void => invalidate('live.course', 'live.metrics');
  // What was kept from an earlier visit may lack steps that were told while nobody listened.
  const isBehind = read.data !== undefined && !read.isFetching && known < committedSteps;
  useEffect(() => {
    if (isBehind) invalidate('live.course', 'live.metrics');
  }, [isBehind]);
  // Without its values a figure would say that there are none.
  const isReady = read.data !== undefined && (metrics.data !== undefined || metrics.error !== null);
  return { course, isReady, error: read.error ?? metrics.error, invalidate: again };
}
