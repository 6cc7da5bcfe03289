import type { Job, JudgeProbe } from '../../electron/contract/index.ts';
import { api } from './client.ts';
import { useJobs } from './live.ts';
import { useApiMutation, useApiQuery } from './query.ts';

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
  probe: JudgeProbe | null;
  job: Job | null;
  onStart: () => void;
  onCancel: () => void;
} | null {
  const last = useApiQuery('judges.lastProbe', api.judges.lastProbe, { model });
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
