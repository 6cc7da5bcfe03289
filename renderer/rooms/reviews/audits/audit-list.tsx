import type { AuditHead } from '../../../../electron/contract/index.ts';
import { api, useApiMutation } from '../../../data/index.ts';
import { Anchor, ConfirmButton, Num, Table, VisuallyHidden, When } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** Audits, newest first. */
export function AuditList({ audits }: { audits: readonly AuditHead[] }) {
  const t = useTranslate();
  return (
    <Table.ScrollContainer minWidth={820}>
      <Table verticalSpacing={6} highlightOnHover captionSide="top">
        <Table.Caption ta="start">{t('reviews.audits.list')}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('reviews.audits.run')}</Table.Th>
            <Table.Th>{t('reviews.audits.column.state')}</Table.Th>
            <Table.Th>{t('reviews.audits.column.steps')}</Table.Th>
            <Table.Th ta="end">{t('reviews.audits.column.items')}</Table.Th>
            <Table.Th ta="end">{t('reviews.audits.column.seed')}</Table.Th>
            <Table.Th ta="end">{t('reviews.audits.column.result')}</Table.Th>
            <Table.Th>{t('reviews.audits.column.judge')}</Table.Th>
            <Table.Th>{t('reviews.audits.column.created')}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{t('reviews.audits.delete')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {audits.map((head) => (
            <AuditRow key={head.id} head={head} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function AuditRow({ head }: { head: AuditHead }) {
  const t = useTranslate();
  const remove = useApiMutation(api.reviews.audits.remove, { invalidates: ['reviews.audits'] });
  const { plan, results, judge } = head;
  const nonLeakage =
    results?.measures.find(({ name, rater }) => name === 'non-leakage' && rater === 'person')?.mean ?? null;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor size="sm" href={`#/reviews/audits/${head.id}`}>
          {head.runName}
        </Anchor>
      </Table.Td>
      <Table.Td>
        {results === null
          ? t('reviews.audits.open')
          : t('reviews.progress', { done: results.done, total: results.items })}
      </Table.Td>
      <Table.Td className="numbers">
        {plan.fromStep}–{plan.toStep}
      </Table.Td>
      <Table.Td ta="end">
        <Num value={head.wanted} />
      </Table.Td>
      <Table.Td ta="end">
        <Num value={plan.seed} />
      </Table.Td>
      <Table.Td ta="end">
        <Num value={nonLeakage} digits={1} />
      </Table.Td>
      <Table.Td>{judge?.model ?? t('reviews.audits.noJudge')}</Table.Td>
      <Table.Td>
        <When iso={head.createdAt} />
      </Table.Td>
      <Table.Td ta="end">
        <ConfirmButton
          size="compact-xs"
          label={t('reviews.audits.delete')}
          title={t('reviews.audits.delete.title')}
          confirm={t('reviews.audits.delete.confirm')}
          consequence={t('reviews.audits.delete.text', { labels: results?.done ?? 0 })}
          typed={{ word: 'delete', label: t('reviews.audits.delete.typed', { word: 'delete' }) }}
          onConfirm={() => remove.mutate({ auditId: head.id })}
        />
      </Table.Td>
    </Table.Tr>
  );
}
