import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslate } from '../i18n/index.ts';
import { useTextScale } from './text-scale.ts';

export type GridOrder<By extends string> = { by: By; descending: boolean };
export type GridColumn<By extends string> = {
  /** Names the column to style sheets: `[data-column='name']`. */
  id: string;
  title: string;
  /** What pressing its head sorts by; null where nothing does. */
  by: By | null;
  /** Which way the first press sorts: text usually smallest first. */
  smallestFirst?: boolean;
};

const OVERSCAN = 10;
const NEAR_END_ROWS = 15; // the next page is asked for before the last row is reached

type SortedGridProps<T, By extends string> = {
  label: string;
  /** Carries `--columns`, the widths of the columns, and what else a list styles of its own. */
  className: string;
  columns: readonly GridColumn<By>[];
  rows: readonly T[];
  /** CSS pixels at usual letters, the same for every row. */
  rowHeight: number;
  keyOf: (row: T) => string;
  /** All rows there are, loaded or not; announced to screen readers. */
  total: number;
  order: GridOrder<By>;
  /** What the third press on a head goes back to. */
  usualOrder: GridOrder<By>;
  onOrder: (order: GridOrder<By>) => void;
  selected: string | null;
  onSelect: (key: string) => void;
  onOpen: (key: string) => void;
  /** Rows that were picked, in a list in which several can be. */
  picked?: readonly string[];
  /** `gridcell`s of class `ui-grid-cell`, in the order of the columns. */
  renderCells: (row: T) => ReactNode;
  /** Called when the last loaded rows come into view, to load more. */
  onNearEnd: () => void;
};

/** Rows in sortable columns: only those in view exist; arrows, j and k move, Enter or two clicks open. */
export function SortedGrid<T, By extends string>({
  label,
  className,
  columns,
  rows,
  rowHeight: usualRowHeight,
  keyOf,
  total,
  order,
  usualOrder,
  onOrder,
  selected,
  onSelect,
  onOpen,
  picked,
  renderCells,
  onNearEnd,
}: SortedGridProps<T, By>) {
  const box = useRef<HTMLDivElement>(null);
  const rowHeight = Math.round(usualRowHeight * useTextScale());
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  });
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR_END_ROWS) onNearEnd();
  }, [last, rows.length, onNearEnd]);
  const place = selected === null ? -1 : rows.findIndex((row) => keyOf(row) === selected);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? rowHeight) / rowHeight) - 2);
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
      if (row !== undefined) onSelect(keyOf(row));
      virtual.scrollToIndex(next);
    }
    event.preventDefault();
  };
  return (
    <div
      ref={box}
      className={`ui-grid ${className}`}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      aria-multiselectable={picked === undefined ? undefined : true}
      aria-activedescendant={place < 0 ? undefined : rowId(keyOf(rows[place] as T))}
      onKeyDown={onKeyDown}
    >
      <div className="ui-grid-line ui-grid-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <Head key={column.id} column={column} order={order} usualOrder={usualOrder} onOrder={onOrder} />
        ))}
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, start }) => {
          const row = rows[index] as T;
          const key = keyOf(row);
          return (
            // The grid itself takes the keys and points at the row, as lists of any length do.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <div
              key={key}
              id={rowId(key)}
              className="ui-grid-line ui-grid-row"
              role="row"
              aria-rowindex={index + 2}
              aria-selected={key === selected}
              data-picked={picked?.includes(key)}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              onClick={() => onSelect(key)}
              onDoubleClick={() => onOpen(key)}
            >
              {renderCells(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const rowId = (key: string): string => `grid-${key.replaceAll(/[^\w-]/g, '-')}`;

type HeadProps<By extends string> = {
  column: GridColumn<By>;
  order: GridOrder<By>;
  usualOrder: GridOrder<By>;
  onOrder: (order: GridOrder<By>) => void;
};

function Head<By extends string>({
  column: { id, title, by, smallestFirst = false },
  order,
  usualOrder,
  onOrder,
}: HeadProps<By>) {
  const t = useTranslate();
  if (by === null)
    return (
      <span role="columnheader" className="ui-grid-cell" data-column={id}>
        {title}
      </span>
    );
  const isSorted = order.by === by;
  // A second press turns the order round, a third goes back to the usual one.
  const next: GridOrder<By> = !isSorted
    ? { by, descending: !smallestFirst }
    : order.descending === smallestFirst
      ? usualOrder
      : { by, descending: smallestFirst };
  const label = t(!isSorted ? 'common.sort.none' : order.descending ? 'common.sort.down' : 'common.sort.up', {
    column: title,
  });
  return (
    <span
      role="columnheader"
      className="ui-grid-cell"
      data-column={id}
      aria-sort={!isSorted ? 'none' : order.descending ? 'descending' : 'ascending'}
    >
      <button type="button" className="ui-grid-sort" title={label} onClick={() => onOrder(next)}>
        {title}
        {isSorted && <span aria-hidden>{order.descending ? ' ↓' : ' ↑'}</span>}
      </button>
    </span>
  );
}
