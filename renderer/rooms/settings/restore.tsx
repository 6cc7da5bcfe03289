import { useState, type FormEvent } from 'react';
import { api, type Api, readableFailure, useApiQuery } from '../../data/index.ts';
import {
  Alert,
  Button,
  Checkbox,
  Code,
  CopyButton,
  Group,
  QueryState,
  Quiet,
  Stack,
  Text,
  TextInput,
  Title,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { RunOutlook } from './model.ts';

/** What was restored or copied, and how it is opened. */
export function RestoreResult({ jobId }: { jobId: string }) {
  const report = useApiQuery('lab.restoreReport', api.lab.restoreReport, { jobId });
  return (
    <QueryState read={report} problemOf={readableFailure}>
      {(data) => data !== null && 'folder' in data && <Restored {...data} />}
    </QueryState>
  );
}

type RestoreReport = Extract<Awaited<ReturnType<Api['lab']['restoreReport']['query']>>, { folder: string }>;

function Restored({ folder, runs, runFiles, lost, outlooks }: RestoreReport) {
  const t = useTranslate();
  const command = `anchor --lab "${folder}" serve`;
  return (
    <Alert color={lost.length === 0 ? 'green' : 'yellow'} role="status">
      {t('settings.restore.done', { folder, runs, files: runFiles })}
      <Group gap={8} my={6}>
        <Code>{command}</Code>
        <CopyButton text={command} />
      </Group>
      <Outlooks runs={outlooks} />
      {lost.length > 0 && (
        <Text size="sm" fw={600} mt={6}>
          {t('settings.restore.lost')}
        </Text>
      )}
      {lost.map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
    </Alert>
  );
}

/** Which unfinished runs can go on from a copy of the lab. */
export function Outlooks({ runs }: { runs: readonly RunOutlook[] }) {
  const t = useTranslate();
  return runs.map(({ id, name, committedSteps, steps, missing }) => (
    <Text key={id} size="sm">
      {missing === null
        ? t('settings.backup.goesOn', { name, at: committedSteps, steps })
        : t('settings.backup.stuck', { name, at: committedSteps, steps, missing })}
    </Text>
  ));
}

type Request = { from: string; to: string; withRuns: boolean; salvage: boolean };

/** From which backup into which new folder. */
export function RestoreForm({ from, onRestore }: { from: string; onRestore: (request: Request) => void }) {
  const t = useTranslate();
  const [source, setSource] = useState(from);
  const [to, setTo] = useState('');
  const [withRuns, setWithRuns] = useState(true);
  const [salvage, setSalvage] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onRestore({ from: source.trim(), to: to.trim(), withRuns, salvage });
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
          checked={withRuns || salvage}
          disabled={salvage}
          onChange={(event) => setWithRuns(event.currentTarget.checked)}
        />
        <Checkbox
          label={t('settings.restore.salvage')}
          checked={salvage}
          onChange={(event) => setSalvage(event.currentTarget.checked)}
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
