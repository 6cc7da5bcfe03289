import { useMemo } from 'react';
import {
  type FigureView,
  type RatesView,
  type RunRecord,
  type StageSpan,
  taskTypeSchema,
  viewOf,
} from '../../../electron/contract/index.ts';
import { Bars, Curve, type CurveRange, Heat, type HeatColumn, stageAlong } from '../../charts/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { EmptyState, NativeSelect, percentText, QueryState } from '../../ui/index.ts';
import { isAtWork } from './model/banners.ts';
import { TASK_CURVES } from './model/curve-choices.ts';
import { hasProposals, valueText, viewSeries } from './model/curves.ts';
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
import { StageStrip } from './parts/stage-strip.tsx';
import { LabelAccuracyPanel, PaidProposals, ProposalOutcomes, ViewWarnings } from './parts/task-panels.tsx';
import type { ChangeSearch, LiveSearch } from './search.ts';

type TasksTabProps = {
  run: RunRecord;
  committedSteps: number;
  /** Of the run's schedule; empty where all its steps are alike. */
  spans: readonly StageSpan[];
  timeline: Timeline;
  search: LiveSearch;
  change: ChangeSearch;
};

/** What a run proposes to itself: how hard it is for the policy of the moment, and how varied; and what else its framework has to show. */
export function TasksTab({ run, committedSteps, spans, timeline, search, change }: TasksTabProps) {
  const t = useTranslate();
  const runId = run.id;
  const { framework } = run.config;
  const { rates, figures, labels, keptRates } = viewOf(framework.name);
  const read = useApiQuery(
    'live.difficulties',
    api.live.difficulties,
    { runId, committedSteps },
    { enabled: rates.length > 0 },
  );
  if (rates.length === 0)
    return (
      <EmptyState
        title={t('live.tasks.none')}
        text={t('live.tasks.none.text', { framework: t(`framework.${framework.name}`) })}
      />
    );
  const range: CurveRange | null =
    search.from === undefined ? null : { from: search.from, to: search.to ?? null };
  const onRange = (next: CurveRange | null): void => change({ from: next?.from, to: next?.to ?? undefined });
  const drawn = {
    syncKey: `tasks ${runId}`,
    timeline,
    range,
    smoothing: search.smoothing,
    onRange,
    onSmoothing: (smoothing: number): void => change({ smoothing }),
  };
  return (
    <div className="live-tasks">
      {spans.length > 0 && (
        <StageStrip
          framework={framework.name}
          spans={spans}
          timeline={timeline}
          committedSteps={committedSteps}
          isAtWork={isAtWork(run.state)}
          range={range}
          onRange={onRange}
        />
      )}
      <ViewWarnings framework={framework} timeline={timeline} />
      <QueryState read={read} problemOf={readableFailure}>
        {(rows) => (
          <Rates
            rows={rows}
            rates={rates}
            steps={stepsUpTo(committedSteps, rows)}
            spans={spans}
            kept={keptRates(framework)}
            range={range}
            search={search}
            change={change}
          />
        )}
      </QueryState>
      {labels !== null && <LabelAccuracyPanel runId={runId} committedSteps={committedSteps} />}
      <div className="live-curves">
        {hasProposals(framework.name) &&
          TASK_CURVES.map((id) => <RunCurve key={id} id={id} scores={[]} {...drawn} />)}
        {figures.map((figure) => (
          <ViewCurve key={figure.title} figure={figure} {...drawn} />
        ))}
        <ProposalOutcomes runId={runId} committedSteps={committedSteps} range={range} />
      </div>
      <PaidProposals runId={runId} committedSteps={committedSteps} />
    </div>
  );
}

/** Tasks of a step that an event has not told of yet still have a column. */
const stepsUpTo = (committed: number, rows: readonly Difficulty[]): number[] =>
  Array.from({ length: rows.reduce((last, { step }) => Math.max(last, step), committed) }, (_, at) => at + 1);

type ViewCurveProps = {
  figure: FigureView;
  syncKey: string;
  timeline: Timeline;
  range: CurveRange | null;
  smoothing: number | undefined;
  onRange: (range: CurveRange | null) => void;
  onSmoothing: (value: number) => void;
};

/** A figure that the framework declares. */
function ViewCurve({ figure, timeline, ...shared }: ViewCurveProps) {
  const t = useTranslate();
  const series = useMemo(() => viewSeries(figure, timeline), [figure, timeline]);
  return (
    <Curve
      title={figure.title}
      note={figure.note}
      series={series}
      xLabel={t('live.curve.x')}
      yLabel={t(`figure.unit.${figure.unit}`)}
      format={valueText(figure)}
      floor={0}
      height={128}
      isRangeShared
      {...shared}
    />
  );
}

type RatesProps = Pick<TasksTabProps, 'search' | 'change' | 'spans'> & {
  rows: readonly Difficulty[];
  rates: readonly RatesView[];
  steps: readonly number[];
  kept: readonly [number, number] | null;
  range: CurveRange | null;
};

/** Rates step by step, and those of the chosen steps together, of each stage that has any. */
export function Rates({ rows, rates, steps, spans, kept, range, search, change }: RatesProps) {
  const t = useTranslate();
  const types = useMemo(() => typesOf(rows), [rows]);
  const taskType = types.find((each) => each === search.type) ?? null;
  const own = useMemo(() => ofType(rows, taskType), [rows, taskType]);
  const stageOf = useMemo(() => stageAlong(spans), [spans]);
  const all = rates.map(({ title, stage }) => ({
    title,
    steps: stage === null ? steps : steps.filter((step) => stageOf(step)?.stage === stage),
  }));
  const reached = all.filter((each) => each.steps.length > 0);
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
      {/* Before the first step all of them say what will be here; afterwards those of stages that the run has come to. */}
      {(reached.length > 0 ? reached : all).map((each) => (
        <RatesOfStage key={each.title} {...each} rows={own} kept={kept} range={range} />
      ))}
    </div>
  );
}

type RatesOfStageProps = Pick<RatesProps, 'rows' | 'steps' | 'kept' | 'range'> & { title: string };

function RatesOfStage({ title, rows, steps, kept, range }: RatesOfStageProps) {
  const t = useTranslate();
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
  const chosen = steps.filter(
    (step) => range === null || (step >= range.from && step <= (range.to ?? Infinity)),
  );
  const [whole] = difficultyColumns(rows, chosen, 1);
  const facts = whole === undefined ? null : columnFacts(whole);
  const window =
    kept === null
      ? null
      : t('live.tasks.kept', { low: percentText(kept[0], 0), high: percentText(kept[1], 0) });
  return (
    <>
      <Heat
        title={title}
        columnsFor={(most) => difficultyColumns(rows, steps, most)}
        rowLabels={labels}
        xLabel={t('live.curve.x')}
        cellText={said}
        note={window ?? t('live.tasks.note')}
        empty={t('live.tasks.empty')}
        kept={kept}
      />
      {whole !== undefined && facts !== null && facts.tasks > 0 ? (
        <Bars
          title={t('live.tasks.whole', { from: whole.from, to: whole.to })}
          bars={whole.counts.map((value, tenth) => ({
            id: String(tenth),
            label: labels[tenth] as string,
            value,
            color: kept === null || (tenth / 10 >= kept[0] && tenth / 10 <= kept[1]) ? 0 : OUTSIDE,
          }))}
          columns={[t('live.tasks.whole.rate'), t('live.tasks.whole.tasks')]}
          format={(value) => value.toLocaleString('en')}
          note={t('live.tasks.whole.note', {
            tasks: facts.tasks,
            taught: facts.tasks - facts.never - facts.always,
          })}
        />
      ) : (
        <div />
      )}
    </>
  );
}

/** Number of the colour of rates that are not kept. */
const OUTSIDE = 7;
