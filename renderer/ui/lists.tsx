import {
  useCallback,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
} from 'react';
import {
  afterScroll,
  elementHeight,
  placeOfRow,
  rowsInView,
  type ListShape,
  type ScrollPlace,
} from './scroll-window.ts';
import { useTextScale } from './text-scale.ts';

type DataListProps<T> = {
  label: string;
  rows: readonly T[];
  keyOf: (row: T) => string;
  rowHeight: number;
  /** All rows there are, loaded or not; announced to screen readers. */
  total: number;
  selected: string | null;
  onSelect: (key: string, row: T) => void;
  onOpen?: (key: string, row: T) => void;
  /** One click opens, as Enter does; without it a click selects and two open. */
  opensOnClick?: boolean;
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
  opensOnClick,
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
      opensOnClick={opensOnClick}
      renderRow={(index, isSelected) => renderRow(at(index), isSelected)}
    />
  );
}

type WindowedListProps = {
  label: string;
  count: number;
  /** CSS pixels at usual letters, the same for every row. */ rowHeight: number;
  /** All rows there are, for screen readers, where more exist than the list has yet. */
  total?: number;
  /** Names a row in the document; rows that are not loaded yet have names too. */
  keyOf: (index: number) => string;
  /** Names the list: another one begins at its top, or at its selected row. */
  name?: string;
  /** The rows of another list are on their way; these stay until they are there. */
  isStale?: boolean;
  selected: number | null;
  onSelect: (index: number) => void;
  onOpen?: (index: number) => void;
  opensOnClick?: boolean;
  renderRow: (index: number, isSelected: boolean) => ReactNode;
  /** Called with the rows in view (with a few more on each side), to load them. */
  onView?: (first: number, last: number) => void;
};

const SPARE_ROWS = 8;
const UNMEASURED_VIEW = 600; // until the first layout; only the first paint depends on it

/** A list of any length of which only the rows in view exist, each reached by its number; arrow keys, j and k move, Enter opens. */
export function WindowedList({
  label,
  count,
  rowHeight: usualRowHeight,
  total = count,
  name,
  isStale = false,
  keyOf,
  selected,
  onSelect,
  onOpen,
  opensOnClick = false,
  renderRow,
  onView,
}: WindowedListProps) {
  const box = useRef<HTMLDivElement>(null);
  const rowHeight = Math.round(usualRowHeight * useTextScale());
  const [viewHeight, setViewHeight] = useState(UNMEASURED_VIEW);
  // Exact to the pixel; what is drawn changes only when other rows come into view.
  const exact = useRef<ScrollPlace>({ top: 0, base: 0 });
  const [place, setPlace] = useState<ScrollPlace>({ top: 0, base: 0 });
  const shape: ListShape = { count, rowHeight, viewHeight };
  const { first, last } = rowsInView(place, shape, SPARE_ROWS);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      if (element.clientHeight > 0) setViewHeight(element.clientHeight);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  /** @param from where the element stands now, in its own pixels */
  const moveTo = (next: ScrollPlace, from: number): void => {
    // The element is not asked where it stands: after a change of rows that would lay out the whole page at once.
    if (box.current !== null && Math.abs(next.top - from) >= 1) box.current.scrollTop = next.top;
    exact.current = next;
    setPlace((drawn) => (isSameView(drawn, next, shape) ? drawn : next));
  };
  const isLoaded = selected !== null && selected < count;
  useLayoutEffect(() => {
    if (selected !== null && isLoaded) moveTo(placeOfRow(selected, exact.current, shape), exact.current.top);
    // Only another list, selection or height scrolls: somebody who scrolled away is not called back by every repaint.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [name, selected, isLoaded, viewHeight, rowHeight]);
  useEffect(() => onView?.(first, last), [onView, first, last]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 1);
    const from = selected ?? -1;
    const targets: Record<string, number> = {
      ArrowDown: from + 1,
      j: from + 1,
      ArrowUp: from - 1,
      k: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 0,
      End: count - 1,
    };
    const target = event.ctrlKey || event.metaKey || event.altKey ? undefined : targets[event.key];
    if (target !== undefined && count > 0) onSelect(Math.max(0, Math.min(count - 1, target)));
    else if (event.key === 'Enter' && selected !== null && onOpen !== undefined) onOpen(selected);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the screen may have the same key as a command, which would move twice
  };
  const isSelectedThere = selected !== null && selected >= first && selected <= last;
  return (
    <div
      ref={box}
      className="ui-list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      aria-busy={isStale}
      aria-activedescendant={isSelectedThere ? rowId(keyOf(selected)) : undefined}
      onScroll={({ currentTarget: { scrollTop } }) =>
        moveTo(afterScroll(exact.current, scrollTop, shape), scrollTop)
      }
    >
      <div style={{ height: elementHeight(shape), position: 'relative' }} role="presentation">
        {Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset).map((index) => (
          <div
            key={keyOf(index)}
            id={rowId(keyOf(index))}
            className="ui-list-row"
            role="option"
            aria-selected={index === selected}
            aria-posinset={index + 1}
            aria-setsize={total}
            style={{ height: rowHeight, transform: `translateY(${index * rowHeight - place.base}px)` }}
            data-opens={opensOnClick}
            onClick={() => {
              onSelect(index);
              if (opensOnClick) onOpen?.(index);
            }}
            onDoubleClick={() => {
              if (!opensOnClick) onOpen?.(index);
            }}
          >
            {renderRow(index, index === selected)}
          </div>
        ))}
      </div>
    </div>
  );
}

function isSameView(left: ScrollPlace, right: ScrollPlace, shape: ListShape): boolean {
  const [before, after] = [rowsInView(left, shape, SPARE_ROWS), rowsInView(right, shape, SPARE_ROWS)];
  return left.base === right.base && before.first === after.first && before.last === after.last;
}

const rowId = (key: string): string => `row-${key.replaceAll(/[^\w-]/g, '-')}`;
