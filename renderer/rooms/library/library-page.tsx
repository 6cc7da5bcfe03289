import { z } from 'zod';
import { useState } from 'react';
import type { Job } from '../../../electron/contract/index.ts';
import { useCommand } from '../../commands/index.ts';
import { api, readableFailure, useApiMutation, useJobs, useApiQuery } from '../../data/index.ts';
import {
  Button,
  EmptyState,
  Page,
  QueryState,
  Tabs,
  useRoomNavigate,
  useRoomSearch,
  JobLine,
  Stack,
  following,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { DatasetsTable, ModelsTable, TestSets } from './tables.tsx';
import { DatasetInspector, ModelInspector } from './inspectors.tsx';
import './library.css';

const searchSchema = z.object({
  tab: z.enum(['models', 'datasets']).catch('models'),
  selected: z.string().optional().catch(undefined),
});
const JOB_KINDS = ['import', 'verify', 'test-load', 'judge-probe', 'manifest'];

/** /library: what the lab can train, review with and solve. */
export function LibraryPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [{ tab, selected }, change] = useRoomSearch(searchSchema);
  const list = useApiQuery('library.list', api.library.list, undefined);
  const sets = useApiQuery('datasets.list', api.datasets.list, undefined);
  const testSets = sets.data ?? [];
  const jobs = useJobs(JOB_KINDS);
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const testLoad = useApiMutation(api.library.testLoad, { invalidates: ['jobs'] });
  const verify = useApiMutation(api.library.verify, { invalidates: ['jobs'] });
  const remove = useApiMutation(api.library.remove, { invalidates: ['library'] });
  const model = list.data?.models.find(({ name }) => name === selected) ?? null;
  const dataset = list.data?.datasets.find(({ name }) => name === selected) ?? null;
  const chosen = tab === 'models' ? model : dataset;
  const group = t('library.group');
  useCommand({
    id: 'library.import',
    title: t('library.import'),
    keys: 'i',
    group,
    run: () => navigate('/library/import'),
  });
  useCommand({
    id: 'library.bring',
    title: t('library.bring'),
    keys: null,
    group,
    run: () => navigate('/library/bring'),
  });
  useCommand(
    {
      id: 'library.testLoad',
      title: t('library.testLoad'),
      keys: 't',
      group,
      run: () => {
        if (model !== null) testLoad.mutate({ name: model.name });
      },
    },
    tab === 'models' && model !== null,
  );
  const select = (name: string): void => change({ selected: name });
  return (
    <Page
      title={t('library.title')}
      flush
      actions={
        <>
          <Button variant="default" onClick={() => navigate('/library/bring')}>
            {t('library.bring')}
          </Button>
          <Button onClick={() => navigate('/library/import')}>{t('library.import')}</Button>
        </>
      }
    >
      <QueryState read={following(sets, list)} problemOf={readableFailure}>
        {({ models, datasets }) => (
          <div className="library-split" data-alone={chosen === null}>
            <div className="library-main">
              <JobsPanel jobs={jobs} onCancel={(id) => cancel.mutate({ id })} />
              <Tabs
                value={tab}
                onChange={(value) => change({ tab: value as 'models' | 'datasets', selected: undefined })}
                keepMounted={false}
              >
                <Tabs.List aria-label={t('library.tabs')}>
                  <Tabs.Tab value="models">{t('library.tab.models', { n: models.length })}</Tabs.Tab>
                  <Tabs.Tab value="datasets">
                    {t('library.tab.datasets', { n: datasets.length + testSets.length })}
                  </Tabs.Tab>
                </Tabs.List>
                {chosen === null && models.length + datasets.length > 0 && (
                  <p className="library-hint">{t('library.inspector.none')}</p>
                )}
                <Tabs.Panel value="models">
                  <ModelsTable models={models} selected={selected ?? null} onSelect={select} />
                </Tabs.Panel>
                <Tabs.Panel value="datasets">
                  {datasets.length > 0 && (
                    <DatasetsTable datasets={datasets} selected={selected ?? null} onSelect={select} />
                  )}
                  <TestSets
                    sets={testSets}
                    onOpen={(name) => navigate('/evaluations', {}, { tab: 'datasets', dataset: name })}
                  />
                  {datasets.length + testSets.length === 0 && (
                    <EmptyState
                      title={t('library.datasets.empty.title')}
                      text={t('library.datasets.empty.text')}
                    >
                      <Button onClick={() => navigate('/library/import')}>{t('library.import')}</Button>
                      <Button variant="default" onClick={() => navigate('/library/bring')}>
                        {t('library.bring')}
                      </Button>
                    </EmptyState>
                  )}
                </Tabs.Panel>
              </Tabs>
            </div>
            {chosen !== null && (
              <aside className="library-inspector" aria-label={t('library.inspector', { name: chosen.name })}>
                {tab === 'models' && model !== null && (
                  <ModelInspector
                    model={model}
                    onTestLoad={() => testLoad.mutate({ name: model.name })}
                    onVerify={() => verify.mutate({ name: model.name })}
                    onRemove={() => {
                      remove.mutate({ name: model.name, what: 'model' });
                      change({ selected: undefined });
                    }}
                    onOpenRun={(runId) => navigate('/runs/$runId', { runId })}
                  />
                )}
                {tab === 'datasets' && dataset !== null && (
                  <DatasetInspector
                    dataset={dataset}
                    onRemove={() => {
                      remove.mutate({ name: dataset.name, what: 'dataset' });
                      change({ selected: undefined });
                    }}
                  />
                )}
              </aside>
            )}
          </div>
        )}
      </QueryState>
    </Page>
  );
}

/** Running jobs, and the ended ones until the person hides them. Nothing when there are none. */
export function JobsPanel({ jobs, onCancel }: { jobs: readonly Job[]; onCancel: (id: string) => void }) {
  const t = useTranslate();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = jobs.filter(({ id, state }) => state === 'running' || !hidden.has(id)).slice(0, 4);
  if (shown.length === 0) return null;
  return (
    <Stack gap={6} mb="sm" role="region" aria-label={t('library.jobs')}>
      {shown.map((job) => (
        <JobLine
          key={job.id}
          job={job}
          onCancel={() => onCancel(job.id)}
          onDismiss={() => setHidden((before) => new Set([...before, job.id]))}
        />
      ))}
    </Stack>
  );
}
