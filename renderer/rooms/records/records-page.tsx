import { useMemo, useRef, useCallback, useLayoutEffect } from 'react';
import type { RecordFilter, RunRecord, SavedFilter } from '../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Button,
  EmptyState,
  Page,
  QueryState,
  RunTabs,
  useRoomNavigate,
  useRoomParameter,
  useRoomSearch,
} from '../../ui/index.ts';
import {
  filterOf,
  NO_FILTER,
  recordOfLink,
  recordsSearchSchema,
  searchOf,
  type RecordsSearch,
} from './filters/address.ts';
import { SidePane } from './filters/side-pane.tsx';
import { ListPane } from './list/list-pane.tsx';
import { SearchBox } from './list/search-box.tsx';
import { useCursor, useList } from './list/use-record-list.ts';
import { NextContext } from './record/next-context.tsx';
import { neighbourPhase } from './record/record.ts';
import { ShownRecord } from './record/shown-record.tsx';
import { useRecordActs, useRecordCommands } from './use-record-actions.ts';
import './records.css';

/** /runs/$runId/records: find a record of a run and read it beside its reviews. */
export function RecordsPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const runId = useRoomParameter('runId');
  const run = useApiQuery('runs.get', api.runs.get, { runId }, { keep: false });
  const noRun = (
    <EmptyState title={t('records.noRun.title')} text={t('records.noRun.text')}>
      <Button onClick={() => navigate('/runs')}>{t('records.empty.runs')}</Button>
    </EmptyState>
  );
  const isUnknown = run.error !== null && readableFailure(run.error).kind === 'unknownRun';
  return (
    <Page title={t('records.title', { run: run.data?.config.name ?? runId })} flush>
      <RunTabs runId={runId} active="records" />
      {isUnknown ? (
        noRun
      ) : (
        <QueryState read={run} problemOf={readableFailure}>
          {(found) => {
            if (found === null) return noRun;
            if (found.committedSteps === 0) {
              return (
                <EmptyState title={t('records.empty.title')} text={t('records.empty.text')}>
                  <Button onClick={() => navigate('/runs/$runId', { runId })}>
                    {t('records.empty.live')}
                  </Button>
                  <Button variant="default" onClick={() => navigate('/runs')}>
                    {t('records.empty.runs')}
                  </Button>
                </EmptyState>
              );
            }
            return <RecordsOfRun key={runId} run={found} />;
          }}
        </QueryState>
      )}
    </Page>
  );
}

/** The records of one run: questions at the left, the list in the middle, one record beside its reviews at the right. */
function RecordsOfRun({ run }: { run: RunRecord }) {
  const runId = run.id;
  const [search, change] = useRoomSearch(recordsSearchSchema);
  const { view, focus, q: text = '' } = search;
  const filterName = JSON.stringify(filterOf(search));
  const filter = useMemo(() => JSON.parse(filterName) as RecordFilter, [filterName]);
  const link =
    search.record === undefined ? { record: undefined, phase: undefined } : recordOfLink(search.record);
  const phase = search.phase ?? link.phase;
  const list = useList(runId, search, filter);
  const onRecord = useStableCallback((record: string) => change({ record, phase: undefined }));
  const cursor = useCursor({ runId, filter, list, recordId: link.record, onSelect: onRecord });
  const searchBox = useRef<HTMLInputElement>(null);
  const { act, goStep } = useRecordActs({
    runId,
    recordId: cursor.shown,
    filter,
    onRecord,
    onSimilar: (similar) => change({ similar, q: undefined }),
    // Back closes the drawer, as somebody who opened it expects, and stays in the room.
    onContext: () => change({ context: true }, { replace: false }),
  });

  const onChange = useStableCallback((part: Partial<RecordsSearch>) => change(part));
  const onFilter = useStableCallback((part: Partial<RecordFilter>) =>
    change({ ...searchOf(part), similar: undefined }),
  );
  const onApply = useStableCallback((saved: SavedFilter) =>
    change({ ...NO_FILTER, ...searchOf(saved.filter), q: saved.text === '' ? undefined : saved.text }),
  );
  const onText = useStableCallback((q: string) =>
    change({ q: q === '' ? undefined : q, similar: undefined }),
  );
  const onClear = useStableCallback(() => change(NO_FILTER));
  const onView = useStableCallback((next: RecordsSearch['view']) => change({ view: next }));
  const onFocus = useStableCallback(() => change({ focus: focus === true ? undefined : true }));
  const onAct = useStableCallback(act);
  useRecordCommands({
    move: cursor.move,
    goStep,
    act,
    onFocus,
    onView: () => onView(view === 'raw' ? 'rendered' : 'raw'),
    onPhase: (by) => change({ phase: neighbourPhase(phase, by), view: 'rendered' }),
    onSearch: () => searchBox.current?.focus(),
  });
  return (
    <div className="records" data-focus={focus === true}>
      {focus !== true && (
        <>
          <SidePane
            facets={list.facets.data}
            hasFailed={list.facets.error !== null}
            filter={filter}
            text={text}
            steps={run.committedSteps}
            isSearching={list.mode !== 'filter'}
            onFilter={onFilter}
            onApply={onApply}
          />
          <div className="records-middle">
            <SearchBox
              text={text}
              place={search.in ?? null}
              onText={onText}
              onChange={onChange}
              box={searchBox}
            />
            <ListPane
              list={list}
              cursor={cursor}
              search={search}
              filter={filter}
              onChange={onChange}
              onClear={onClear}
            />
          </div>
        </>
      )}
      <ShownRecord
        runId={runId}
        recordId={cursor.shown}
        probabilities={run.config.supervision.phases}
        phase={phase}
        view={view}
        isFocused={focus === true}
        onView={onView}
        onFocus={onFocus}
        onAct={onAct}
        onRecord={onRecord}
      />
      <NextContext
        runId={runId}
        recordId={cursor.shown}
        isOpen={search.context === true}
        onClose={() => change({ context: undefined })}
      />
    </div>
  );
}

/** A function of constant identity that calls the newest `act`, so that memoized parts do not render again for it. It must not be called during rendering. */
function useStableCallback<A extends unknown[]>(act: (...args: A) => void): (...args: A) => void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: A) => latest.current(...args), []);
}
