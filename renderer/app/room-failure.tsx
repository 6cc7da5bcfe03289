import type { ErrorComponentProps } from '@tanstack/react-router';
import { readableFailure } from '../data/index.ts';
import { Button, CopyButton, EmptyState, Page } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';

/** A room that crashed: the rest of the window goes on, and the runs are in another process anyway. */
export function RoomFailure({ error, reset }: ErrorComponentProps) {
  const t = useTranslate();
  return (
    <Page title={t('common.crash.title')}>
      <EmptyState title={readableFailure(error).sentence} text={t('common.crash.text')}>
        <Button onClick={reset}>{t('common.retry')}</Button>
        <CopyButton text={readableFailure(error).details} label={t('common.copyDetails')} />
      </EmptyState>
    </Page>
  );
}
