import { useCallback, type ReactNode } from 'react';
import { WindowedList } from './windowed-list.tsx';

type DataListProps<T> = {
  label: string;
  rows: readonly T[];
  keyOf: (row: T) => string;
  rowHeight: number;
  /** All rows there are, loaded or not; told to screen readers. */
  total: number;
  selected: string | null;
  onSelect: (key: string, row: T) => void;
  onOpen?: (key: string, row: T) => void;
  renderRow: (row: T, isSelected: boolean) => ReactNode;
  /** Called when the last loaded rows come into view, to load more. */
  onNearEnd?: () => void;
};

const NEAR_END_ROWS = 60; // a page is asked for well before a person scrolling fast gets there

/** A list that is loaded from its beginning on; one whose rows are reached by number is a WindowedList. */
export function DataList<T>({
  label,
  rows,
  keyOf,
  rowHeight,
  total,
  selected,
  onSelect,
  onOpen,
  renderRow,
  onNearEnd,
}: DataListProps<T>) {
  const { length } = rows;
  const onView = useCallback(
    (_first: number, last: number): void => {
      if (onNearEnd !== undefined && length > 0 && last >= length - NEAR_END_ROWS) onNearEnd();
    },
    [length, onNearEnd],
  );
  const place = selected === null ? -1 : rows.findIndex((row) => keyOf(row) === selected);
  const at = (index: number): T => rows[index] as T;
  return (
    <WindowedList
      label={label}
      count={length}
      total={total}
      rowHeight={rowHeight}
      keyOf={(index) => keyOf(at(index))}
      selected={place < 0 ? null : place}
      onView={onView}
      onSelect={(index) => onSelect(keyOf(at(index)), at(index))}
      onOpen={onOpen === undefined ? undefined : (index) => onOpen(keyOf(at(index)), at(index))}
      renderRow={(index, isSelected) => renderRow(at(index), isSelected)}
    />
  );
}
