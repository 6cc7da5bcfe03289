import { useState } from 'react';
import { PHASES, type AuditPlan, type Phase } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery, useApiMutation } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  EmptyState,
  Loading,
  QueryState,
  Select,
  Stack,
  Button,
  Checkbox,
  ErrorPanel,
  Fieldset,
  Group,
  NumberInput,
  Table,
  Text,
  useDebouncedValue,
  Quiet,
  useRoomNavigate,
} from '../../../ui/index.ts';

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
  const navigate = useRoomNavigate();
  const runs = useApiQuery('runs.list', api.runs.list, { limit: 200 });
  return (
    <QueryState read={runs} problemOf={readableFailure}>
      {({ rows }) => {
        const known = rows.filter(({ committedSteps }) => committedSteps > 0);
        if (known.length === 0)
          return (
            <EmptyState title={t('reviews.audits.run.none')} text={t('reviews.audits.run.none.text')}>
              <Button onClick={() => navigate('/new')}>{t('reviews.audits.empty.run')}</Button>
            </EmptyState>
          );
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

const CALM_MS = 250; // a preview walks through the reviews of the range, so it waits for the typing to pause

/** A plan with a preview of what it finds. */
function AuditPlanForm({
  start,
  paper,
  onDrawn,
}: {
  start: AuditPlan;
  paper: AuditPlan;
  onDrawn: (auditId: string) => void;
}) {
  const t = useTranslate();
  const [plan, setPlan] = useState(start);
  const [calm] = useDebouncedValue(plan, CALM_MS);
  const create = useApiMutation(api.reviews.audits.create, { invalidates: ['reviews.audits'] });
  const number =
    (key: 'fromStep' | 'toStep' | 'perPhase' | 'seed') =>
    (value: string | number): void => {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= (key === 'seed' ? 0 : 1))
        setPlan({ ...plan, [key]: value });
    };
  const draw = (): void => create.mutate(plan, { onSuccess: ({ id }) => onDrawn(id) });
  return (
    <>
      <Group align="end" gap="md">
        <NumberInput
          label={t('reviews.audits.from')}
          w={110}
          min={1}
          value={plan.fromStep}
          onChange={number('fromStep')}
        />
        <NumberInput
          label={t('reviews.audits.to')}
          w={110}
          min={1}
          value={plan.toStep}
          onChange={number('toStep')}
        />
        <NumberInput
          label={t('reviews.audits.perPhase')}
          w={150}
          min={1}
          max={50}
          value={plan.perPhase}
          onChange={number('perPhase')}
        />
        <NumberInput
          label={t('reviews.audits.seed')}
          w={110}
          min={0}
          value={plan.seed}
          onChange={number('seed')}
        />
        <Button variant="default" onClick={() => setPlan(paper)}>
          {t('reviews.audits.paper.use')}
        </Button>
      </Group>
      <Quiet>
        {t('reviews.audits.paper')} {t('reviews.audits.seed.hint')}
      </Quiet>
      {plan.rolloutId !== undefined && (
        <Group gap="xs">
          <Text size="sm">{t('reviews.audits.record', { id: plan.rolloutId })}</Text>
          <Button size="compact-xs" variant="default" onClick={() => setPlan(allRecords(plan))}>
            {t('reviews.audits.record.all')}
          </Button>
        </Group>
      )}
      <Fieldset legend={t('reviews.audits.phases')}>
        <Checkbox.Group
          value={plan.phases}
          onChange={(phases) => {
            if (phases.length > 0)
              setPlan({ ...plan, phases: PHASES.filter((phase) => phases.includes(phase)) });
          }}
        >
          <Group>
            {PHASES.map((phase) => (
              <Checkbox key={phase} value={phase} label={t(`phase.${phase}`)} />
            ))}
          </Group>
        </Checkbox.Group>
      </Fieldset>
      <Preview plan={calm} />
      <Group>
        <Button onClick={draw} loading={create.isPending}>
          {t('reviews.audits.create')}
        </Button>
        <Quiet>{t('reviews.audits.fixed')}</Quiet>
      </Group>
    </>
  );
}

const allRecords = ({ rolloutId: _, ...plan }: AuditPlan): AuditPlan => plan;

function Preview({ plan }: { plan: AuditPlan }) {
  const t = useTranslate();
  const read = useApiQuery('reviews.audits.preview', api.reviews.audits.preview, plan);
  if (read.error !== null)
    return <ErrorPanel problem={readableFailure(read.error)} onRetry={() => void read.refetch()} />;
  if (read.data === undefined) return <Loading />;
  const { sampled, wanted, byPhase } = read.data;
  return (
    <div className="reviews-panel">
      <Text fw={600}>{t('reviews.audits.found', { sampled, wanted })}</Text>
      {sampled < wanted && <Quiet>{t('reviews.audits.short')}</Quiet>}
      <Table verticalSpacing={2} maw={520} mt="xs">
        <Table.Tbody>
          {byPhase.map((each) => (
            <PhaseRow key={each.phase} {...each} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function PhaseRow({
  phase,
  wanted,
  sampled,
  answered,
}: {
  phase: Phase;
  wanted: number;
  sampled: number;
  answered: number;
}) {
  const t = useTranslate();
  return (
    <Table.Tr>
      <Table.Th>{t(`phase.${phase}`)}</Table.Th>
      <Table.Td ta="end" className="numbers">
        {t('reviews.audits.phaseFound', { sampled, wanted, answered })}
      </Table.Td>
    </Table.Tr>
  );
}

/** The plan a link asks for: the usual one, one step of it, or all reviews of one record, whose id begins with its step. */
export function startPlan(usual: AuditPlan, step: number | null, record: string | null): AuditPlan {
  const only = record === null ? step : Number(/^\d+/.exec(record)?.[0] ?? step);
  const range = only === null || !(only > 0) ? {} : { fromStep: only, toStep: only };
  return { ...usual, ...range, ...(record === null ? {} : { rolloutId: record }) };
}
