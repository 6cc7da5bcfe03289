import { Button, ConfirmButton, FileButton } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type PlanActionsProps = {
  /** Runs at work, and how many may be; decides between starting and queueing. */
  atWork: number;
  places: number;
  canStart: boolean;
  isStarting: boolean;
  hint: string | null;
  onFile: (file: File) => void;
  onClear: () => void;
  onStart: () => void;
};

/** What acts on the whole plan: read one, start over, start. */
export function PlanActions({
  atWork,
  places,
  canStart,
  isStarting,
  hint,
  onFile,
  onClear,
  onStart,
}: PlanActionsProps) {
  const t = useTranslate();
  const queues = atWork >= places;
  return (
    <>
      <FileButton
        accept=".yaml,.yml,text/yaml"
        onChange={(file) => {
          if (file !== null) onFile(file);
        }}
      >
        {(props) => (
          <Button {...props} variant="default">
            {t('new-run.import')}
          </Button>
        )}
      </FileButton>
      <ConfirmButton
        label={t('new-run.clear')}
        title={t('new-run.clear.title')}
        consequence={t('new-run.clear.text')}
        confirm={t('new-run.clear')}
        onConfirm={onClear}
      />
      <Button
        disabled={!canStart}
        loading={isStarting}
        title={hint ?? (queues ? t('new-run.queue.hint', { atWork, places }) : undefined)}
        onClick={onStart}
      >
        {t(queues ? 'new-run.queue' : 'new-run.start')}
      </Button>
    </>
  );
}
