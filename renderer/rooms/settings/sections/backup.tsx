import { useState } from 'react';
import { api, readableFailure, useAct, useJobs, useRead } from '../../../data/index.ts';
import {
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  JobLine,
  ReadState,
  Stack,
  Text,
} from '../../../ui/index.ts';
import { useWords } from '../../../i18n/index.ts';
import { BackupTable } from '../parts/backup-table.tsx';
import { RestoreForm } from '../parts/restore-form.tsx';

const KINDS = ['backup', 'backup-check', 'restore'];

/** Copies of the database: made, checked, and restored beside the lab. */
export function BackupSection() {
  const t = useWords();
  const backups = useRead('lab.backups', api.lab.backups, undefined);
  const jobs = useJobs(KINDS);
  const backUp = useAct(api.lab.backUp, { invalidates: ['jobs'] });
  const check = useAct(api.lab.checkBackup, { invalidates: ['jobs'] });
  const restore = useAct(api.lab.restore, { invalidates: ['jobs'] });
  const cancel = useAct(api.jobs.cancel, { invalidates: ['jobs'] });
  const [from, setFrom] = useState('');
  const newest = jobs[0];
  return (
    <ReadState read={backups} problemOf={readableFailure}>
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
    </ReadState>
  );
}

function CheckResult({ jobId }: { jobId: string }) {
  const t = useWords();
  const { data } = useRead('lab.backupReport', api.lab.backupReport, { jobId });
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
  const t = useWords();
  const { data } = useRead('lab.restoreReport', api.lab.restoreReport, { jobId });
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
