import { useCallback, useEffect, useRef, useState } from 'react';
import type { RecordFilter } from '../../../../electron/contract/index.ts';
import { api, useApiQuery } from '../../../data/index.ts';
import type { RecordList } from './use-record-list.ts';

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
  const position = useApiQuery(
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
