import { useState } from 'react';
import { api, readableFailure, useApiMutation, useJobs, useApiQuery } from '../../../data/index.ts';
import {
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  JobLine,
  QueryState,
  Stack,
  Text,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { BackupTable } from '../parts/backup-table.tsx';
import { RestoreForm } from '../parts/restore-form.tsx';

const KINDS = ['backup', 'backup-check', 'restore'];

/** Copies of the database: made, checked, and restored beside the lab. */
export function BackupSection() {
  const t = useTranslate();
  const backups = useApiQuery('lab.backups', api.lab.backups, undefined);
  const jobs = useJobs(KINDS);
  const backUp = useApiMutation(api.lab.backUp, { invalidates: ['jobs'] });
  const check = useApiMutation(api.lab.checkBackup, { invalidates: ['jobs'] });
  const restore = useApiMutation(api.lab.restore, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const [from, setFrom] = useState('');
  const newest = jobs[0];
  return (
    <QueryState read={backups} problemOf={readableFailure}>
      {(files) => (
        <Stack gap="lg">
          <Stack gap="sm">
            <Text size="sm" c="var(--quiet)">
              {t('settings.backup.text')}
            </Text>
            <Group>
              <Button onClick={() => backUp.mutate()} disabled={newest?.state === 'running'}>
                {t('settings.backup.now')}
              </Button>
            </Group>
            {jobs
              .filter(({ state }) => state !== 'done')
              .slice(0, 3)
              .map((job) => (
                <JobLine key={job.id} job={job} onCancel={() => cancel.mutate({ id: job.id })} />
              ))}
            {newest?.state === 'done' && newest.kind === 'backup-check' && <CheckResult jobId={newest.id} />}
            {newest?.state === 'done' && newest.kind === 'restore' && <RestoreResult jobId={newest.id} />}
          </Stack>
          {files.length === 0 ? (
            <Text>{t('settings.backup.none')}</Text>
          ) : (
            <BackupTable files={files} onCheck={(name) => check.mutate({ name })} onRestore={setFrom} />
          )}
          <RestoreForm key={from} from={from} onRestore={(request) => restore.mutate(request)} />
        </Stack>
      )}
    </QueryState>
  );
}

function CheckResult({ jobId }: { jobId: string }) {
  const t = useTranslate();
  const { data } = useApiQuery('lab.backupReport', api.lab.backupReport, { jobId });
  if (data == null) return null;
  return (
    <Alert color="green" role="status">
      {t('settings.backup.checked', {
        name: data.name,
        events: data.events,
        runs: data.runs,
        steps: data.steps,
      })}
    </Alert>
  );
}

function RestoreResult({ jobId }: { jobId: string }) {
  const t = useTranslate();
  const { data } = useApiQuery('lab.restoreReport', api.lab.restoreReport, { jobId });
  if (data == null) return null;
  const command = `anchor --lab "${data.folder}" serve`;
  return (
    <Alert color="green" role="status">
      {t('settings.restore.done', { folder: data.folder, runs: data.runs, files: data.runFiles })}
      <Group gap={8} mt={6}>
        <Code>{command}</Code>
        <CopyButton text={command} />
      </Group>
    </Alert>
  );
}
