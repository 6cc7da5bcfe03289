import { z } from 'zod';
import type { AuditHead } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery, useApiMutation } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  EmptyState,
  Page,
  QueryState,
  useRoomNavigate,
  useRoomSearch,
  Anchor,
  ConfirmButton,
  CsvButton,
  Num,
  Table,
  VisuallyHidden,
  When,
  visibleString,
} from '../../../ui/index.ts';
import { PurposePicker } from '../queue/guidelines.tsx';
import { auditsTable } from './tables.ts';
import { NewAudit } from './new-audit.tsx';

const searchSchema = z.object({
  run: z.string().optional().catch(undefined),
  step: z.coerce.number().int().positive().optional().catch(undefined),
  record: z.string().optional().catch(undefined),
  new: z.coerce.boolean().optional().catch(undefined),
});

/** The audits of the lab, and drawing a new sample. A link with `run` opens the form for that run, with `step` for that step of it, with `record` for one record. */
export function AuditsPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [search, setSearch] = useRoomSearch(searchSchema);
  const audits = useApiQuery('reviews.audits.list', api.reviews.audits.list, { runId: null });
  const isForm = search.new === true || search.run !== undefined;
  const close = (): void => setSearch({ new: undefined, run: undefined, step: undefined, record: undefined });
  return (
    <Page
      title={t('reviews.title')}
      aside={<PurposePicker purpose="audits" />}
      actions={
        isForm ? (
          <Button variant="default" onClick={close}>
            {t('common.close')}
          </Button>
        ) : (
          <Button onClick={() => setSearch({ new: true })}>{t('reviews.audits.new')}</Button>
        )
      }
    >
      {isForm ? (
        <NewAudit
          key={`${search.run} ${search.record}`}
          runId={search.run ?? null}
          step={search.step ?? null}
          record={search.record ?? null}
          onRun={(run) => setSearch({ run, step: undefined, record: undefined })}
          onDrawn={(auditId) => navigate('/reviews/audits/$auditId', { auditId })}
        />
      ) : (
        <QueryState read={audits} problemOf={readableFailure}>
          {(heads) =>
            heads.length === 0 ? (
              <EmptyState title={t('reviews.audits.empty.title')} text={t('reviews.audits.empty.text')}>
                <Button onClick={() => setSearch({ new: true })}>{t('reviews.audits.empty.new')}</Button>
                <Button variant="default" onClick={() => navigate('/new')}>
                  {t('reviews.audits.empty.run')}
                </Button>
              </EmptyState>
            ) : (
              <AuditList audits={heads} />
            )
          }
        </QueryState>
      )}
    </Page>
  );
}

/** Audits, newest first. */
function AuditList({ audits }: { audits: readonly AuditHead[] }) {
  const t = useTranslate();
  return (
    <div className="reviews-table">
      <Table verticalSpacing={6} highlightOnHover captionSide="top">
        <Table.Caption ta="start">
          {t('reviews.audits.list')}{' '}
          <CsvButton title={t('reviews.audits.list')} table={() => auditsTable(audits)} />
        </Table.Caption>
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
    </div>
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
          {visibleString(head.runName)}
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
