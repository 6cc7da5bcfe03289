import { useMemo } from 'react';
import {
  type CheckpointScore,
  placeInSpan,
  type RunRecord,
  type RunWires,
  type StageSpan,
  viewOf,
} from '../../../electron/contract/index.ts';
import { type CurveRange, stageAlong, wiresOfAllSuites } from '../../charts/index.ts';
import { useLiveState } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { NativeSelect, useRoomNavigate } from '../../ui/index.ts';
import { useReviewQueue } from './hooks.ts';
import { choiceOf, CURVE_IDS, type CurveId } from './model/curve-choices.ts';
import { chosenCurves } from './model/curves.ts';
import { meanReviewSeconds, type Timeline } from './model/timeline.ts';
import { ContextPanel } from './parts/context-panel.tsx';
import { FeedPanel } from './parts/feed-panel.tsx';
import { TrainerMemory } from './parts/trainer-memory.tsx';
import { RunCurve } from './parts/run-curve.tsx';
import { ReviewQueueLine } from './parts/review-queue.tsx';
import { StageStrip } from './parts/stage-strip.tsx';
import { StepInside } from './parts/step-inside.tsx';
import { StepTimeline } from './parts/step-timeline.tsx';
import { GpuPanel, MachineNow, SystemCurves } from './parts/system-panel.tsx';
import { UnusedPanel } from './parts/unused.tsx';
import type { ChangeSearch, LiveSearch } from './search.ts';

type LiveTabProps = {
  run: RunRecord;
  committedSteps: number;
  /** Of the run's schedule; empty where all its steps are alike. */
  spans: readonly StageSpan[];
  timeline: Timeline;
  scores: readonly CheckpointScore[];
  wires: RunWires;
  isAtWork: boolean;
  search: LiveSearch;
  change: ChangeSearch;
  topAsked: number;
};

/** The run as it works: its steps, four curves, the feed and the context, all narrowed by one range of steps. */
export function LiveTab({
  run,
  committedSteps,
  spans,
  timeline,
  scores,
  wires,
  isAtWork,
  search,
  change,
  topAsked,
}: LiveTabProps) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const reviewing = useReviewQueue(run.id, isAtWork);
  const { supervision } = run.config;
  const resources = useLiveState((state) => state.resources);
  const runId = run.id;
  const range: CurveRange | null =
    search.from === undefined ? null : { from: search.from, to: search.to ?? null };
  const setRange = (next: CurveRange | null): void => change({ from: next?.from, to: next?.to ?? undefined });
  const chosen = chosenCurves(search.curves ?? '', run.config);
  const choose = (place: number, id: CurveId): void => change({ curves: chosen.with(place, id).join('.') });
  // Before the first step there is C_1; afterwards the newest context is that of the step under way.
  const contextStep = Math.min(range?.to ?? committedSteps + 1, committedSteps + 1);
  // The one step that is chosen, else the newest.
  const insideStep = range !== null && range.to !== null ? range.to : (timeline.steps.at(-1) ?? 0);
  const placeOf = (step: number): string | null => {
    const span = stageAlong(spans)(step);
    if (span === undefined) return null;
    const view = viewOf(run.config.framework.name).stages.find(({ name }) => name === span.stage);
    return t('live.stages.place', {
      iteration: span.iteration,
      stage: view?.letter ?? span.stage,
      ...placeInSpan(span, step),
    });
  };
  const evaluated = [...new Set(scores.flatMap(({ step }) => (step === null ? [] : [step])))];
  return (
    <div className="live-tab">
      {spans.length > 0 && (
        <StageStrip
          framework={run.config.framework.name}
          spans={spans}
          timeline={timeline}
          committedSteps={committedSteps}
          isAtWork={isAtWork}
          range={range}
          onRange={setRange}
        />
      )}
      <StepTimeline
        timeline={timeline}
        evaluated={evaluated}
        range={range}
        onRange={setRange}
        onOpenStep={(from, to) => navigate('/runs/$runId/records', { runId }, { from, to })}
        placeOf={placeOf}
      />
      {reviewing !== null && (
        <ReviewQueueLine
          {...reviewing}
          usualSeconds={supervision.human === undefined ? meanReviewSeconds(timeline) : null}
          budgetSeconds={supervision.budgetSeconds}
        />
      )}
      <div className="live-columns">
        <div className="live-left">
          <CurveGrid
            runId={runId}
            timeline={timeline}
            scores={scores}
            wires={wires}
            chosen={chosen}
            range={range}
            smoothing={search.smoothing}
            onChoose={choose}
            onRange={setRange}
            onSmoothing={(value) => change({ smoothing: value })}
          />
          {isAtWork && resources !== null && <MachineNow sample={resources} />}
          {isAtWork && resources !== null && <GpuPanel sample={resources} />}
          <TrainerMemory runId={runId} committedSteps={committedSteps} />
          {insideStep > 0 && <StepInside runId={runId} step={insideStep} />}
          {timeline.steps.length > 0 && (
            <UnusedPanel
              runId={runId}
              steps={timeline.steps}
              range={range}
              onRange={setRange}
              syncKey={`live ${runId}`}
            />
          )}
          <SystemCurves
            runId={runId}
            committedSteps={committedSteps}
            syncKey={`live ${runId}`}
            range={range}
            onRange={setRange}
          />
        </div>
        <div className="live-right">
          <FeedPanel
            runId={runId}
            range={range}
            committedSteps={committedSteps}
            isAtWork={isAtWork}
            search={search}
            change={change}
            topAsked={topAsked}
          />
          <ContextPanel
            runId={runId}
            step={contextStep}
            compare={search.compare ?? null}
            isFiller={run.config.supervision.contextText === 'filler'}
            onCompare={(step) => change({ compare: step })}
          />
        </div>
      </div>
    </div>
  );
}

type CurveGridProps = {
  runId: string;
  timeline: Timeline;
  scores: readonly CheckpointScore[];
  wires: RunWires;
  chosen: readonly CurveId[];
  range: CurveRange | null;
  smoothing: number | undefined;
  onChoose: (place: number, id: CurveId) => void;
  onRange: (range: CurveRange | null) => void;
  onSmoothing: (value: number) => void;
};

/** Four curves of the person's choice over the same steps, with one crosshair. */
function CurveGrid({
  runId,
  timeline,
  scores,
  wires,
  chosen,
  range,
  smoothing,
  onChoose,
  onRange,
  onSmoothing,
}: CurveGridProps) {
  const t = useTranslate();
  const marked = useMemo(() => wiresOfAllSuites(t, runId, wires), [runId, wires, t]);
  return (
    <div className="live-curves">
      {chosen.map((id, place) => (
        <RunCurve
          key={place}
          id={id}
          syncKey={`live ${runId}`}
          timeline={timeline}
          scores={scores}
          marked={marked}
          range={range}
          smoothing={smoothing}
          onRange={onRange}
          onSmoothing={onSmoothing}
          heading={
            <NativeSelect
              size="xs"
              variant="unstyled"
              className="live-choice"
              aria-label={t('live.curve.choose', { place: place + 1 })}
              value={id}
              onChange={(event) => onChoose(place, event.currentTarget.value as CurveId)}
              data={CURVE_IDS.map((each) => ({
                value: each,
                label: t(choiceOf(each).title),
                disabled: each !== id && chosen.includes(each),
              }))}
            />
          }
        />
      ))}
    </div>
  );
}
