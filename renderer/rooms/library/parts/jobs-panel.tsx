import { useState } from 'react';
import type { Job } from '../../../../electron/contract/index.ts';
import { JobLine, Stack } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** Running jobs, and the ended ones until the person hides them. Nothing when there are none. */
export function JobsPanel({ jobs, onCancel }: { jobs: readonly Job[]; onCancel: (id: string) => void }) {
  const t = useTranslate();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = jobs.filter(({ id, state }) => state === 'running' || !hidden.has(id)).slice(0, 4);
  if (shown.length === 0) return null;
  return (
    <Stack gap={6} mb="sm" role="region" aria-label={t('library.jobs')}>
      {shown.map((job) => (
        <JobLine
          key={job.id}
          job={job}
          onCancel={() => onCancel(job.id)}
          onDismiss={() => setHidden((before) => new Set([...before, job.id]))}
        />
      ))}
    </Stack>
  );
}
