import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { RunOrder, RunRow } from '../../../../electron/contract/index.ts';
import { api, useApiQuery } from '../../../data/index.ts';
import { type MessageId, useTranslate } from '../../../i18n/index.ts';
import { type LiveProgress, RunCells } from './run-cells.tsx';

type Column = { id: string; word: MessageId; by: RunOrder['by'] | null };

const COLUMNS: readonly Column[] = [
  { id: 'pick', word: 'runs.column.pick', by: null },
  { id: 'state', word: 'runs.column.state', by: 'state' },
  { id: 'name', word: 'runs.column.name', by: 'name' },
  { id: 'model', word: 'runs.column.model', by: 'model' },
  { id: 'supervision', word: 'runs.column.supervision', by: 'supervision' },
  { id: 'progress', word: 'runs.column.progress', by: 'progress' },
  { id: 'code', word: 'runs.column.code', by: null },
  { id: 'math', word: 'runs.column.math', by: null },
  { id: 'asr', word: 'runs.column.asr', by: null },
  { id: 'rr', word: 'runs.column.rr', by: null },
  { id: 'seconds', word: 'runs.column.seconds', by: 'seconds' },
  { id: 'bytes', word: 'runs.column.bytes', by: 'bytes' },
  { id: 'tags', word: 'runs.column.tags', by: null },
];

const NEWEST_FIRST: RunOrder = { by: 'created', descending: true };
const ROW_HEIGHT = 32;
const OVERSCAN = 10;
const NEAR_END_ROWS = 15; // the next page is asked for before the last row is reached

type RunTableProps = {
  rows: readonly RunRow[];
  total: number;
  live: Record<string, LiveProgress | undefined>;
  order: RunOrder;
  onOrder: (order: RunOrder) => void;
  selected: string | null;
  onSelect: (id: string) => void;
  onOpen: (id: string) => void;
  picked: readonly string[];
  onPick: (id: string) => void;
  onNearEnd: () => void;
};

const NONE: never[] = [];
const NOBODY: Record<string, never[]> = {};

/** The runs as a grid: only the rows in view exist; arrows, j and k move, Enter opens, x picks. */
export function RunTable({
  rows,
  total,
  live,
  order,
  onOrder,
  selected,
  onSelect,
  onOpen,
  picked,
  onPick,
  onNearEnd,
}: RunTableProps) {
  const t = useTranslate();
  const runIds = rows.map(({ id }) => id);
  const aggregates =
    useApiQuery('evaluations.ofRuns', api.evaluations.ofRuns, { runIds }, { enabled: runIds.length > 0 })
      .data ?? NOBODY;
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR_END_ROWS) onNearEnd();
  }, [last, rows.length, onNearEnd]);
  const place = rows.findIndex(({ id }) => id === selected);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? ROW_HEIGHT) / ROW_HEIGHT) - 2);
    const targets: Record<string, number> = {
      ArrowDown: place + 1,
      j: place + 1,
      ArrowUp: place - 1,
      k: place - 1,
      PageDown: place + page,
      PageUp: place - page,
      Home: 0,
      End: rows.length - 1,
    };
    const target = targets[event.key];
    if (event.key === 'Enter' && selected !== null) onOpen(selected);
    else if (target === undefined) return;
    else {
      const next = Math.max(0, Math.min(rows.length - 1, target));
      const row = rows[next];
      if (row !== undefined) onSelect(row.id);
      virtual.scrollToIndex(next);
    }
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      className="runs-table"
      role="grid"
      tabIndex={0}
      aria-label={t('runs.table')}
      aria-rowcount={total + 1}
      aria-colcount={COLUMNS.length}
      aria-multiselectable
      aria-activedescendant={place < 0 ? undefined : rowId(rows[place] as RunRow)}
      onKeyDown={onKeyDown}
    >
      <div className="runs-line runs-head" role="row" aria-rowindex={1}>
        {COLUMNS.map((column) => (
          <Head key={column.id} column={column} order={order} onOrder={onOrder} />
        ))}
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, start }) => {
          const row = rows[index] as RunRow;
          return (
            // The grid itself takes the keys and points at the row, as lists of any length do.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <div
              key={row.id}
              id={rowId(row)}
              className="runs-line runs-row"
              role="row"
              aria-rowindex={index + 2}
              aria-selected={row.id === selected}
              data-picked={picked.includes(row.id)}
              style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
              onClick={() => onSelect(row.id)}
              onDoubleClick={() => onOpen(row.id)}
            >
              <RunCells
                row={row}
                live={live[row.id]}
                isPicked={picked.includes(row.id)}
                aggregates={aggregates[row.id] ?? NONE}
                onPick={() => onPick(row.id)}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

const rowId = ({ id }: RunRow): string => `run-${id.replaceAll(/[^\w-]/g, '-')}`;

function Head({
  column: { id, word, by },
  order,
  onOrder,
}: {
  column: Column;
  order: RunOrder;
  onOrder: (order: RunOrder) => void;
}) {
  const t = useTranslate();
  const name = t(word);
  if (by === null)
    return (
      <span role="columnheader" className="runs-cell" data-column={id}>
        {name}
      </span>
    );
  const isSorted = order.by === by;
  const largestFirst = by !== 'name' && by !== 'model' && by !== 'state';
  // A second press turns the order round, a third goes back to newest first.
  const next: RunOrder = !isSorted
    ? { by, descending: largestFirst }
    : order.descending === largestFirst
      ? { by, descending: !largestFirst }
      : NEWEST_FIRST;
  const label = t(!isSorted ? 'runs.sort.none' : order.descending ? 'runs.sort.down' : 'runs.sort.up', {
    column: name,
  });
  return (
    <span
      role="columnheader"
      className="runs-cell"
      data-column={id}
      aria-sort={!isSorted ? 'none' : order.descending ? 'descending' : 'ascending'}
    >
      <button type="button" className="runs-sort" title={label} onClick={() => onOrder(next)}>
        {name}
        {isSorted && <span aria-hidden>{order.descending ? ' ↓' : ' ↑'}</span>}
      </button>
    </span>
  );
}
