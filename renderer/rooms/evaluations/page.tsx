import { useState } from 'react';
import type { EvaluationSummary, Job } from '../../../electron/contract/index.ts';
import { useCommand } from '../../commands/index.ts';
import { api, useApiMutation, useJobs, useSideQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Page, Tabs, useRoomSearch, Button, JobLine, Stack, Text, Quiet } from '../../ui/index.ts';
import { DatasetsTab } from './datasets/datasets-tab.tsx';
import { ItemsTab } from './items/items-tab.tsx';
import { JudgesTab } from './judges/judges-tab.tsx';
import { MatrixTab } from './matrix/matrix-tab.tsx';
import { evaluationsSearch, TABS, type TabName } from './page-state.ts';
import { SuitesTab } from './suites/suites-tab.tsx';
import './evaluations.css';
import './matrix/matrix.css';
import './tables.css';
import './items/items.css';
import './datasets/datasets.css';

const JOB_KINDS = [
  'evaluate',
  'calibrate',
  'dataset-import',
  'dataset-verify',
  'dataset-manifest',
  'contamination',
];
const PANELS = {
  suites: SuitesTab,
  matrix: MatrixTab,
  items: ItemsTab,
  datasets: DatasetsTab,
  judges: JudgesTab,
} as const;

/** /evaluations: what was measured of every policy, by which suites, judges and data. */
export function EvaluationsPage() {
  const t = useTranslate();
  const [search, change] = useRoomSearch(evaluationsSearch);
  const jobs = useJobs(JOB_KINDS);
  const unfinished = useSideQuery('evaluations.unfinished', api.evaluations.unfinished, undefined);
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const resume = useApiMutation(api.evaluations.resume, { invalidates: ['jobs', 'evaluations'] });
  const group = t('evaluations.group');
  const step = (by: 1 | -1): void =>
    change({ tab: TABS[(TABS.indexOf(search.tab) + by + TABS.length) % TABS.length] });
  useCommand({
    id: 'evaluations.nextTab',
    title: t('evaluations.tab.next'),
    keys: ']',
    group,
    run: () => step(1),
  });
  useCommand({
    id: 'evaluations.previousTab',
    title: t('evaluations.tab.previous'),
    keys: '[',
    group,
    run: () => step(-1),
  });
  const Panel = PANELS[search.tab];
  return (
    <Page title={t('evaluations.title')} flush>
      <EvaluationProgress
        jobs={jobs}
        unfinished={unfinished.data ?? []}
        isResuming={resume.isPending}
        onCancel={(id) => cancel.mutate({ id })}
        onResume={(ids) => resume.mutate({ ids })}
      />
      <Tabs
        className="evaluations-tabs"
        value={search.tab}
        onChange={(value) => change({ tab: value as TabName }, { replace: false })}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('evaluations.tabs')}>
          {TABS.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {t(`evaluations.tab.${tab}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={search.tab} className="evaluations-panel">
          <Panel search={search} onChange={change} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

type Unfinished = { summary: EvaluationSummary; jobId: string | null };

type ProgressProps = {
  jobs: readonly Job[];
  unfinished: readonly Unfinished[];
  isResuming: boolean;
  onCancel: (id: string) => void;
  onResume: (ids: string[]) => void;
};

const MOST_JOBS = 4;
const MOST_NAMED = 3;
/** Jobs that leave nothing else on the screen when they end well. */
const TOLD_WHEN_DONE: readonly string[] = ['dataset-verify', 'dataset-manifest'];

/** What is being evaluated now, with its pace, and what was cut off and can go on. Nothing when there is neither. */
export function EvaluationProgress({ jobs, unfinished, isResuming, onCancel, onResume }: ProgressProps) {
  const t = useTranslate();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = jobs
    .filter(
      ({ id, kind, state }) =>
        state === 'running' ||
        (!hidden.has(id) && (state === 'failed' || (state === 'done' && TOLD_WHEN_DONE.includes(kind)))),
    )
    .slice(0, MOST_JOBS);
  // One that runs without a job of its own is asked by a run that is at work; when an engine opens, nothing is running.
  const cutOff = unfinished
    .filter(({ jobId, summary }) => jobId === null && summary.state !== 'running')
    .map(({ summary }) => summary);
  if (shown.length === 0 && cutOff.length === 0) return null;
  return (
    <Stack gap={6} className="evaluations-progress" role="region" aria-label={t('evaluations.progress')}>
      {shown.map((job) => (
        <JobLine
          key={job.id}
          job={job}
          onCancel={() => onCancel(job.id)}
          onDismiss={() => setHidden((before) => new Set([...before, job.id]))}
        />
      ))}
      {cutOff.length > 0 && <CutOff summaries={cutOff} isResuming={isResuming} onResume={onResume} />}
    </Stack>
  );
}

/** Evaluations that ended before their last item: what is kept, and the one button that goes on. */
function CutOff({
  summaries,
  isResuming,
  onResume,
}: {
  summaries: readonly EvaluationSummary[];
  isResuming: boolean;
  onResume: (ids: string[]) => void;
}) {
  const t = useTranslate();
  const graded = summaries.reduce((sum, summary) => sum + summary.graded, 0);
  const planned = summaries.reduce((sum, summary) => sum + summary.planned, 0);
  const names = summaries
    .slice(0, MOST_NAMED)
    .map(({ plan }) => t('evaluations.cutOff.name', { suite: plan.suite, subject: plan.subject.label }));
  return (
    <div className="ui-job evaluations-cut-off">
      <div>
        <Text size="sm" fw={600}>
          {t('evaluations.cutOff', { n: summaries.length })}
        </Text>
        <Quiet size="xs" className="numbers">
          {t('evaluations.cutOff.kept', { graded, left: Math.max(0, planned - graded) })} {names.join('; ')}
          {summaries.length > MOST_NAMED
            ? ` ${t('evaluations.cutOff.more', { n: summaries.length - MOST_NAMED })}`
            : ''}
        </Quiet>
        {summaries[0]?.problem != null && (
          <Text size="xs" c="var(--warn)">
            {summaries[0].problem}
          </Text>
        )}
      </div>
      <Button size="compact-sm" loading={isResuming} onClick={() => onResume(summaries.map(({ id }) => id))}>
        {t('evaluations.resume')}
      </Button>
    </div>
  );
}
