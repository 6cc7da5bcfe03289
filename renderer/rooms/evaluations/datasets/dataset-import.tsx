import { useEffect, useState } from 'react';
import type {
  DatasetLook,
  FoundDataset,
  DatasetFault,
  DatasetRefusal,
} from '../../../../electron/contract/index.ts';
import { api, notifyFailure, useApiMutation, useJobs, useSideQuery } from '../../../data/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import {
  Alert,
  Button,
  Group,
  Stack,
  Text,
  Title,
  bytesText,
  Paper,
  TextInput,
  Quiet,
} from '../../../ui/index.ts';
import { useReviewerName } from '../page-state.ts';
import { PreviewTable, TermsForm } from './dataset-detail.tsx';

const MOST_IGNORED = 12;

/** What stands at a path: the sets in it, and why its other files are none. */
export function PathInspection({
  inspection,
  onClose,
  onImported,
}: {
  inspection: DatasetLook;
  onClose: () => void;
  onImported: (name: string) => void;
}) {
  const t = useTranslate();
  const { name: reviewer, setName: setReviewer } = useReviewerName();
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const start = useApiMutation(api.datasets.import, {
    invalidates: ['jobs'],
    // The others are not begun behind one that could not begin: its reason is a notice, and the person decides.
    onFailure: (sentence) => {
      setAsked([]);
      notifyFailure(sentence);
    },
  });
  const jobs = useJobs(['dataset-import']);
  const last = asked.findLast(({ jobId }) => jobId !== null) ?? null;
  const job = jobs.find(({ id }) => id === last?.jobId);
  const hasEnded = job !== undefined && job.state !== 'running';
  const outcome = useSideQuery(
    'datasets.outcome',
    api.datasets.outcome,
    { jobId: last?.jobId ?? '' },
    { enabled: hasEnded, keep: false },
  );
  const refusal = outcome.data?.state === 'refused' ? outcome.data.refusal : null;
  const imported = outcome.data?.state === 'imported' ? outcome.data.dataset : null;
  const isWorking = start.isPending || job?.state === 'running';
  const next = asked.find(({ jobId }) => jobId === null);
  // One after the other: each is checked row by row, and two at a time would only slow each other down.
  const { mutate, isPending } = start;
  useEffect(() => {
    if (next === undefined || isPending || (last !== null && !hasEnded)) return;
    if (job?.state === 'cancelled') return;
    mutate(
      { path: inspection.path, key: next.key, name: next.name, ...(next.by === null ? {} : { by: next.by }) },
      {
        onSuccess: ({ id }) =>
          setAsked((before) => before.map((one) => (one.key === next.key ? { ...one, jobId: id } : one))),
      },
    );
  }, [next, isPending, last, hasEnded, job?.state, mutate, inspection.path]);
  const ready = inspection.sets.filter(
    (set) => isReadyToImport(set) && !asked.some(({ key }) => key === set.key),
  );
  const done = asked.filter(
    ({ jobId }) => jobId !== null && jobs.some(({ id, state }) => id === jobId && state === 'done'),
  );
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} className="evaluations-path">
          {t('evaluations.look', { n: inspection.sets.length, path: inspection.path })}
        </Title>
        <Group gap={8} wrap="nowrap">
          {ready.length > 1 && (
            <Button
              size="compact-sm"
              title={t('evaluations.look.all.title')}
              disabled={isWorking || next !== undefined}
              onClick={() =>
                setAsked([
                  ...done,
                  ...ready.map(({ key, suggestedName }) => ({
                    key,
                    name: suggestedName,
                    by: null,
                    jobId: null,
                  })),
                ])
              }
            >
              {t('evaluations.look.all', { n: ready.length })}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
        </Group>
      </Group>
      {asked.length > 1 && (
        <Text size="sm" role="status" className="numbers">
          {t('evaluations.look.all.done', { done: done.length, total: asked.length })}
        </Text>
      )}
      {inspection.refused !== null && (
        <Alert color="red" title={t('evaluations.look.refused')} role="alert">
          {inspection.refused}
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
      {inspection.sets
        .filter(({ key }) => !done.some((one) => one.key === key))
        .map((found) => (
          <DatasetCard
            key={found.key}
            found={found}
            reviewer={reviewer}
            onReviewer={setReviewer}
            isBusy={isWorking && (last?.key === found.key || next?.key === found.key)}
            isHeld={isWorking || next !== undefined}
            onImport={(name, by) => setAsked([...done, { key: found.key, name, by, jobId: null }])}
          />
        ))}
      {inspection.ignored.length > 0 && (
        <details className="evaluations-fold" open={inspection.sets.length === 0}>
          <summary>{t('evaluations.look.ignored', { n: inspection.ignored.length })}</summary>
          <ul className="evaluations-faults">
            {inspection.ignored.slice(0, MOST_IGNORED).map(({ name, why }) => (
              <li key={name}>{t('evaluations.fault.file', { file: name, why })}</li>
            ))}
          </ul>
          {inspection.ignored.length > MOST_IGNORED && (
            <Quiet size="xs">
              {t('evaluations.look.moreIgnored', { n: inspection.ignored.length - MOST_IGNORED })}
            </Quiet>
          )}
        </details>
      )}
    </Stack>
  );
}

/** An import that was asked for; `jobId` is null until it began. */
type Asked = { key: string; name: string; by: string | null; jobId: string | null };

/** Whether a set can be taken in as it is: nothing is wrong, it is not there, and no licence waits to be agreed to. */
const isReadyToImport = ({ fault, alreadyAs, terms }: FoundDataset): boolean =>
  fault === null && alreadyAs === null && terms?.kind !== 'licence';

type DatasetCardProps = {
  found: FoundDataset;
  reviewer: string;
  onReviewer: (reviewer: string) => void;
  /** It is being imported. */ isBusy: boolean;
  /** Another one is. */ isHeld?: boolean;
  onImport: (name: string, by: string | null) => void;
};

/** A set that was recognised: what it is, how it begins, what has to be agreed to, and the button that takes it in. */
export function DatasetCard({
  found,
  reviewer,
  onReviewer,
  isBusy,
  isHeld = false,
  onImport,
}: DatasetCardProps) {
  const t = useTranslate();
  const [name, setName] = useState(found.suggestedName);
  const [isAgreed, setAgreed] = useState(false);
  const { title, files, release, terms, preview, fault, alreadyAs } = found;
  const agrees = isAgreed && reviewer.trim() !== '';
  // A licence has to be agreed to first; a warning about the texts can be read later, before they are used.
  const canImport =
    fault === null && name.trim() !== '' && (terms?.kind !== 'licence' || agrees) && (!isAgreed || agrees);
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label={t('evaluations.found.file', {
        name: title,
        size: files.map((file) => file.name).join(', '),
      })}
    >
      <Stack gap="sm">
        <Title order={3}>{title}</Title>
        <Quiet>
          {release === null ? t('evaluations.found.columns') : t('evaluations.found.release', { release })}{' '}
          {files
            .map((file) => t('evaluations.found.file', { name: file.name, size: bytesText(file.bytes) }))
            .join(', ')}
        </Quiet>
        {alreadyAs !== null && (
          <Alert color="yellow" role="status">
            {t('evaluations.found.already', { name: alreadyAs })}
          </Alert>
        )}
        {fault !== null && (
          <FaultList title={t('evaluations.found.refused')} refusal={{ faults: [fault], count: 1 }} />
        )}
        {preview === null ? (
          fault === null && <Text size="sm">{t('evaluations.found.noPreview')}</Text>
        ) : (
          <PreviewTable preview={preview} />
        )}
        {fault === null && terms !== null && (
          <TermsForm
            terms={terms}
            isAgreed={isAgreed}
            onAgree={setAgreed}
            reviewer={reviewer}
            onReviewer={onReviewer}
          />
        )}
        {fault === null && (
          <Group align="flex-end">
            <TextInput
              w={260}
              size="sm"
              label={t('evaluations.found.name')}
              value={name}
              maxLength={100}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button
              disabled={!canImport || isHeld}
              loading={isBusy}
              onClick={() => onImport(name.trim(), agrees ? reviewer.trim() : null)}
            >
              {t('evaluations.found.import')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

const faultText = (t: Translate, { file, row, why }: DatasetFault): string =>
  t(row === null ? 'evaluations.fault.file' : 'evaluations.fault.row', { file, row: row ?? 0, why });

/** Why a set was not taken in: the file, the row and the reason of each fault. */
export function FaultList({ refusal: { faults, count }, title }: { refusal: DatasetRefusal; title: string }) {
  const t = useTranslate();
  return (
    <Alert color="red" title={title} role="alert">
      <ul className="evaluations-faults">
        {faults.map((fault) => (
          <li key={`${fault.file} ${fault.row ?? ''} ${fault.why}`}>{faultText(t, fault)}</li>
        ))}
        {count > faults.length && <li>{t('evaluations.fault.more', { n: count - faults.length })}</li>}
      </ul>
    </Alert>
  );
}
