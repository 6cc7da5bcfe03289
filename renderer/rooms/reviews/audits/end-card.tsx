import type { AuditHead } from '../../../../electron/contract/index.ts';
import { api, useApiMutation } from '../../../data/index.ts';
import { Button, CopyButton, EmptyState, Group, Stack, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { ItemState } from '../model/desk.ts';

/** Everything is answered: what was done, where the numbers go. */
export function EndCard({
  head,
  counts,
  onResults,
}: {
  head: AuditHead;
  counts: Record<ItemState, number>;
  onResults: () => void;
}) {
  const t = useTranslate();
  return (
    <EmptyState
      title={t('reviews.end.title')}
      text={t('reviews.end.text', { done: counts.done, discarded: counts.discarded })}
    >
      <Stack align="center">
        {counts.draft > 0 && <Text c="var(--warn)">{t('reviews.end.drafts', { n: counts.draft })}</Text>}
        <Group>
          <Button variant="default" onClick={onResults}>
            {t('reviews.end.results')}
          </Button>
          <Keeping head={head} />
        </Group>
      </Stack>
    </EmptyState>
  );
}

/** Storing the figures with the audit, and writing the labels as a table. */
export function Keeping({ head }: { head: AuditHead }) {
  const t = useTranslate();
  const finish = useApiMutation(api.reviews.audits.finish, { invalidates: ['reviews.audits'] });
  const write = useApiMutation(api.reviews.audits.writeCsv);
  return (
    <Group>
      <Button
        onClick={() => finish.mutate({ auditId: head.id })}
        loading={finish.isPending}
        disabled={head.finishedAt !== null}
      >
        {t('reviews.end.store')}
      </Button>
      <Button variant="default" onClick={() => write.mutate({ auditId: head.id })} loading={write.isPending}>
        {t('reviews.end.csv')}
      </Button>
      {head.finishedAt !== null && (
        <Text size="sm" c="var(--quiet)">
          {t('reviews.end.stored', { when: new Date(head.finishedAt).toLocaleString('en-GB') })}
        </Text>
      )}
      {write.data !== undefined && (
        <Group gap="xs">
          <Text size="sm" role="status">
            {t('reviews.end.csvDone', { rows: write.data.rows, file: write.data.file })}
          </Text>
          <CopyButton text={write.data.file} />
        </Group>
      )}
    </Group>
  );
}
