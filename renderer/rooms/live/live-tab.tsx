import type { RunRecord } from '../../../electron/contract/index.ts';
import { useLiveState } from '../../data/index.ts';
import type { CurveRange } from '../../charts/index.ts';
import { useRoomNavigate } from '../../ui/index.ts';
import type { Course } from './model/course.ts';
import { chosenCurves, type CurveId, type Score } from './model/curve-choices.ts';
import { ContextPanel } from './parts/context-panel.tsx';
import { CurveGrid } from './parts/curve-grid.tsx';
import { FeedPanel } from './parts/feed-panel.tsx';
import { MachineNow } from './parts/machine-now.tsx';
import { StepTimeline } from './parts/step-timeline.tsx';
import type { ChangeSearch, LiveSearch } from './search.ts';

type LiveTabProps = {
  run: RunRecord;
  committedSteps: number;
  course: Course;
  scores: readonly Score[];
  isAtWork: boolean;
  search: LiveSearch;
  change: ChangeSearch;
  topAsked: number;
};

/** The run as it works: its steps, four curves, the feed and the context, all narrowed by one range of steps. */
export function LiveTab({
  run,
  committedSteps,
  course,
  scores,
  isAtWork,
  search,
  change,
  topAsked,
}: LiveTabProps) {
  const navigate = useRoomNavigate();
  const resources = useLiveState((state) => state.resources);
  const runId = run.id;
  const range: CurveRange | null =
    search.from === undefined ? null : { from: search.from, to: search.to ?? null };
  const setRange = (next: CurveRange | null): void => change({ from: next?.from, to: next?.to ?? undefined });
  const chosen = chosenCurves(search.curves ?? '');
  const choose = (place: number, id: CurveId): void => change({ curves: chosen.with(place, id).join('.') });
  // Before the first step there is C_1; afterwards the newest context is that of the step under way.
  const contextStep = Math.min(range?.to ?? committedSteps + 1, committedSteps + 1);
  const evaluated = [...new Set(scores.flatMap(({ step }) => (step === null ? [] : [step])))];
  return (
    <div className="live-tab">
      <StepTimeline
        course={course}
        evaluated={evaluated}
        range={range}
        onRange={setRange}
        onOpenStep={(from, to) => navigate('/runs/$runId/records', { runId }, { from, to })}
      />
      <div className="live-columns">
        <div className="live-left">
          <CurveGrid
            runId={runId}
            course={course}
            scores={scores}
            chosen={chosen}
            range={range}
            smoothing={search.smoothing}
            onChoose={choose}
            onRange={setRange}
            onSmoothing={(value) => change({ smoothing: value })}
          />
          {isAtWork && resources !== null && <MachineNow sample={resources} />}
        </div>
        <div className="live-right">
          <FeedPanel
            runId={runId}
            range={range}
            committedSteps={committedSteps}
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
