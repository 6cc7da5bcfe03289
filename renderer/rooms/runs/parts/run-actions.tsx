import type { RunRow } from '../../../../electron/contract/index.ts';
import { Button, ConfirmButton, Group, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type RunActionsProps = {
  row: RunRow;
  /** What resuming would repeat, one sentence; null while it is being read. */ redo: string | null;
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
