import type { ChildState, RunRecord } from '../../../../electron/contract/index.ts';
import { api, childKey, useLiveState, useApiQuery } from '../../../data/index.ts';
import { bannersOf, isAtWork, type RunBanner } from '../model/banners.ts';
import type { Course } from '../model/course.ts';
import { quantile } from '../model/pace.ts';
import { useElapsed, useNow } from './use-elapsed.ts';

const LAST_STEPS = 5;

/** What stands above the run now, and how long one of its steps usually takes. */
export function useBanners(
  run: RunRecord,
  course: Course,
  stage: string | null,
): { banners: RunBanner[]; usualStep: number | null } {
  const runId = run.id;
  const working = isAtWork(run.state);
  const canResume = run.state === 'paused' || run.state === 'interrupted' || run.state === 'failed';
  const redo = useApiQuery('live.redo', api.live.redo, { runId }, { enabled: canResume });
  const stored = useApiQuery('live.children', api.live.children, { runId }, { enabled: working });
  const told = useLiveState((state) => state.children);
  const waiting = useLiveState((state) => state.queues[runId]?.waiting ?? 0);
  const person = useApiQuery('reviews.waiting', api.reviews.waiting, { runId }, { enabled: working });
  const children = working
    ? newest(
        stored.data ?? [],
        Object.values(told).filter((one) => one.runId === null || one.runId === runId),
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
  const steps = (course.timings['step'] ?? []).flatMap((seconds, place) =>
    seconds === null ? [] : [{ seconds, waited: course.timings['supervise_wait']?.[place] ?? 0 }],
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

/** What was told last counts; what was read when the room opened fills in the rest. */
function newest(stored: readonly ChildState[], told: readonly ChildState[]): ChildState[] {
  const byProcess = new Map(stored.map((one) => [childKey(one), one]));
  for (const one of told) byProcess.set(childKey(one), one);
  return [...byProcess.values()];
}
