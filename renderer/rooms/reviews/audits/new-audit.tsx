import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { EmptyState, Loading, QueryState, Select, Stack } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { startPlan } from '../model/start-plan.ts';
import { AuditPlanForm } from './audit-plan-form.tsx';

type NewAuditProps = {
  runId: string | null;
  /** Only this step. */ step: number | null;
  /** Only this record. */ record: string | null;
  onRun: (runId: string | undefined) => void;
  onDrawn: (auditId: string) => void;
};

/** Choosing a run and a plan, with what it would sample. */
export function NewAudit({ runId, step, record, onRun, onDrawn }: NewAuditProps) {
  const t = useTranslate();
  const runs = useApiQuery('runs.list', api.runs.list, { limit: 200 });
  return (
    <QueryState read={runs} problemOf={readableFailure}>
      {({ rows }) => {
        const known = rows.filter(({ committedSteps }) => committedSteps > 0);
        if (known.length === 0)
          return <EmptyState title={t('reviews.audits.run.none')} text={t('reviews.audits.empty.text')} />;
        const chosen = runId ?? known[0]?.id ?? '';
        return (
          <Stack maw={900} gap="md">
            <Select
              label={t('reviews.audits.run')}
              value={chosen}
              onChange={(value) => onRun(value ?? undefined)}
              searchable
              allowDeselect={false}
              data={known.map(({ id, config: { name }, committedSteps }) => ({
                value: id,
                label: t('reviews.audits.run.option', { name, steps: committedSteps }),
              }))}
            />
            <Defaults key={chosen} runId={chosen} step={step} record={record} onDrawn={onDrawn} />
          </Stack>
        );
      }}
    </QueryState>
  );
}

function Defaults({
  runId,
  step,
  record,
  onDrawn,
}: {
  runId: string;
  step: number | null;
  record: string | null;
  onDrawn: (auditId: string) => void;
}) {
  const plan = useApiQuery(
    'reviews.audits.defaults',
    api.reviews.audits.defaults,
    { runId },
    { keep: false },
  );
  if (plan.data === undefined)
    return plan.error === null ? (
      <Loading />
    ) : (
      <QueryState read={plan} problemOf={readableFailure}>
        {() => null}
      </QueryState>
    );
  const start = startPlan(plan.data, step, record);
  return <AuditPlanForm start={start} paper={plan.data} onDrawn={onDrawn} />;
}
