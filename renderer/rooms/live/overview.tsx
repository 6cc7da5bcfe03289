import type { RunRecord } from '../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { Bars, type Bar } from '../../charts/index.ts';
import { durationText, percentText, QueryState } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { Course } from './model/course.ts';
import type { Score } from './model/curve-choices.ts';
import { newestScores } from './model/newest-scores.ts';
import { quantile } from './model/pace.ts';
import { ALL_PARTS, timelineCells } from './model/timeline.ts';
import { OverviewFacts } from './parts/overview-facts.tsx';
import { SupervisionCost } from './parts/supervision-cost.tsx';

const MOST_ISSUES = 10;

/** What a run is and what it came to. */
export function Overview({
  run,
  course,
  scores,
}: {
  run: RunRecord;
  course: Course;
  scores: readonly (Score & { interval: { low: number; high: number } })[];
}) {
  const t = useTranslate();
  const runId = run.id;
  const costs = useApiQuery('records.supervisionCost', api.records.supervisionCost, { runId });
  const issues = useApiQuery('records.issueCounts', api.records.issueCounts, { runId });
  const checkpoints = useApiQuery('runs.checkpoints', api.runs.checkpoints, { runId });
  const kept = useApiQuery('live.keptCheckpoints', api.live.keptCheckpoints, { runId });
  const counts = new Map<string, number>();
  for (const { issue, count } of issues.data ?? []) counts.set(issue, (counts.get(issue) ?? 0) + count);
  const issueBars: Bar[] = [...counts.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_ISSUES)
    .map(([issue, count]) => ({ id: issue, label: issue, value: count }));
  const { step, bars } = newestScores(scores, t);
  return (
    <div className="live-overview">
      <div className="live-stack">
        <OverviewFacts
          run={run}
          course={course}
          keptSteps={kept.data ?? []}
          checkpoints={
            checkpoints.data === undefined
              ? null
              : {
                  count: checkpoints.data.length,
                  bytes: checkpoints.data.reduce((sum, { bytes }) => sum + bytes, 0),
                }
          }
        />
        {course.steps.length > 0 && (
          <Bars
            title={t('live.overview.parts')}
            bars={partBars(course).map((bar) => ({ ...bar, label: t(`live.part.${bar.part}`) }))}
            columns={[t('live.overview.part'), t('live.overview.cost.seconds')]}
            format={durationText}
          />
        )}
      </div>
      <div className="live-stack">
        <QueryState read={costs} problemOf={readableFailure}>
          {(data) => <SupervisionCost costs={data} />}
        </QueryState>
        {bars.length > 0 && (
          <Bars
            title={`${t('live.overview.scores')} (${t('live.feed.step', { step: step ?? 0 })})`}
            bars={bars}
            most={1}
            columns={[t('live.overview.suite'), t('live.overview.share')]}
            format={(value) => percentText(value, 0)}
            note={t('live.overview.scores.note')}
          />
        )}
        {issueBars.length > 0 && (
          <Bars
            title={t('live.overview.issues')}
            bars={issueBars}
            columns={[t('live.overview.issue'), t('live.overview.cost.reviews')]}
            format={(value) => value.toLocaleString('en')}
          />
        )}
      </div>
    </div>
  );
}

/** Median seconds of each sub-phase over all steps, in the order they are taken; what took less than half a hundredth is left out. */
function partBars(course: Course) {
  const cells = timelineCells(course, course.steps.length);
  return ALL_PARTS.map((part, color) => ({
    id: part,
    part,
    color: Math.min(color, 7),
    value: quantile(
      cells.map(({ parts }) => parts[part]).sort((a, b) => a - b),
      0.5,
    ),
  })).filter(
    ({ value }, _, all) => value >= 0.005 * all.reduce((sum, bar) => sum + bar.value, 0) && value > 0,
  );
}
