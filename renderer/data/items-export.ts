import type { Job } from '../../electron/contract/index.ts';
import { api } from './client.ts';
import { useJobs } from './live.ts';
import { useApiMutation } from './query.ts';
import { useSideQuery } from './unread.ts';

/**
 * The newest export of an evaluation's answers: its job, the file once that is whole, and ways to begin and to stop one. It goes on while the
 * window shows something else.
 */
export function useItemsExport(id: string): {
  job: Job | null;
  path: string | null;
  isAsked: boolean;
  onStart: (format: 'inspect' | 'csv', target: string) => void;
  onCancel: (jobId: string) => void;
} {
  const [job = null] = useJobs([`export-answers:${id}`]);
  const start = useApiMutation(api.evaluations.exportItems, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const written = useSideQuery(
    'evaluations.exported',
    api.evaluations.exported,
    { jobId: job?.id ?? '' },
    { enabled: job?.state === 'done', keep: false },
  );
  return {
    job,
    path: job?.state === 'done' ? (written.data?.path ?? null) : null,
    isAsked: start.isPending,
    onStart: (format, target) => start.mutate({ id, format, target }),
    onCancel: (jobId) => cancel.mutate({ id: jobId }),
  };
}
