import type { RunRow } from '../../../../electron/contract/index.ts';
import { bytesText, ConfirmButton } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { isAtWork } from './run-row.tsx';

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
