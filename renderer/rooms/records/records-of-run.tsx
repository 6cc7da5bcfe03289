import { useMemo, useRef } from 'react';
import type { RecordFilter, RunRecord, SavedFilter } from '../../../electron/contract/index.ts';
import { useRoomSearch } from '../../ui/index.ts';
import { SidePane } from './facets/side-pane.tsx';
import { ListPane } from './list/list-pane.tsx';
import { SearchBox } from './list/search-box.tsx';
import { neighbourPhase } from './model/pair.ts';
import {
  filterOf,
  NO_FILTER,
  recordOfLink,
  recordsSearchSchema,
  searchOf,
  type RecordsSearch,
} from './model/search-schema.ts';
import { NextContext } from './pair/next-context.tsx';
import { ShownRecord } from './pair/shown-record.tsx';
import { useCursor } from './use-cursor.ts';
import { useLatest } from './use-latest.ts';
import { useList } from './use-list.ts';
import { useRecordActs } from './use-record-acts.ts';
import { useRecordCommands } from './use-record-commands.ts';

/** The records of one run: questions at the left, the list in the middle, one record beside its reviews at the right. */
export function RecordsOfRun({ run }: { run: RunRecord }) {
  const runId = run.id;
  const [search, change] = useRoomSearch(recordsSearchSchema);
  const { view, focus, q: text = '' } = search;
  const filterName = JSON.stringify(filterOf(search));
  const filter = useMemo(() => JSON.parse(filterName) as RecordFilter, [filterName]);
  const link =
    search.record === undefined ? { record: undefined, phase: undefined } : recordOfLink(search.record);
  const phase = search.phase ?? link.phase;
  const list = useList(runId, search, filter);
  const onRecord = useLatest((record: string) => change({ record, phase: undefined }));
  const cursor = useCursor(runId, filter, list, link.record, onRecord);
  const searchBox = useRef<HTMLInputElement>(null);
  const { act, goStep } = useRecordActs({
    runId,
    recordId: cursor.shown,
    filter,
    onRecord,
    onSimilar: (similar) => change({ similar, q: undefined }),
    onContext: () => change({ context: true }),
  });

  const onChange = useLatest((part: Partial<RecordsSearch>) => change(part));
  const onFilter = useLatest((part: Partial<RecordFilter>) =>
    change({ ...searchOf(part), similar: undefined }),
  );
  const onApply = useLatest(({ filter: wanted, text: typed }: SavedFilter) =>
    change({ ...NO_FILTER, ...searchOf(wanted), q: typed === '' ? undefined : typed }),
  );
  const onText = useLatest((q: string) => change({ q: q === '' ? undefined : q, similar: undefined }));
  const onClear = useLatest(() => change(NO_FILTER));
  const onView = useLatest((next: RecordsSearch['view']) => change({ view: next }));
  const onFocus = useLatest(() => change({ focus: focus === true ? undefined : true }));
  const onAct = useLatest(act);
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
