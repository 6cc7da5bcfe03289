import { useState } from 'react';
import type { DatasetLook } from '../../../../electron/contract/index.ts';
import { api, useApiMutation, useJobs, useApiQuery } from '../../../data/index.ts';
import { Alert, Button, Group, Stack, Text, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { useReviewerName } from '../model/reviewer-name.ts';
import { FaultList } from './fault-list.tsx';
import { FoundCard } from './found-card.tsx';

const MOST_IGNORED = 12;

/** What stands at a path: the sets in it, and why its other files are none. */
export function LookView({
  look,
  onClose,
  onImported,
}: {
  look: DatasetLook;
  onClose: () => void;
  onImported: (name: string) => void;
}) {
  const t = useTranslate();
  const { name: who, setName: setWho } = useReviewerName();
  const [begun, setBegun] = useState<{ jobId: string; key: string } | null>(null);
  const start = useApiMutation(api.datasets.import, { invalidates: ['jobs'] });
  const job = useJobs(['dataset-import']).find(({ id }) => id === begun?.jobId);
  const hasEnded = job !== undefined && job.state !== 'running';
  const outcome = useApiQuery(
    'datasets.outcome',
    api.datasets.outcome,
    { jobId: begun?.jobId ?? '' },
    { enabled: hasEnded, keep: false },
  );
  const refusal = outcome.data?.state === 'refused' ? outcome.data.refusal : null;
  const imported = outcome.data?.state === 'imported' ? outcome.data.dataset : null;
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} className="evaluations-path">
          {t('evaluations.look', { n: look.sets.length, path: look.path })}
        </Title>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          {t('common.close')}
        </Button>
      </Group>
      {look.refused !== null && (
        <Alert color="red" title={t('evaluations.look.refused')} role="alert">
          {look.refused}
        </Alert>
      )}
      {refusal !== null && <FaultList title={t('evaluations.look.nothingKept')} refusal={refusal} />}
      {hasEnded && job.state === 'failed' && refusal === null && job.problem !== null && (
        <Alert color="red" role="alert">
          {job.problem}
        </Alert>
      )}
      {imported !== null && (
        <Alert color="green" role="status">
          {t('evaluations.look.imported', { name: imported.name, n: imported.rows })}{' '}
          <Button size="compact-xs" variant="default" onClick={() => onImported(imported.name)}>
            {t('evaluations.look.show')}
          </Button>
        </Alert>
      )}
      {look.sets
        .filter(({ key }) => imported === null || key !== begun?.key)
        .map((found) => (
          <FoundCard
            key={found.key}
            found={found}
            who={who}
            onWho={setWho}
            isBusy={start.isPending || job?.state === 'running'}
            onImport={(name, by) =>
              start.mutate(
                { path: look.path, key: found.key, name, ...(by === null ? {} : { by }) },
                { onSuccess: ({ id }) => setBegun({ jobId: id, key: found.key }) },
              )
            }
          />
        ))}
      {look.ignored.length > 0 && (
        <details className="evaluations-fold" open={look.sets.length === 0}>
          <summary>{t('evaluations.look.ignored', { n: look.ignored.length })}</summary>
          <ul className="evaluations-faults">
            {look.ignored.slice(0, MOST_IGNORED).map(({ name, why }) => (
              <li key={name}>{t('evaluations.fault.file', { file: name, why })}</li>
            ))}
          </ul>
          {look.ignored.length > MOST_IGNORED && (
            <Text size="xs" c="var(--quiet)">
              {t('evaluations.look.moreIgnored', { n: look.ignored.length - MOST_IGNORED })}
            </Text>
          )}
        </details>
      )}
    </Stack>
  );
}
