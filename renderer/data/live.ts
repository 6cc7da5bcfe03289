import { useEffect, useEffectEvent } from 'react';
import { create } from 'zustand';
import type {
  ChildState,
  Job,
  MeasuredJudge,
  LiveBatch,
  LiveEvent,
  ResourceSample,
  SequencedEvent,
} from '../../electron/contract/index.ts';
import { api, onConnection } from './client.ts';
import { queryClient, invalidate, useApiMutation } from './query.ts';
import { useSideQuery } from './unread.ts';

type Progress = Extract<LiveEvent, { kind: 'progress' }>;
type Queue = Extract<LiveEvent, { kind: 'queue' }>;

type LiveState = {
  /** Latest progress by run. */
  progress: Record<string, Progress>;
  jobs: Record<string, Job>;
  /** Latest state of each child process, by `childKey`. */
  children: Record<string, ChildState>;
  /** What waits for the reviewer, by run. */
  queues: Record<string, Queue>;
  /** The machine, as it was last measured. */
  resources: ResourceSample | null;
  /** Times that events were missed; a change means that shown state was read again. */
  gaps: number;
  /** Times that another engine took the place of the one before. */
  restarts: number;
};

export const useLiveState = create<LiveState>(() => ({
  progress: {},
  jobs: {},
  children: {},
  queues: {},
  resources: null,
  gaps: 0,
  restarts: 0,
}));

export const childKey = ({ child, runId }: Pick<ChildState, 'child' | 'runId'>): string =>
  `${child} ${runId ?? ''}`;

const followers = new Set<(events: readonly SequencedEvent[]) => void>();

/** Where this window stands: the engine it listens to and the last event it took; `seq` is null until the first one. */
let place: { epoch: string; seq: number | null } | null = null;
/** The line broke before the first batch came: what happened in between is not known. */
let isUnsure = false;

/** What has to be read again after an event; progress changes nothing that was read. */
function pathsOf(event: LiveEvent): string[] {
  switch (event.kind) {
    case 'progress':
    case 'record':
    case 'review':
    case 'child':
    case 'queue':
    case 'answer':
    case 'resources':
      return [];
    case 'job':
      return event.job.state === 'running' ? [] : ['jobs'];
    case 'step':
      return ['runs', 'records', 'contexts', 'plan.estimate'];
    case 'run':
      return ['runs'];
    case 'changed':
      return [event.what];
    case 'tripped':
      return ['evaluations', 'runs'];
  }
}

/**
 * Takes one batch: every event once and in order, whatever came before. Newest states are kept, followers get everything, stale
 * reads are read again once per batch. When events are missing, everything shown is read again.
 */
export function receive({ epoch, events, missed }: LiveBatch): void {
  const isNewEngine = place !== null && place.epoch !== epoch;
  const after = isNewEngine || place === null ? null : place.seq;
  const fresh = after === null ? events : events.filter(({ seq }) => seq > after);
  const hasHole = !missed && after !== null && fresh[0] !== undefined && fresh[0].seq > after + 1;
  place = { epoch, seq: fresh.at(-1)?.seq ?? (missed ? null : after) };
  if (missed || hasHole || isNewEngine || isUnsure) startOver(isNewEngine);
  isUnsure = false;
  if (fresh.length > 0) take(fresh);
}

/** Forgets the live state and has everything read again. */
function startOver(isNewEngine: boolean): void {
  useLiveState.setState(({ gaps, restarts }) => ({
    progress: {},
    jobs: {},
    children: {},
    queues: {},
    gaps: gaps + 1,
    restarts: restarts + (isNewEngine ? 1 : 0),
  }));
  void queryClient.invalidateQueries();
}

function take(events: readonly SequencedEvent[]): void {
  const { progress, jobs, children, queues } = useLiveState.getState();
  const next: Partial<LiveState> = {};
  const stale = new Set<string>();
  for (const { event } of events) {
    if (event.kind === 'progress') next.progress = { ...(next.progress ?? progress), [event.runId]: event };
    if (event.kind === 'job') next.jobs = { ...(next.jobs ?? jobs), [event.job.id]: event.job };
    if (event.kind === 'child') next.children = { ...(next.children ?? children), [childKey(event)]: event };
    if (event.kind === 'queue') next.queues = { ...(next.queues ?? queues), [event.runId]: event };
    if (event.kind === 'resources') next.resources = event.sample;
    for (const path of pathsOf(event)) stale.add(path);
  }
  if (Object.keys(next).length > 0) useLiveState.setState(next);
  for (const follower of followers) follower(events);
  invalidate(...stale);
}

const AGAIN_MS = 1000; // an engine that refused once is asked again at a person's pace

/** Subscribes for the life of the window; after a broken line it goes on with the id of the last batch. */
export function startLive(): () => void {
  let isStopped = false;
  let timer = 0;
  let unsubscribe = (): void => {};
  const subscribe = (): void => {
    ({ unsubscribe } = api.live.events.subscribe(undefined, {
      onData: ({ data }) => receive(data as LiveBatch),
      onError: again,
      onComplete: again,
    }));
  };
  // The engine ended the subscription itself: a new one begins without a place.
  const again = (): void => {
    if (isStopped) return;
    isUnsure = true;
    timer = window.setTimeout(subscribe, AGAIN_MS);
  };
  const stopWatching = onConnection((state) => {
    if (state === 'lost' && place === null) isUnsure = true;
    // Reads that failed while the line was down would stay failed until somebody tried again.
    if (state === 'open')
      void queryClient.refetchQueries({ predicate: (query) => query.state.status === 'error' });
  });
  subscribe();
  return () => {
    isStopped = true;
    window.clearTimeout(timer);
    stopWatching();
    unsubscribe();
  };
}

/** Calls back with every live event while the component is mounted, in batches of at most ten a second. */
export function useLiveEvents(onEvents: (events: readonly SequencedEvent[]) => void): void {
  const deliver = useEffectEvent(onEvents);
  useEffect(() => {
    const follower = (events: readonly SequencedEvent[]): void => deliver(events);
    followers.add(follower);
    return () => void followers.delete(follower);
  }, []);
}

/** The engine's jobs of these kinds, running ones first, moving as they move. Without kinds: all. */
export function useJobs(kinds?: readonly string[]): Job[] {
  const read = useSideQuery('jobs.list', api.jobs.list, undefined);
  const live = useLiveState((state) => state.jobs);
  const known = new Map((read.data ?? []).map((job) => [job.id, job]));
  // A live state is at least as new as a read one, except for a job whose end was read first.
  for (const job of Object.values(live)) if (known.get(job.id)?.state !== 'done') known.set(job.id, job);
  const jobs = [...known.values()].filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return jobs.sort(
    (a, b) => Number(b.state === 'running') - Number(a.state === 'running') || numberOf(b) - numberOf(a),
  );
}

const numberOf = ({ id }: Job): number => Number(id.replace('job-', ''));

/** Items of a probe that is started from the window, as in the terminal. */
const PROBE_ITEMS = 200;
const SEED = 1;

/** How good a model of the library is as a judge, and a way to measure it; null until it is known whether it was measured. */
export function useJudgeProbe(
  model: string,
  threads: number,
): {
  model: string;
  items: number;
  probe: MeasuredJudge | null;
  job: Job | null;
  onStart: () => void;
  onCancel: () => void;
} | null {
  const last = useSideQuery('judges.lastProbe', api.judges.lastProbe, { model });
  const start = useApiMutation(api.judges.probe, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const [job = null] = useJobs(['judge-probe']);
  if (last.data === undefined) return null;
  return {
    model,
    items: PROBE_ITEMS,
    probe: last.data,
    job,
    onStart: () =>
      start.mutate({
        model,
        items: PROBE_ITEMS,
        phases: ['task', 'plan', 'thought', 'output', 'exec'],
        seed: SEED,
        threads,
      }),
    onCancel: () => {
      if (job !== null) cancel.mutate({ id: job.id });
    },
  };
}
