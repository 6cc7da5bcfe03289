import type { Job, JudgeProbe } from '../../electron/contract/index.ts';
import { api } from './client.ts';
import { useJobs } from './live.ts';
import { useApiMutation, useApiQuery } from './query.ts';

/** Items of a probe that is started from the window, as in the terminal. */
export const PROBE_ITEMS = 200;
const SEED = 1;

/** How good a model of the library is as a judge, and a way to measure it. */
export function useJudgeProbe(
  model: string,
  threads: number,
): { probe: JudgeProbe | null; known: boolean; job: Job | null; start: () => void; cancel: () => void } {
  const last = useApiQuery('judges.lastProbe', api.judges.lastProbe, { model });
  const start = useApiMutation(api.judges.probe, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const [job = null] = useJobs(['judge-probe']);
  return {
    probe: last.data ?? null,
    known: last.data !== undefined,
    job,
    start: () =>
      start.mutate({
        model,
        items: PROBE_ITEMS,
        phases: ['task', 'plan', 'thought', 'output', 'exec'],
        seed: SEED,
        threads,
      }),
    cancel: () => {
      if (job !== null) cancel.mutate({ id: job.id });
    },
  };
}
