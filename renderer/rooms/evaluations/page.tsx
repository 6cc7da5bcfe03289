import { useCommand } from '../../commands/index.ts';
import { api, useApiMutation, useJobs, useApiQuery } from '../../data/index.ts';
import { Page, Tabs, useRoomSearch } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { DatasetsTab } from './datasets/datasets-tab.tsx';
import { ItemsTab } from './items/items-tab.tsx';
import { JudgesTab } from './judges/judges-tab.tsx';
import { MatrixTab } from './matrix/matrix-tab.tsx';
import { evaluationsSearch, TABS, type TabName } from './model/search.ts';
import { EvaluationProgress } from './parts/progress.tsx';
import { SuitesTab } from './suites/suites-tab.tsx';
import './evaluations.css';
import './matrix/matrix.css';
import './parts/tables.css';
import './items/items.css';
import './datasets/datasets.css';

const JOB_KINDS = ['evaluate', 'calibrate', 'dataset-import', 'dataset-verify', 'dataset-manifest'];
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
  const unfinished = useApiQuery('evaluations.unfinished', api.evaluations.unfinished, undefined);
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
