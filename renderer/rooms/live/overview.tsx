import { useState } from 'react';
import {
  knowsAgreementOnly,
  type CheckpointScore,
  type RunRecord,
  type StageSpan,
  type Tripped,
  viewOf,
} from '../../../electron/contract/index.ts';
import { type Bar, Bars, type CurveRange, secondsByStage } from '../../charts/index.ts';
import { api, readableFailure, useApiQuery, useSideQuery, useVerification } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { durationText, issueText, percentText, QueryState, VerificationPanel } from '../../ui/index.ts';
import { ExportCard } from './parts/export-card.tsx';
import { SupervisionCost } from './parts/supervision-cost.tsx';
import { OverviewFacts } from './parts/run-facts.tsx';
import { Findings } from './findings.tsx';
import { newestScores } from './model/curves.ts';
import { SystemCurves } from './parts/system-panel.tsx';
import { ALL_PARTS, quantile, type Timeline, timelineCells } from './model/timeline.ts';

const MOST_ISSUES = 10;

/** What a run is and what it came to. */
export function Overview({
  run,
  spans,
  timeline,
  scores,
  tripped,
}: {
  run: RunRecord;
  /** Of the run's schedule; empty where all its steps are alike. */
  spans: readonly StageSpan[];
  timeline: Timeline;
  scores: readonly CheckpointScore[];
  tripped: readonly Tripped[];
}) {
  const t = useTranslate();
  const runId = run.id;
  const costs = useApiQuery('records.supervisionCost', api.records.supervisionCost, { runId });
  const issues = useSideQuery('records.issueCounts', api.records.issueCounts, { runId });
  const findings = useApiQuery('records.findings', api.records.findings, { runId });
  const checkpoints = useSideQuery('runs.checkpoints', api.runs.checkpoints, { runId });
  const kept = useSideQuery('live.keptCheckpoints', api.live.keptCheckpoints, { runId });
  const told = useSideQuery('live.saidAndWas', api.live.saidAndWas, {
    runId,
    committedSteps: run.committedSteps,
  });
  const verification = useVerification({ runId });
  const [range, setRange] = useState<CurveRange | null>(null);
  const counts = new Map<string, number>();
  for (const { issue, count } of issues.data ?? []) counts.set(issue, (counts.get(issue) ?? 0) + count);
  const issueBars: Bar[] = [...counts.entries()]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_ISSUES)
    .map(([issue, count]) => ({ id: issue, label: issueText(t, issue), value: count }));
  const { step, bars } = newestScores(scores, t);
  const stages = secondsByStage(
    spans,
    viewOf(run.config.framework.name).stages,
    timeline.steps.map((at, place) => ({ step: at, seconds: timeline.timings['step']?.[place] ?? 0 })),
  );
  return (
    <div className="live-overview">
      <div className="live-stack">
        {tripped.length > 0 && (
          <section className="live-card" aria-label={t('live.overview.tripped')}>
            <h2>{t('live.overview.tripped')}</h2>
            <ul className="live-tripped">
              {tripped.map(({ evaluationId, said }) => (
                <li key={`${evaluationId} ${said}`}>{said}</li>
              ))}
            </ul>
          </section>
        )}
        <OverviewFacts
          run={run}
          timeline={timeline}
          keptSteps={kept.data ?? []}
          told={told.data ?? null}
          checkpoints={
            checkpoints.data === undefined
              ? null
              : {
                  count: checkpoints.data.length,
                  bytes: checkpoints.data.reduce((sum, { bytes }) => sum + bytes, 0),
                }
          }
        />
        {timeline.steps.length > 0 && (
          <Bars
            title={t('live.overview.parts')}
            bars={partBars(timeline).map((bar) => ({ ...bar, label: t(`live.part.${bar.part}`) }))}
            columns={[t('live.overview.part'), t('live.overview.cost.seconds')]}
            format={durationText}
            isTime
          />
        )}
        {stages.length > 0 && (
          <Bars
            title={t('live.overview.stages')}
            bars={stages.map(({ stage: { name, letter, label }, seconds, share }, color) => ({
              id: name,
              label: `${letter}, ${label} (${percentText(share, 0)})`,
              value: seconds,
              color,
            }))}
            columns={[t('live.stages.stage'), t('live.overview.cost.seconds')]}
            format={durationText}
            isTime
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
        <QueryState read={findings} problemOf={readableFailure}>
          {(data) => <Findings findings={data} byAgreement={knowsAgreementOnly(run.config.framework.name)} />}
        </QueryState>
        <ExportCard run={run} />
        <section className="live-card" aria-label={t('verify.title')}>
          <h2>{t('verify.title')}</h2>
          <VerificationPanel text={t('verify.text.run')} {...verification} />
        </section>
      </div>
      <SystemCurves
        runId={runId}
        committedSteps={run.committedSteps}
        syncKey={`overview ${runId}`}
        range={range}
        onRange={setRange}
      />
    </div>
  );
}

/** Median seconds of each sub-phase over all steps, in the order they are taken; what took less than half a hundredth is left out. */
function partBars(timeline: Timeline) {
  const cells = timelineCells(timeline, timeline.steps.length);
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
