import type { ReactNode } from 'react';
import type { RunAnnotation, RunRow, StoredEvent } from '../../../electron/contract/index.ts';
import {
  api,
  notify,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useSideQuery,
  useVerification,
} from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  ActionIcon,
  Button,
  bytesText,
  Code,
  CopyButton,
  Group,
  Menu,
  QueryState,
  StatusDot,
  Text,
  Title,
  useRoomNavigate,
  VerificationPanel,
  When,
  Quiet,
  visibleString,
} from '../../ui/index.ts';
import { DeleteRun, RunActions } from './parts/run-actions.tsx';
import { RunExport } from './parts/run-export.tsx';
import { RunReport } from './parts/run-report.tsx';
import { AnnotationFields, RunFacts, RunScores } from './parts/run-facts.tsx';

/** The panel beside the list: reads what the list does not carry and does what its buttons say. */
export function SelectedRun({
  runId,
  onOpen,
  onClose,
}: {
  runId: string;
  onOpen: () => void;
  onClose: () => void;
}) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const row = useApiQuery('runs.row', api.runs.row, { runId }, { keep: false });
  const details = useSideQuery(
    'runs.details',
    api.runs.details,
    { runId },
    { enabled: row.data != null, keep: false },
  );
  const disk = useSideQuery(
    'runs.disk',
    api.runs.disk,
    { runId },
    { enabled: row.data != null, keep: false },
  );
  const resume = useApiMutation(api.runs.resume, { invalidates: ['runs'] });
  const branch = useApiMutation(api.runs.branch, { invalidates: ['runs'] });
  const pause = useApiMutation(api.runs.pause, { invalidates: ['runs'] });
  const stop = useApiMutation(api.runs.stop, { invalidates: ['runs'] });
  const remove = useApiMutation(api.runs.delete, { invalidates: ['runs'] });
  const annotate = useApiMutation(api.runs.annotate, { invalidates: ['runs'] });
  const verification = useVerification({ runId });
  const bytes = disk.data?.total ?? null;
  if (row.data === null) return null; // deleted meanwhile, or a link to another lab
  return (
    <div className="runs-side">
      <QueryState read={{ ...row, data: row.data ?? undefined }} problemOf={readableFailure}>
        {(data) => (
          <Inspector
            row={data}
            details={details.data ?? null}
            bytes={bytes}
            verification={
              <>
                <Title order={3}>{t('verify.title')}</Title>
                <VerificationPanel text={t('verify.text.run')} {...verification} />
              </>
            }
            takeAlong={
              <>
                <RunReport runId={runId} />
                {details.data !== undefined && <RunExport run={details.data.run} />}
              </>
            }
            isBusy={
              resume.isPending || pause.isPending || branch.isPending || stop.isPending || remove.isPending
            }
            onOpen={onOpen}
            onClose={onClose}
            onResume={() =>
              resume.mutate({ runId }, { onSuccess: ({ redo }) => notify(t('runs.resumed', { redo })) })
            }
            onBranch={(step) =>
              branch.mutate(
                { runId, step },
                { onSuccess: ({ run }) => notify(t('runs.branched', { name: run.config.name })) },
              )
            }
            onPause={() => pause.mutate({ runId }, { onSuccess: () => notify(t('runs.paused')) })}
            onStop={() => stop.mutate({ runId })}
            onDelete={() =>
              remove.mutate(
                { runId },
                {
                  onSuccess: () => {
                    notify(t('runs.deleted', { name: data.name, bytes: bytesText(bytes) }));
                    onClose();
                  },
                },
              )
            }
            onAnnotate={(change) =>
              annotate.mutate(
                { runIds: [runId], change },
                {
                  onSuccess: () => {
                    if (change.archived !== undefined)
                      notify(change.archived ? t('runs.archived', { n: 1 }) : t('runs.unarchived'));
                  },
                },
              )
            }
            onCopy={(gate) =>
              navigate('/new', {}, { from: runId, ...(gate ? { only: 'gate', at: 'supervision' } : {}) })
            }
          />
        )}
      </QueryState>
    </div>
  );
}

/** What the list does not carry of a run. */
export type RunDetails = {
  redo: string;
  lastEvent: Pick<StoredEvent, 'seq' | 'kind' | 'at'> | null;
  command: string;
  /** Steps whose checkpoint is there. */
  branchSteps: readonly number[];
};

type InspectorProps = {
  row: RunRow;
  details: RunDetails | null;
  /** Bytes of its files; null until counted. */
  bytes: number | null;
  /** The part that computes it again, with reads of its own. */
  verification?: ReactNode;
  /** The ways to take it along as a page or as files, with reads of their own. */
  takeAlong?: ReactNode;
  isBusy: boolean;
  onOpen: () => void;
  onResume: () => void;
  onPause: () => void;
  onStop: () => void;
  onDelete: () => void;
  onAnnotate: (change: Partial<RunAnnotation>) => void;
  onCopy: (keepAllButGate: boolean) => void;
  onBranch: (step: number) => void;
  onClose: () => void;
};

/** Everything about the run that is selected, beside the list. */
export function Inspector({
  row,
  details,
  bytes,
  verification,
  takeAlong,
  isBusy,
  onOpen,
  onResume,
  onPause,
  onStop,
  onDelete,
  onAnnotate,
  onCopy,
  onBranch,
  onClose,
}: InspectorProps) {
  const t = useTranslate();
  const { archived } = row.annotation;
  return (
    <aside className="runs-inspector" aria-label={t('runs.inspector', { name: row.name })}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Title order={2}>{visibleString(row.name)}</Title>
        <ActionIcon variant="subtle" color="gray" aria-label={t('runs.closeInspector')} onClick={onClose}>
          ×
        </ActionIcon>
      </Group>
      <Text size="sm" component="div">
        <StatusDot state={row.state} />
      </Text>
      {row.reason !== null && (
        <Text size="sm" c="var(--quiet)" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {row.reason}
        </Text>
      )}
      {row.tripped.length > 0 && (
        <ul className="runs-tripped" aria-label={t('runs.tripped', { n: row.tripped.length })}>
          {row.tripped.map((said) => (
            <li key={said}>⚑ {said}</li>
          ))}
        </ul>
      )}
      <RunActions
        row={row}
        redo={details?.redo ?? null}
        isBusy={isBusy}
        onOpen={onOpen}
        onResume={onResume}
        onPause={onPause}
        onStop={onStop}
      />
      <RunFacts row={row} />
      <AnnotationFields key={row.id} annotation={row.annotation} onChange={onAnnotate} />
      <Title order={3}>{t('runs.scores')}</Title>
      <RunScores row={row} />
      {details !== null && details.lastEvent !== null && (
        <>
          <Title order={3}>{t('runs.event')}</Title>
          <Text size="sm">
            {t('runs.event.text', { seq: details.lastEvent.seq, kind: details.lastEvent.kind })} ·{' '}
            <When iso={details.lastEvent.at} />
          </Text>
        </>
      )}
      {verification}
      {details !== null && <Commands row={row} same={details.command} />}
      <Group gap={8} mt="lg">
        {takeAlong}
        <Button size="compact-sm" variant="default" onClick={() => onCopy(false)}>
          {t('runs.another')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onCopy(true)}>
          {t('runs.anotherGate')}
        </Button>
        {details !== null && details.branchSteps.length > 0 && (
          <Menu>
            <Menu.Target>
              <Button size="compact-sm" variant="default" title={t('runs.branch.hint')}>
                {t('runs.branch')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={280} style={{ overflowY: 'auto' }}>
              {details.branchSteps.toReversed().map((step) => (
                <Menu.Item key={step} onClick={() => onBranch(step)}>
                  {t('runs.branch.step', { step })}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        <Button size="compact-sm" variant="default" onClick={() => onAnnotate({ archived: !archived })}>
          {t(archived ? 'runs.unarchive' : 'runs.archive')}
        </Button>
        <DeleteRun row={row} bytes={bytes} onDelete={onDelete} />
      </Group>
    </aside>
  );
}

/** The same in a terminal: what fits the run's state, and what starts its like. */
function Commands({ row: { id, state }, same }: { row: RunRow; same: string }) {
  const t = useTranslate();
  const resumable = state === 'paused' || state === 'interrupted' || state === 'failed';
  const lines = [
    {
      label: t(resumable ? 'runs.command.resume' : 'runs.command.show'),
      text: `anchor ${resumable ? 'resume' : 'show'} ${id}`,
    },
    { label: t('runs.command.same'), text: same },
  ];
  return (
    <>
      <Title order={3}>{t('runs.command')}</Title>
      {lines.map(({ label, text }) => (
        <div key={label} style={{ marginBottom: 8 }}>
          <Group justify="space-between" mb={2}>
            <Quiet size="xs">{label}</Quiet>
            <CopyButton text={text} />
          </Group>
          <Code block fz={12} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Code>
        </div>
      ))}
    </>
  );
}
