import type { RunRow } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Button, bytesText, ConfirmButton, Group, Text } from '../../../ui/index.ts';
import { isAtWork } from './run-cells.tsx';

type RunActionsProps = {
  row: RunRow;
  /** What resuming would repeat, one sentence; null while it is being read. */
  redo: string | null;
  isBusy: boolean;
  onOpen: () => void;
  onResume: () => void;
  onPause: () => void;
  onStop: () => void;
};

const canResume = ({ state }: RunRow): boolean =>
  state === 'paused' || state === 'interrupted' || state === 'failed';
const canPause = ({ state }: RunRow): boolean => state === 'stepping' || state === 'setting-up';
const canStop = ({ state }: RunRow): boolean =>
  canPause({ state } as RunRow) || state === 'pausing' || state === 'queued';

/** What a person can do to a run now; what cannot be done is not offered. */
export function RunActions({ row, redo, isBusy, onOpen, onResume, onPause, onStop }: RunActionsProps) {
  const t = useTranslate();
  return (
    <>
      <Group gap={8} mt="sm">
        <Button size="compact-sm" onClick={onOpen}>
          {t('runs.open')}
        </Button>
        {canResume(row) && (
          <Button size="compact-sm" variant="light" loading={isBusy} onClick={onResume}>
            {t('runs.resume')}
          </Button>
        )}
        {canPause(row) && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={isBusy}
            title={t('runs.pause.hint')}
            onClick={onPause}
          >
            {t('runs.pause')}
          </Button>
        )}
        {canStop(row) && (
          <ConfirmButton
            size="compact-sm"
            label={t('runs.stop')}
            title={t('runs.stop.title', { name: row.name })}
            consequence={t(row.state === 'queued' ? 'runs.stop.queued' : 'runs.stop.text')}
            confirm={t('runs.stop')}
            onConfirm={onStop}
            disabled={isBusy}
          />
        )}
      </Group>
      {canResume(row) && redo !== null && (
        <Text size="sm" mt={6}>
          {redo}
        </Text>
      )}
    </>
  );
}

/** Above this a person types the run's name first: so much cannot be made again in a minute. */
const TYPED_ABOVE_BYTES = 1e9;

/** Deleting a run, with what it takes away in bytes. `bytes` is null until the files were counted; nothing is deleted before. */
export function DeleteRun({
  row,
  bytes,
  onDelete,
}: {
  row: RunRow;
  bytes: number | null;
  onDelete: () => void;
}) {
  const t = useTranslate();
  const isActive = isAtWork(row) || row.state === 'queued';
  const consequence =
    bytes === null
      ? t('runs.delete.measuring')
      : t('runs.delete.text', {
          bytes: bytesText(bytes),
          checkpoints: row.checkpoints,
          steps: row.committedSteps,
        });
  return (
    <span title={isActive ? t('runs.delete.active') : undefined}>
      <ConfirmButton
        size="compact-sm"
        label={t('runs.delete')}
        title={t('runs.delete.title', { name: row.name })}
        consequence={consequence}
        confirm={t('runs.delete.confirm', { bytes: bytesText(bytes) })}
        typed={
          bytes !== null && bytes > TYPED_ABOVE_BYTES
            ? { word: row.name, label: t('runs.delete.type', { name: row.name }) }
            : undefined
        }
        onConfirm={onDelete}
        disabled={isActive || bytes === null}
      />
    </span>
  );
}
