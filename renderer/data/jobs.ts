import type { Job } from '../../electron/contract/index.ts';
import { api } from './client.ts';
import { useLiveState } from './live.ts';
import { useApiQuery } from './read.ts';

/** The engine's jobs of these kinds, running ones first, moving as they move. Without kinds: all. */
export function useJobs(kinds?: readonly string[]): Job[] {
  const read = useApiQuery('jobs.list', api.jobs.list, undefined);
  const live = useLiveState((state) => state.jobs);
  const known = new Map((read.data ?? []).map((job) => [job.id, job]));
  // What was told is at least as new as what was read, except for a job whose end was read first.
  for (const job of Object.values(live)) if (known.get(job.id)?.state !== 'done') known.set(job.id, job);
  const jobs = [...known.values()].filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return jobs.sort(
    (a, b) => Number(b.state === 'running') - Number(a.state === 'running') || numberOf(b) - numberOf(a),
  );
}

const numberOf = ({ id }: Job): number => Number(id.replace('job-', ''));
