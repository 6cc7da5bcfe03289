import { Button, EmptyState } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** A lab without runs: what a run is, and the two doors to one. */
export function EmptyRuns({ onSample, onNew }: { onSample: () => void; onNew: () => void }) {
  const t = useTranslate();
  return (
    <EmptyState title={t('runs.empty.title')} text={t('runs.empty.text')}>
      <Button onClick={onSample}>{t('runs.empty.sample')}</Button>
      <Button variant="default" onClick={onNew}>
        {t('runs.empty.new')}
      </Button>
    </EmptyState>
  );
}
