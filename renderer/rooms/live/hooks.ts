import { useEffect, useMemo, useState } from 'react';
import type { ChildState, ProgressStage, ReviewQueue, RunRecord } from '../../../electron/contract/index.ts';
import {
  api,
  childKey,
  invalidate,
  useApiQuery,
  useSideQuery,
  useLiveEvents,
  useLiveState,
} from '../../data/index.ts';
import { bannersOf, isAtWork, type RunBanner } from './model/banners.ts';
import {
  addToFeed,
  EMPTY_FEED,
  type Feed,
  type FeedEvent,
  mergeFeeds,
  newestSteps,
  withoutStepsAfter,
} from './model/feed.ts';
import {
  EMPTY_TIMELINE,
  quantile,
  type StepEvent,
  SUPERVISION_METRICS,
  type Timeline,
  withSteps,
} from './model/timeline.ts';

const readTimelineAgain = (): void => invalidate('live.timeline', 'live.metrics');

/**
 * The run along its steps, with these metrics: read once, then grown by the event of each step, so that a run of hundreds of steps
 * is not read again with every one of them.
 */
export function useTimeline(
  runId: string,
  names: readonly string[],
  committedSteps: number,
): { timeline: Timeline; isReady: boolean; error: unknown; readAgain: () => void } {
  const read = useApiQuery('live.timeline', api.live.timeline, { runId });
  const metrics = useSideQuery('live.metrics', api.live.metrics, {
    runId,
    names: [...new Set([...names, ...SUPERVISION_METRICS])],
  });
  const [events, setEvents] = useState<StepEvent[]>([]);
  useLiveEvents((batch) => {
    const own = batch.flatMap(({ event }) => (event.kind === 'step' && event.runId === runId ? [event] : []));
    if (own.length > 0) setEvents((before) => [...before, ...own]);
  });
  const timeline = useMemo(() => {
    if (read.data === undefined) return EMPTY_TIMELINE;
    const { steps, timings } = read.data;
    const places = new Map((metrics.data?.steps ?? []).map((step, place) => [step, place]));
    const along = (values: readonly (number | null)[]) =>
      steps.map((step) => values[places.get(step) ?? -1] ?? null);
    const values = Object.fromEntries(
      Object.entries(metrics.data?.values ?? {}).map(([name, each]) => [name, along(each)]),
    );
    return withSteps({ steps, timings, metrics: values }, events);
  }, [read.data, metrics.data, events]);
  const known = timeline.steps.at(-1) ?? 0;
  // What the cache kept from an earlier visit may lack steps whose events came while nobody listened.
  const isBehind = read.data !== undefined && !read.isFetching && known < committedSteps;
  useEffect(() => {
    if (isBehind) readTimelineAgain();
  }, [isBehind]);
  // Without its values a figure would say that there are none.
  const isReady = read.data !== undefined && (metrics.data !== undefined || metrics.error !== null);
  return { timeline, isReady, error: read.error, readAgain: readTimelineAgain };
}

/**
 * What was stored and what events bring, as one feed, of which as much is shown as a reload would read. `range` narrows it to stored steps.
 * A step that was begun and thrown away, because the run was stopped in it, is no part of the run.
 */
export function useFeed(
  runId: string,
  range: { from: number; to: number | null } | null,
  { committedSteps, isAtWork: works }: { committedSteps: number; isAtWork: boolean },
): { feed: Feed; isReady: boolean; error: unknown; readAgain: () => void } {
  // The step that is under way when the room opens sent some of its events before; it is read once it is stored.
  const [first] = useState(committedSteps);
  const [live, setLive] = useState<Feed>(EMPTY_FEED);
  const toStep =
    range === null
      ? Math.min(committedSteps, first + 1)
      : Math.min(committedSteps, range.to ?? committedSteps);
  const [fromStep, to] = [range?.from ?? 1, range?.to ?? null];
  const stored = useApiQuery(
    'live.heads',
    api.live.heads,
    { runId, fromStep, toStep },
    { enabled: toStep >= fromStep },
  );
  useLiveEvents((events) => {
    const own = events.flatMap(({ at, event }): FeedEvent[] => {
      if (event.kind === 'record' && event.runId === runId) return [{ at, record: event.record }];
      return event.kind === 'review' && event.runId === runId ? [{ at, review: event.review }] : [];
    });
    if (own.length > 0) setLive((before) => addToFeed(before, own));
  });
  const base = useMemo(
    () =>
      stored.data === undefined
        ? EMPTY_FEED
        : addToFeed(EMPTY_FEED, inOrder([...stored.data.records, ...stored.data.reviews])),
    [stored.data],
  );
  const merged = useMemo(() => mergeFeeds(base, live), [base, live]);
  const feed = useMemo(
    () =>
      newestSteps(works ? merged : withoutStepsAfter(merged, committedSteps), committedSteps, {
        from: fromStep,
        to,
      }),
    [merged, works, committedSteps, fromStep, to],
  );
  return {
    feed,
    isReady: stored.data !== undefined || toStep < fromStep,
    error: stored.error,
    readAgain: () => void stored.refetch(),
  };
}

/**
 * The feed as it stands, or as it stood when a person began to point at it, until they leave or ask for the newest. A pointer may rest where
 * the lines will come: then the first of them are held, and not that there were none.
 */
export function useHold(
  feed: Feed,
  topAsked: number,
): { shown: Feed; isHeld: boolean; hold: () => void; release: () => void } {
  const [held, setHeld] = useState<{ feed: Feed; topAsked: number } | null>(null);
  if (held !== null && held.feed.entries.length === 0 && feed.entries.length > 0) setHeld({ ...held, feed });
  const isHeld = held !== null && held.topAsked === topAsked && held.feed.entries.length > 0;
  return {
    shown: isHeld ? held.feed : feed,
    isHeld,
    hold: () => {
      if (!isHeld) setHeld({ feed, topAsked });
    },
    release: () => setHeld(null),
  };
}

/** Stored rows in the order in which events would have brought them: step by step, a record before its reviews. */
function inOrder(rows: readonly FeedEvent[]): FeedEvent[] {
  const stepOf = (row: FeedEvent): number => ('record' in row ? row.record : row.review).step;
  return rows.toSorted((a, b) => stepOf(a) - stepOf(b));
}

const LAST_STEPS = 5;

/** What stands above the run now, and how long one of its steps usually takes. */
export function useBanners(
  run: RunRecord,
  timeline: Timeline,
  stage: ProgressStage | null,
): { banners: RunBanner[]; usualStep: number | null } {
  const runId = run.id;
  const working = isAtWork(run.state);
  const canResume = run.state === 'paused' || run.state === 'interrupted' || run.state === 'failed';
  const redo = useSideQuery('live.redo', api.live.redo, { runId }, { enabled: canResume });
  const stored = useSideQuery('live.children', api.live.children, { runId }, { enabled: working });
  const live = useLiveState((state) => state.children);
  const waiting = useLiveState(({ queues }) => {
    const queue = queues[runId];
    return queue === undefined ? 0 : queue.waiting + queue.answering;
  });
  const person = useSideQuery('reviews.waiting', api.reviews.waiting, { runId }, { enabled: working });
  const children = working
    ? newest(
        stored.data ?? [],
        Object.values(live).filter((one) => one.runId === null || one.runId === runId),
      )
    : [];
  const troubled = children.filter(({ state }) => state !== 'ready');
  const elapsed = useElapsed(
    troubled.map((one) => `${childKey(one)} ${one.state}`).join(),
    troubled.length > 0,
  );
  const deadline = person.data?.oldestDeadline ?? null;
  const now = useNow(deadline !== null);
  const secondsLeft = deadline === null ? null : (Date.parse(deadline) - now) / 1000;
  const steps = (timeline.timings['step'] ?? []).flatMap((seconds, place) =>
    seconds === null ? [] : [{ seconds, waited: timeline.timings['supervise_wait']?.[place] ?? 0 }],
  );
  const last = steps.slice(-LAST_STEPS);
  return {
    banners: bannersOf({
      run,
      redo: redo.data ?? null,
      children: children.map((one) => ({ ...one, seconds: one.seconds + elapsed })),
      waitingForReviewer: waiting,
      stage,
      person: { count: person.data?.count ?? 0, secondsLeft },
      lastSteps: last,
    }),
    usualStep:
      last.length === 0
        ? null
        : quantile(
            last.map(({ seconds }) => seconds).sort((a, b) => a - b),
            0.5,
          ),
  };
}

/**
 * How far the reviewer has come in the step under way, and for how long the step has stood still for it; null while nobody knows. What
 * was told before the room opened is read once; later changes come as events.
 */
export function useReviewQueue(
  runId: string,
  isOn: boolean,
): { queue: ReviewQueue & { step: number }; waitedSeconds: number } | null {
  const read = useSideQuery('live.queue', api.live.queue, { runId }, { enabled: isOn });
  const live = useLiveState((state) => state.queues[runId]);
  const queue = live ?? read.data ?? null;
  const since = queue?.waitsSince ?? null;
  const now = useNow(isOn && since !== null);
  if (!isOn || queue === null) return null;
  const present = since === null ? 0 : Math.max(0, (now - Date.parse(since)) / 1000);
  return { queue, waitedSeconds: queue.waitedSeconds + present };
}

/** The last event of a process counts; what was read when the room opened fills in the rest. */
function newest(stored: readonly ChildState[], live: readonly ChildState[]): ChildState[] {
  const byProcess = new Map(stored.map((one) => [childKey(one), one]));
  for (const one of live) byProcess.set(childKey(one), one);
  return [...byProcess.values()];
}

/** Seconds since `key` became what it is; counts only while `isOn`. */
export function useElapsed(key: string, isOn: boolean): number {
  const [state, setState] = useState({ key, seconds: 0 });
  useEffect(() => {
    if (!isOn) return;
    const started = performance.now();
    const timer = window.setInterval(
      () => setState({ key, seconds: Math.round((performance.now() - started) / 1000) }),
      1000,
    );
    return () => window.clearInterval(timer);
  }, [key, isOn]);
  return state.key === key && isOn ? state.seconds : 0;
}

/** The time of day in milliseconds, every second while `isOn`. */
function useNow(isOn: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isOn) return;
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [isOn]);
  return now;
}
