import { useCallback, useMemo, useRef } from 'react';
import type { RunOrder } from '../../../electron/contract/index.ts';
import { useCommand } from '../../commands/index.ts';
import {
  everyRow,
  ROWS_AT_A_TIME,
  api,
  notify,
  readableFailure,
  useApiMutation,
  useApiPages,
  useSideQuery,
  useLiveState,
} from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Button,
  CsvButton,
  NoMatch,
  Page,
  QueryState,
  useRoomNavigate,
  useRoomSearch,
} from '../../ui/index.ts';
import { runsTable } from './model/table.ts';
import { parseFilter, runsSearch, STATE_GROUPS, type StateGroup } from './model/filter.ts';
import { EmptyRuns, PickedBar, RunBar } from './parts/list-bars.tsx';
import { RunTable } from './parts/run-table.tsx';
import { SampleGroup } from './parts/sample-group.tsx';
import { SelectedRun } from './selected-run.tsx';
import './runs.css';

const PAGE_ROWS = 60;

/** /runs: every run of the lab, newest first unless the address says otherwise. */
export function RunsPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const input = useRef<HTMLInputElement>(null);
  const [{ q, state, by, order: direction, run, picked }, change] = useRoomSearch(runsSearch);
  const group = (state ?? null) as StateGroup | null;
  const order = useMemo<RunOrder>(() => ({ by, descending: direction === 'down' }), [by, direction]);
  const { filter, problems } = useMemo(() => parseFilter(q), [q]);
  const asked = useMemo(
    () => ({ ...filter, ...(group === null ? {} : { states: [...STATE_GROUPS[group]] }) }),
    [filter, group],
  );
  const read = useApiPages(
    'runs.rows',
    api.runs.rows,
    useMemo(() => ({ filter: asked, order, limit: PAGE_ROWS }), [asked, order]),
  );
  const live = useLiveState((all) => all.progress);
  const sample = useSideQuery('runs.sample', api.runs.sample, undefined);
  const removeSample = useApiMutation(api.tour.remove, { invalidates: ['tour', 'runs', 'evaluations'] });
  const annotate = useApiMutation(api.runs.annotate, { invalidates: ['runs'] });

  const pick = useCallback(
    (ids: readonly string[]) => change({ picked: ids.length === 0 ? undefined : ids.join(',') }),
    [change],
  );
  const toggle = (id: string): void =>
    pick(picked.includes(id) ? picked.filter((other) => other !== id) : [...picked, id]);
  const compare = (): void => navigate('/runs/compare', {}, { runs: picked.join(',') });
  const open = useCallback((runId: string) => navigate('/runs/$runId', { runId }), [navigate]);
  const search = useCallback((text: string) => change({ q: text === '' ? undefined : text }), [change]);
  const archive = (): void =>
    annotate.mutate(
      { runIds: [...picked], change: { archived: true } },
      {
        onSuccess: () => {
          notify(t('runs.archived', { n: picked.length }));
          pick([]);
        },
      },
    );

  const tag = (tags: string[]): void => annotate.mutate({ runIds: [...picked], change: {}, addTags: tags });

  const words = t('runs.group');
  useCommand({
    id: 'runs.filter',
    title: t('runs.filter.focus'),
    keys: '/',
    group: words,
    run: () => input.current?.focus(),
  });
  useCommand({ id: 'runs.new', title: t('runs.new'), keys: null, group: words, run: () => navigate('/new') });
  useCommand(
    {
      id: 'runs.pick',
      title: t('runs.pickRun'),
      keys: 'x',
      group: words,
      run: () => {
        if (run !== undefined) toggle(run);
      },
    },
    run !== undefined,
  );
  useCommand(
    { id: 'runs.compare', title: t('runs.compare'), keys: 'c', group: words, run: compare },
    picked.length >= 2,
  );
  useCommand(
    {
      id: 'runs.open',
      title: t('runs.openRun'),
      keys: 'o',
      group: words,
      run: () => {
        if (run !== undefined) open(run);
      },
    },
    run !== undefined,
  );
  useCommand(
    {
      id: 'runs.close',
      title: t('runs.closeInspector'),
      keys: 'Escape',
      group: words,
      run: () => change({ run: undefined }),
    },
    run !== undefined,
  );

  const first = read.pages?.[0];
  const rows = useMemo(() => (read.pages ?? []).flatMap((page) => page.rows), [read.pages]);
  const isFiltered = q !== '' || group !== null;
  return (
    <Page
      title={t('runs.title')}
      flush
      actions={
        <>
          {rows.length > 0 && (
            <CsvButton
              title={t('runs.title')}
              table={async () =>
                runsTable(
                  await everyRow((cursor) =>
                    api.runs.rows.query({ filter: asked, order, cursor, limit: ROWS_AT_A_TIME }),
                  ),
                )
              }
              isWorded
            />
          )}
          <Button onClick={() => navigate('/new')}>{t('runs.new')}</Button>
        </>
      }
    >
      <SampleGroup
        rows={sample.data ?? []}
        picked={picked}
        onPick={toggle}
        onOpen={open}
        onDemo={() => navigate('/demo', {}, { alone: 'sample-alone', supervised: 'sample-supervised' })}
        onDelete={() =>
          removeSample.mutate(undefined, {
            onSuccess: () => {
              notify(t('tour.deleted'));
              pick(picked.filter((id) => !sample.data?.some((row) => row.id === id)));
            },
          })
        }
      />
      <QueryState
        read={{ data: first, error: read.error, isPending: read.isPending, refetch: read.refetch }}
        problemOf={readableFailure}
      >
        {({ total, states }) =>
          total === 0 && !isFiltered && Object.keys(states).length === 0 ? (
            <>
              {/* Which of the two an empty lab is, the sample has to say. */}
              {sample.data !== undefined && (
                <EmptyRuns
                  hasSample={sample.data.length > 0}
                  onSample={() => navigate('/demo')}
                  onNew={() => navigate('/new')}
                />
              )}
              {picked.length > 0 && (
                <PickedBar
                  n={picked.length}
                  onCompare={compare}
                  onArchive={archive}
                  onUnpick={() => pick([])}
                  onTag={tag}
                />
              )}
            </>
          ) : (
            <>
              <RunBar
                input={input}
                text={q}
                onText={search}
                problems={problems}
                states={states}
                group={group}
                shown={rows.length}
                total={total}
                onGroup={(value) => change({ state: value ?? undefined })}
              />
              <div className="runs-split">
                <div className="runs-main">
                  {total === 0 ? (
                    <NoMatch
                      title={t('runs.noMatch')}
                      filter={[
                        q,
                        group === null ? '' : t(`runs.states.${group}`),
                        filter.archived === undefined ? t('runs.noMatch.archived') : '',
                      ]
                        .filter((part) => part !== '')
                        .join(' · ')}
                      onClear={() => change({ q: undefined, state: undefined })}
                    />
                  ) : (
                    <RunTable
                      rows={rows}
                      total={total}
                      live={live}
                      order={order}
                      onOrder={(next) => change({ by: next.by, order: next.descending ? 'down' : 'up' })}
                      selected={run ?? null}
                      onSelect={(id) => change({ run: id })}
                      onOpen={open}
                      picked={picked}
                      onPick={toggle}
                      onNearEnd={read.more}
                    />
                  )}
                  {picked.length > 0 && (
                    <PickedBar
                      n={picked.length}
                      onCompare={compare}
                      onArchive={archive}
                      onUnpick={() => pick([])}
                      onTag={tag}
                    />
                  )}
                </div>
                {run !== undefined && (
                  <SelectedRun
                    runId={run}
                    onOpen={() => open(run)}
                    onClose={() => change({ run: undefined })}
                  />
                )}
              </div>
            </>
          )
        }
      </QueryState>
    </Page>
  );
}
