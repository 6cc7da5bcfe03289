import { useState } from 'react';
import { type RunRecord, type RunWires, viewOf } from '../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery, useLiveState, useSideQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Button,
  EmptyState,
  ErrorPanel,
  Loading,
  Page,
  QueryState,
  RunTabs,
  StaleBanner,
  useRoomNavigate,
  useRoomParameter,
  useRoomSearch,
} from '../../ui/index.ts';
import { useBanners, useElapsed, useTimeline } from './hooks.ts';
import { LiveTab } from './live-tab.tsx';
import { isAtWork } from './model/banners.ts';
import { chosenCurves, metricNames, viewMetrics } from './model/curves.ts';
import { timeLeft } from './model/timeline.ts';
import { Overview } from './overview.tsx';
import { RunActions, RunBanners, RunTitle } from './parts/run-header.tsx';
import { liveSearchSchema } from './search.ts';
import { TasksTab } from './tasks-tab.tsx';

/** Of a run whose tripwires are still read. */
const NO_WIRES: RunWires = { tripped: [], limits: [] };

/** One run: live while it works, an overview when it is done. */
export function LivePage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const runId = useRoomParameter('runId');
  const run = useApiQuery('runs.get', api.runs.get, { runId }, { keep: false });
  // An id that names nothing is no failed read: somebody deleted the run or mistyped.
  const isUnknown = run.error !== null && readableFailure(run.error).kind === 'unknownRun';
  if (isUnknown || run.data === null) {
    return (
      <EmptyState title={t('live.unknown')} text={t('live.unknown.text', { runId })}>
        <Button onClick={() => navigate('/runs')}>{t('live.unknown.runs')}</Button>
      </EmptyState>
    );
  }
  return (
    <QueryState read={run} problemOf={readableFailure}>
      {(record) => (record === null ? null : <RunPage key={runId} run={record} />)}
    </QueryState>
  );
}

function RunPage({ run }: { run: RunRecord }) {
  const t = useTranslate();
  const runId = run.id;
  const [search, change] = useRoomSearch(liveSearchSchema);
  const [topAsked, setTopAsked] = useState(0);
  const { timeline, isReady, error, readAgain } = useTimeline(
    runId,
    [
      ...metricNames(chosenCurves(search.curves ?? '', run.config)),
      ...(search.tab === 'tasks' ? viewMetrics(run.config.framework.name) : []),
    ],
    run.committedSteps,
  );
  // A run of one stage has no schedule to show.
  const hasStages = viewOf(run.config.framework.name).stages.length > 0;
  const schedule = useSideQuery('live.schedule', api.live.schedule, { runId }, { enabled: hasStages });
  const spans = schedule.data ?? [];
  const scores = useSideQuery('evaluations.ofRun', api.live.scores, { runId });
  const wires = useSideQuery('evaluations.wires', api.evaluations.wires, { runId });
  const progress = useLiveState((state) => state.progress[runId] ?? null);
  const committedSteps = Math.max(run.committedSteps, timeline.steps.at(-1) ?? 0);
  const working = isAtWork(run.state);
  const stage = progress !== null && working && progress.stage !== 'committed' ? progress : null;
  const spent = useElapsed(`step ${committedSteps}`, working);
  const seconds = timeline.timings['step'] ?? [];
  const left = timeLeft(seconds, run.config.steps - committedSteps);
  const { banners, usualStep } = useBanners(run, timeline, stage?.stage ?? null);
  const tab = search.tab ?? (run.state === 'done' ? 'overview' : 'live');
  return (
    <Page
      title={run.config.name}
      origin={run.config.name}
      flush
      aside={<RunTitle run={run} committedSteps={committedSteps} stage={stage} left={left} />}
      actions={
        <RunActions
          run={run}
          spentSeconds={spent > 0 ? spent : null}
          onFeedTop={() => setTopAsked(topAsked + 1)}
        />
      }
    >
      <RunTabs runId={runId} active={tab} />
      <RunBanners runId={runId} banners={banners} usualStep={usualStep} />
      {error != null && isReady && <StaleBanner problem={readableFailure(error)} onRetry={readAgain} />}
      {error != null && !isReady && <ErrorPanel problem={readableFailure(error)} onRetry={readAgain} />}
      {error == null && !isReady && <Loading label={t('common.loading')} />}
      {isReady && tab === 'live' && (
        <LiveTab
          run={run}
          committedSteps={committedSteps}
          spans={spans}
          timeline={timeline}
          scores={scores.data ?? []}
          wires={wires.data ?? NO_WIRES}
          isAtWork={working}
          search={search}
          change={change}
          topAsked={topAsked}
        />
      )}
      {isReady && tab === 'tasks' && (
        <TasksTab
          run={run}
          committedSteps={committedSteps}
          spans={spans}
          timeline={timeline}
          search={search}
          change={change}
        />
      )}
      {isReady && tab === 'overview' && (
        <Overview
          run={run}
          spans={spans}
          timeline={timeline}
          scores={scores.data ?? []}
          tripped={wires.data?.tripped ?? []}
        />
      )}
    </Page>
  );
}
