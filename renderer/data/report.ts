import { useEffect, useEffectEvent, useState } from 'react';
import type { Job } from '../../electron/contract/index.ts';
import { api } from './client.ts';
import { useJobs } from './live.ts';
import { useApiMutation } from './query.ts';

type ReportSubject = Parameters<typeof api.reports.make.mutate>[0];
type Report = NonNullable<Awaited<ReturnType<typeof api.reports.made.query>>>;

/** Has a report made by the engine, and hands it over once when it is whole; what is cancelled or fails leaves nothing. */
export function useReport(onMade: (report: Report) => void): {
  /** The job while it is at work, and after it failed. */
  job: Job | null;
  make: (subject: ReportSubject) => void;
  cancel: () => void;
} {
  const [asked, setAsked] = useState<string | null>(null);
  const start = useApiMutation(api.reports.make);
  const cancel = useApiMutation(api.jobs.cancel);
  const job = useJobs(['report']).find(({ id }) => id === asked) ?? null;
  const state = job?.state ?? null;
  const hand = useEffectEvent((report: Report | null) => {
    setAsked(null);
    if (report !== null) onMade(report);
  });
  useEffect(() => {
    if (asked === null || state !== 'done') return;
    let isWanted = true;
    const take = async (): Promise<void> => {
      const report = await api.reports.made.query({ jobId: asked });
      if (isWanted) hand(report);
    };
    void take();
    return () => {
      isWanted = false;
    };
  }, [asked, state]);
  return {
    job: state === 'running' || state === 'failed' ? job : null,
    make: (subject) => start.mutate(subject, { onSuccess: ({ id }) => setAsked(id) }),
    cancel: () => {
      if (asked !== null) cancel.mutate({ id: asked });
    },
  };
}
