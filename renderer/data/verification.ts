import type { Job, Verification } from '../../electron/contract/index.ts';
import { api } from './client.ts';
import { useJobs } from './live.ts';
import { useApiMutation } from './query.ts';
import { useSideQuery } from './unread.ts';

const NOTHING: readonly Verification[] = [];

/**
 * The newest verification of a run or an evaluation: its job, what it found once it is done, and ways to begin and to stop one. It goes
 * on while the window shows something else.
 */
export function useVerification(of: { runId: string } | { evaluationId: string }): {
  job: Job | null;
  reports: readonly Verification[];
  isAsked: boolean;
  onStart: () => void;
  onCancel: (jobId: string) => void;
} {
  const [job = null] = useJobs([`verify:${'runId' in of ? of.runId : of.evaluationId}`]);
  const run = useApiMutation(api.runs.verify, { invalidates: ['jobs'] });
  const evaluation = useApiMutation(api.evaluations.verify, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const found = useSideQuery(
    'runs.verification',
    api.runs.verification,
    { jobId: job?.id ?? '' },
    { enabled: job?.state === 'done', keep: false },
  );
  return {
    job,
    reports: job?.state === 'done' ? (found.data?.reports ?? NOTHING) : NOTHING,
    isAsked: run.isPending || evaluation.isPending,
    onStart: () =>
      'runId' in of ? run.mutate({ runId: of.runId }) : evaluation.mutate({ id: of.evaluationId }),
    onCancel: (id) => cancel.mutate({ id }),
  };
}
