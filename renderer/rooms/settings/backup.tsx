import { useState, type FormEvent } from 'react';
import { api, readableFailure, useApiMutation, useJobs, useApiQuery } from '../../data/index.ts';
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
  Bytes,
  Table,
  When,
  Checkbox,
  TextInput,
  Title,
  Quiet,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { BackupFile } from './model.ts';

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
            <Quiet>{t('settings.backup.text')}</Quiet>
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

/** Backups, newest first. */
function BackupTable({
  files,
  onCheck,
  onRestore,
}: {
  files: readonly BackupFile[];
  onCheck: (name: string) => void;
  onRestore: (name: string) => void;
}) {
  const t = useTranslate();
  return (
    <Table verticalSpacing={4} aria-label={t('settings.backup.table')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('settings.backup.file')}</Table.Th>
          <Table.Th>{t('settings.backup.when')}</Table.Th>
          <Table.Th>{t('settings.backup.why')}</Table.Th>
          <Table.Th ta="end">{t('settings.backup.size')}</Table.Th>
          <Table.Th>{t('settings.backup.actions')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {files.map(({ name, at, why, bytes }) => (
          <Table.Tr key={name}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
            <Table.Td>
              <When iso={at} />
            </Table.Td>
            <Table.Td>{t(`settings.backup.why.${why}`)}</Table.Td>
            <Table.Td ta="end">
              <Bytes value={bytes} />
            </Table.Td>
            <Table.Td>
              <Group gap={6} wrap="nowrap">
                <Button size="compact-sm" variant="default" onClick={() => onCheck(name)}>
                  {t('settings.backup.check')}
                </Button>
                <Button size="compact-sm" variant="default" onClick={() => onRestore(name)}>
                  {t('settings.backup.restore')}
                </Button>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type Request = { from: string; to: string; withRuns: boolean };

/** From which backup into which new folder. */
function RestoreForm({ from, onRestore }: { from: string; onRestore: (request: Request) => void }) {
  const t = useTranslate();
  const [source, setSource] = useState(from);
  const [to, setTo] = useState('');
  const [withRuns, setWithRuns] = useState(true);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onRestore({ from: source.trim(), to: to.trim(), withRuns });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Title order={2}>{t('settings.restore.title')}</Title>
        <Quiet>{t('settings.restore.text')}</Quiet>
        <TextInput
          label={t('settings.restore.from')}
          value={source}
          onChange={(event) => setSource(event.currentTarget.value)}
          spellCheck={false}
        />
        <TextInput
          label={t('settings.restore.to')}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          spellCheck={false}
        />
        <Checkbox
          label={t('settings.restore.withRuns')}
          checked={withRuns}
          onChange={(event) => setWithRuns(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" variant="default" disabled={source.trim() === '' || to.trim() === ''}>
            {t('settings.restore.start')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
