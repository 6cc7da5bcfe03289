import { useState, type FormEvent } from 'react';
import { api, type Api, readableFailure, useApiMutation, useJobs, useApiQuery } from '../../data/index.ts';
import {
  Alert,
  Button,
  ConfirmButton,
  Group,
  JobLine,
  QueryState,
  Stack,
  Text,
  Bytes,
  Table,
  When,
  NativeSelect,
  NumberInput,
  TextInput,
  Quiet,
  visibleString,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Outlooks, RestoreForm, RestoreResult } from './restore.tsx';
import type { BackupFile } from './model.ts';

const ONE_LINE = { whiteSpace: 'nowrap' } as const;
const KINDS = ['backup', 'backup-check', 'restore'];

/** Copies of the database: made, checked, and restored beside the lab. */
export function BackupSection() {
  const t = useTranslate();
  const backups = useApiQuery('lab.backups', api.lab.backups, undefined);
  const jobs = useJobs(KINDS);
  const backUp = useApiMutation(api.lab.backUp, { invalidates: ['jobs'] });
  const check = useApiMutation(api.lab.checkBackup, { invalidates: ['jobs'] });
  const remove = useApiMutation(api.lab.removeBackup, { invalidates: ['lab'] });
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
            <CopyForm onCopy={(to) => backUp.mutate({ to })} />
            <ScheduleForm />
            {jobs
              .filter(({ state }) => state !== 'done')
              .slice(0, 3)
              .map((job) => (
                <JobLine key={job.id} job={job} onCancel={() => cancel.mutate({ id: job.id })} />
              ))}
            {newest?.state === 'done' && newest.kind === 'backup-check' && <CheckResult jobId={newest.id} />}
            {newest?.state === 'done' && newest.kind !== 'backup-check' && (
              <RestoreResult jobId={newest.id} />
            )}
          </Stack>
          {files.length === 0 ? (
            <Text>{t('settings.backup.none')}</Text>
          ) : (
            <BackupTable
              files={files}
              onCheck={(name) => check.mutate({ name })}
              onRestore={setFrom}
              onRemove={(name) => remove.mutate({ name })}
            />
          )}
          <RestoreForm key={from} from={from} onRestore={(request) => restore.mutate(request)} />
        </Stack>
      )}
    </QueryState>
  );
}

function CheckResult({ jobId }: { jobId: string }) {
  const t = useTranslate();
  const report = useApiQuery('lab.backupReport', api.lab.backupReport, { jobId });
  return (
    <QueryState read={report} problemOf={readableFailure}>
      {(data) =>
        data !== null && (
          <Alert color={data.damage.length === 0 ? 'green' : 'red'} role="status">
            {data.damage.length === 0
              ? t('settings.backup.checked', {
                  name: data.name,
                  events: data.events,
                  runs: data.runs,
                  steps: data.steps,
                })
              : t('settings.backup.damaged', { name: data.name, n: data.damage.length })}
            {data.damage.map((sentence) => (
              <Text key={sentence} size="sm">
                {sentence}
              </Text>
            ))}
            <Outlooks runs={data.outlooks} />
          </Alert>
        )
      }
    </QueryState>
  );
}

/** A whole copy of the lab in a new folder, to be carried away. */
function CopyForm({ onCopy }: { onCopy: (to: string) => void }) {
  const t = useTranslate();
  const [to, setTo] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onCopy(to.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <TextInput
          label={t('settings.backup.copyTo')}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          spellCheck={false}
          w={360}
        />
        <Button type="submit" variant="default" disabled={to.trim() === ''}>
          {t('settings.backup.copy')}
        </Button>
      </Group>
    </form>
  );
}

/** How often the lab is backed up by itself, and how many of these backups stay. */
function ScheduleForm() {
  const schedule = useApiQuery('lab.backupSchedule', api.lab.backupSchedule, undefined);
  return (
    <QueryState read={schedule} problemOf={readableFailure}>
      {(data) => <ScheduleFields {...data} />}
    </QueryState>
  );
}

function ScheduleFields({ everyHours, keep }: Awaited<ReturnType<Api['lab']['backupSchedule']['query']>>) {
  const t = useTranslate();
  const set = useApiMutation(api.lab.setBackupSchedule, { invalidates: ['lab'] });
  const choose = (hours: number | null): void => set.mutate({ everyHours: hours });
  const choices = [...new Set([1, 6, 24, 168, ...(everyHours === null ? [] : [everyHours])])].sort(
    (a, b) => a - b,
  );
  return (
    <Group align="flex-end">
      <NativeSelect
        label={t('settings.backup.every')}
        value={String(everyHours)}
        onChange={(event) => {
          const { value } = event.currentTarget;
          choose(value === 'null' ? null : Number(value));
        }}
        data={[
          ...choices.map((hours) => ({ value: String(hours), label: t('settings.backup.hours', { hours }) })),
          { value: 'null', label: t('settings.backup.never') },
        ]}
      />
      <NumberInput
        label={t('settings.backup.keep')}
        w={140}
        min={1}
        max={100}
        allowDecimal={false}
        clampBehavior="strict"
        value={keep}
        onChange={(kept) => typeof kept === 'number' && kept >= 1 && set.mutate({ keep: kept })}
        disabled={everyHours === null}
      />
    </Group>
  );
}

/** Backups, newest first. */
function BackupTable({
  files,
  onCheck,
  onRestore,
  onRemove,
}: {
  files: readonly BackupFile[];
  onCheck: (name: string) => void;
  onRestore: (name: string) => void;
  onRemove: (name: string) => void;
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
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{visibleString(name)}</Table.Td>
            <Table.Td style={ONE_LINE}>
              <When iso={at} />
            </Table.Td>
            <Table.Td>{t(`settings.backup.why.${why}`)}</Table.Td>
            <Table.Td ta="end" style={ONE_LINE}>
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
                <ConfirmButton
                  size="compact-sm"
                  label={t('settings.backup.remove')}
                  title={t('settings.backup.remove.title', { name })}
                  consequence={t('settings.backup.remove.text')}
                  confirm={t('settings.backup.remove.confirm')}
                  onConfirm={() => onRemove(name)}
                />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
