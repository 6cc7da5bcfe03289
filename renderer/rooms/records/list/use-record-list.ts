import { useMemo, useEffect, useState, useSyncExternalStore, useCallback, useRef } from 'react';
import type { RecordFilter, RecordRow } from '../../../../electron/contract/index.ts';
import { api, useApiQuery, useSideQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { percentText } from '../../../ui/index.ts';
import type { RecordsSearch } from '../filters/address.ts';
import { RowPages } from './row-pages.ts';

const MOST_FOUND = 200; // more than anybody reads through; a narrower search is one word away
const MOST_SIMILAR = 30;
const NONE: readonly ListEntry[] = [];

type ListMode = 'filter' | 'search' | 'similar';

function modeOf(similar: string | undefined, text: string): ListMode {
  if (similar !== undefined) return 'similar';
  return text === '' ? 'filter' : 'search';
}

/** What the list shows: all records of the filter, what a search found among them, or the neighbours of one record. */
export function useList(runId: string, search: RecordsSearch, filter: RecordFilter) {
  const t = useTranslate();
  const text = search.q?.trim() ?? '';
  const mode = modeOf(search.similar, text);
  const facets = useApiQuery('records.facets', api.records.facets, { runId, filter });
  const filtered = useFilteredRows(
    runId,
    filter,
    facets.data === undefined || facets.isPlaceholderData ? null : facets.data.total,
  );
  const found = useApiQuery(
    'records.find',
    api.records.find,
    { runId, filter, text, place: search.in ?? null, limit: MOST_FOUND },
    { enabled: mode === 'search' },
  );
  const similar = useApiQuery(
    'records.similar',
    api.records.similar,
    { runId, recordId: search.similar ?? '', limit: MOST_SIMILAR },
    { enabled: mode === 'similar', keep: false },
  );
  const entries = useMemo((): readonly ListEntry[] => {
    if (mode === 'search')
      return (
        found.data?.records.map(({ row, agent, reviews }) => ({
          row,
          found: agent ?? reviews[0]?.excerpt,
        })) ?? NONE
      );
    return (
      similar.data?.map(({ row, similarity }) => ({
        row,
        note: t('records.similar.share', { share: percentText(similarity, 0) }),
      })) ?? NONE
    );
  }, [mode, found.data, similar.data, t]);
  const fixed = useFixedRows(`${mode} ${text} ${search.similar ?? ''} ${JSON.stringify(filter)}`, entries);
  return { mode, facets, found, similar, rows: mode === 'filter' ? filtered : fixed };
}

export type RecordList = ReturnType<typeof useList>;

/** A row of a list, with what a search found in it or how near it is to another. */
type ListEntry = { row: RecordRow; found?: string; note?: string };

/** Rows of a list by number, wherever they come from. */
export type ListRows = {
  /** Changes with the list, not with its rows. */
  name: string;
  /** Another list is on its way and these are the rows of the one before. */
  isStale: boolean;
  /** Null before anything is known. */
  count: number | null;
  /** No row is there, though some may have been counted. */
  isBlank: boolean;
  rowAt: (index: number) => ListEntry | undefined;
  indexOf: (recordId: string) => number | null;
  want: (first: number, last: number) => void;
  failure: unknown;
  retry: () => void;
};

/**
 * The records of a run under a filter. `total` is their number once it was counted; null before. The list before stays until the
 * first rows of the new one are there, so that nothing blinks.
 */
function useFilteredRows(runId: string, filter: RecordFilter, total: number | null): ListRows {
  const name = JSON.stringify(filter);
  const pages = useMemo(() => {
    const next = new RowPages((first, limit) =>
      api.records.rows.query({ runId, filter: JSON.parse(name) as RecordFilter, first, limit }),
    );
    next.want(0, 0);
    return next;
  }, [runId, name]);
  const [shown, setShown] = useState({ pages, name });
  useSyncExternalStore(pages.subscribe, pages.version);
  const version = useSyncExternalStore(shown.pages.subscribe, shown.pages.version);
  const isStale = shown.pages !== pages;
  if (isStale && (pages.count !== null || pages.failure !== null)) setShown({ pages, name });
  useEffect(() => {
    if (total !== null) pages.setTotal(total);
  }, [pages, total]);
  return useMemo(() => {
    const { count, failure, isBlank, retry, want } = shown.pages;
    return {
      name: shown.name,
      isStale,
      count,
      isBlank,
      failure,
      retry,
      want,
      indexOf: (id) => shown.pages.indexOf(id),
      rowAt: (index) => {
        const row = shown.pages.rowAt(index);
        return row === undefined ? undefined : { row };
      },
    };
    // A new object for each version, so that what is shown of it is drawn again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [shown, version, isStale]);
}

/** Entries that are all there: what a search found. */
function useFixedRows(name: string, entries: readonly ListEntry[]): ListRows {
  return useMemo(
    () => ({
      name,
      isStale: false,
      count: entries.length,
      isBlank: entries.length === 0,
      failure: null,
      retry: () => undefined,
      want: () => undefined,
      rowAt: (index) => entries[index],
      indexOf: (id) => {
        const place = entries.findIndex(({ row }) => row.id === id);
        return place < 0 ? null : place;
      },
    }),
    [name, entries],
  );
}

type CursorOptions = {
  runId: string;
  filter: RecordFilter;
  list: RecordList;
  /** The record of the address; without one the first of the list is shown. */
  recordId: string | undefined;
  onSelect: (id: string) => void;
};

/**
 * Which record is shown, where it stands in the list, and how to move on. Moves are counted from the last requested one, so that
 * presses faster than the page are not lost.
 */
export function useCursor({ runId, filter, list: { rows, mode }, recordId, onSelect }: CursorOptions) {
  const { rowAt, want } = rows;
  const shown = recordId ?? rowAt(0)?.row.id ?? null;
  const loaded = shown === null ? null : rows.indexOf(shown);
  const position = useSideQuery(
    'records.position',
    api.records.position,
    { runId, filter, recordId: shown ?? '' },
    { enabled: mode === 'filter' && recordId !== undefined && loaded === null, keep: false },
  );
  // A requested row that is not read yet; void as soon as anything but that row is shown.
  const [goal, setGoal] = useState<{ at: number; over: string | null } | null>(null);
  const awaited = goal === null ? undefined : rowAt(goal.at)?.row.id;
  const isGoing = goal !== null && (goal.over === shown || awaited === shown);
  const index = isGoing ? goal.at : (loaded ?? position.data ?? null);

  const requested = useRef<{ index: number | null; id: string | null }>({ index: null, id: null });
  useEffect(() => {
    // Somebody else moved: a link, a saved filter, Back.
    if (shown !== requested.current.id && !isGoing) requested.current = { index, id: shown };
    else if (requested.current.index === null) requested.current.index = index;
  }, [shown, index, isGoing]);

  const select = useCallback(
    (at: number): void => {
      const row = rowAt(at)?.row;
      requested.current = { index: at, id: row?.id ?? null };
      if (row === undefined) {
        want(at, at);
        setGoal({ at, over: shown });
      } else {
        setGoal(null);
        onSelect(row.id);
      }
    },
    [rowAt, want, shown, onSelect],
  );

  useEffect(() => {
    if (!isGoing || awaited === undefined || awaited === shown) return;
    requested.current.id = awaited;
    onSelect(awaited);
  }, [isGoing, awaited, shown, onSelect]);

  const move = useCallback(
    (by: number): void => {
      const last = (rows.count ?? 0) - 1;
      if (last < 0) return;
      const from = requested.current.index ?? (by > 0 ? -1 : 0);
      select(Math.max(0, Math.min(last, from + by)));
    },
    [rows.count, select],
  );

  const isOutside = mode === 'filter' && recordId !== undefined && loaded === null && position.data === null;
  return { shown, index, isOutside, select, move };
}
