import { useCallback } from 'react';
import { Skeleton, WindowedList } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { ListRows } from '../use-rows.ts';
import { RecordRow, ROW_HEIGHT } from './record-row.tsx';

type RecordListProps = {
  rows: ListRows;
  selected: number | null;
  onSelect: (index: number) => void;
  onOpen: (index: number) => void;
};

/** The records of the filter, of which only those in view exist. */
export function RecordList({ rows, selected, onSelect, onOpen }: RecordListProps) {
  const t = useTranslate();
  const { name, isStale, rowAt, want, count } = rows;
  const renderRow = useCallback(
    (index: number) => {
      const entry = rowAt(index);
      if (entry === undefined) return <LoadingRow label={t('records.row.loading', { n: index + 1 })} />;
      return <RecordRow row={entry.row} found={entry.found} note={entry.note} />;
    },
    [rowAt, t],
  );
  return (
    <WindowedList
      label={t('records.list')}
      name={name}
      isStale={isStale}
      count={count ?? 0}
      rowHeight={ROW_HEIGHT}
      keyOf={(index) => String(index)}
      selected={selected}
      onSelect={onSelect}
      onOpen={onOpen}
      onView={want}
      renderRow={renderRow}
    />
  );
}

function LoadingRow({ label }: { label: string }) {
  return (
    <div className="records-row" role="img" aria-label={label}>
      <Skeleton height={10} mt={8} width="60%" animate={false} />
      <Skeleton height={10} mt={10} width="85%" animate={false} />
    </div>
  );
}
