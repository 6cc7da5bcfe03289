import { z } from 'zod';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { Button, EmptyState, Page, QueryState, useRoomNavigate, useRoomSearch } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { AuditList } from '../audits/audit-list.tsx';
import { NewAudit } from '../audits/new-audit.tsx';
import { PurposePicker } from '../parts/purpose.tsx';

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
