import { useMemo } from 'react';
import { type RunRecord, taskTypeSchema } from '../../../electron/contract/index.ts';
import { Bars, type CurveRange, Heat, type HeatColumn } from '../../charts/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { EmptyState, NativeSelect, percentText, QueryState } from '../../ui/index.ts';
import { TASK_CURVES } from './model/curve-choices.ts';
import { hasProposals } from './model/curves.ts';
import {
  columnFacts,
  difficultyColumns,
  type Difficulty,
  ofType,
  TENTHS,
  typesOf,
} from './model/difficulties.ts';
import type { Timeline } from './model/timeline.ts';
import { RunCurve } from './parts/run-curve.tsx';
import type { ChangeSearch, LiveSearch } from './search.ts';

type TasksTabProps = {
  run: RunRecord;
  committedSteps: number;
  timeline: Timeline;
  search: LiveSearch;
  change: ChangeSearch;
};

/** What a run proposes to itself: how hard it is for the policy of the moment, and how varied. */
export function TasksTab({ run, committedSteps, timeline, search, change }: TasksTabProps) {
  const t = useTranslate();
  const runId = run.id;
  const { framework } = run.config;
  const proposes = hasProposals(framework.name);
  const read = useApiQuery(
    'live.difficulties',
    api.live.difficulties,
    { runId, committedSteps },
    { enabled: proposes },
  );
  if (!proposes)
    return (
      <EmptyState
        title={t('live.tasks.none')}
        text={t('live.tasks.none.text', { framework: framework.name })}
      />
    );
  const range: CurveRange | null =
    search.from === undefined ? null : { from: search.from, to: search.to ?? null };
  return (
    <div className="live-tasks">
      <QueryState read={read} problemOf={readableFailure}>
        {(rows) => (
          <Difficulties rows={rows} lastStep={committedSteps} range={range} search={search} change={change} />
        )}
      </QueryState>
      <div className="live-curves">
        {TASK_CURVES.map((id) => (
          <RunCurve
            key={id}
            id={id}
            syncKey={`tasks ${runId}`}
            timeline={timeline}
            scores={[]}
            marks={[]}
            range={range}
            smoothing={search.smoothing}
            onRange={(next) => change({ from: next?.from, to: next?.to ?? undefined })}
            onSmoothing={(smoothing) => change({ smoothing })}
          />
        ))}
      </div>
    </div>
  );
}

type DifficultiesProps = Pick<TasksTabProps, 'search' | 'change'> & {
  rows: readonly Difficulty[];
  lastStep: number;
  range: CurveRange | null;
};

/** Solve rates step by step, and those of the chosen steps together. */
function Difficulties({ rows, lastStep, range, search, change }: DifficultiesProps) {
  const t = useTranslate();
  const types = useMemo(() => typesOf(rows), [rows]);
  const taskType = types.find((each) => each === search.type) ?? null;
  const own = useMemo(() => ofType(rows, taskType), [rows, taskType]);
  const labels = Array.from({ length: TENTHS }, (_, tenth) => percentText(tenth / 10, 0));
  const said = ({ from, to, counts, mean }: HeatColumn): string => {
    const { tasks, never, always } = columnFacts({ counts });
    return t('live.tasks.cell', {
      from,
      to: to === from ? 'none' : to,
      tasks,
      mean: mean === null ? 'none' : percentText(mean, 0),
      never,
      always,
    });
  };
  const chosen = { from: range?.from ?? 1, to: range?.to ?? lastStep };
  const [whole] = difficultyColumns(
    own.filter(({ step }) => step >= chosen.from && step <= chosen.to),
    lastStep,
    1,
  );
  const facts = whole === undefined ? null : columnFacts(whole);
  return (
    <div className="live-difficulties">
      {types.length > 1 && (
        <NativeSelect
          size="xs"
          className="live-task-type"
          aria-label={t('live.tasks.type')}
          value={taskType ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ type: taskTypeSchema.safeParse(value).data ?? undefined })
          }
          data={[
            { value: '', label: t('live.tasks.all') },
            ...types.map((value) => ({ value, label: t(`live.task.${value}`) })),
          ]}
        />
      )}
      <Heat
        title={t('live.tasks.rates')}
        columnsFor={(most) => difficultyColumns(own, lastStep, most)}
        rowLabels={labels}
        xLabel={t('live.curve.x')}
        cellText={said}
        note={t('live.tasks.note')}
        empty={t('live.tasks.empty')}
      />
      {whole !== undefined && facts !== null && facts.tasks > 0 && (
        <Bars
          title={t('live.tasks.whole', chosen)}
          bars={whole.counts.map((value, tenth) => ({
            id: String(tenth),
            label: labels[tenth] as string,
            value,
          }))}
          columns={[t('live.tasks.whole.rate'), t('live.tasks.whole.tasks')]}
          format={(value) => value.toLocaleString('en')}
          note={t('live.tasks.whole.note', {
            tasks: facts.tasks,
            taught: facts.tasks - facts.never - facts.always,
          })}
        />
      )}
    </div>
  );
}
