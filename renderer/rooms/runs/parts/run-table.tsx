import type { RunOrder, RunRow } from '../../../../electron/contract/index.ts';
import { api, useSideQuery } from '../../../data/index.ts';
import { type MessageId, useTranslate } from '../../../i18n/index.ts';
import { SortedGrid } from '../../../ui/index.ts';
import { type LiveProgress, RunCells } from './run-cells.tsx';

type Column = { id: string; word: MessageId; by: RunOrder['by'] | null; smallestFirst?: boolean };

const COLUMNS: readonly Column[] = [
  { id: 'pick', word: 'runs.column.pick', by: null },
  { id: 'state', word: 'runs.column.state', by: 'state', smallestFirst: true },
  { id: 'name', word: 'runs.column.name', by: 'name', smallestFirst: true },
  { id: 'model', word: 'runs.column.model', by: 'model', smallestFirst: true },
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

/** The runs as a grid; x picks. */
export function RunTable({ rows, live, picked, onPick, ...grid }: RunTableProps) {
  const t = useTranslate();
  const runIds = rows.map(({ id }) => id);
  const aggregates =
    useSideQuery('evaluations.ofRuns', api.evaluations.ofRuns, { runIds }, { enabled: runIds.length > 0 })
      .data ?? NOBODY;
  return (
    <SortedGrid
      {...grid}
      label={t('runs.table')}
      className="runs-table"
      columns={COLUMNS.map(({ word, ...column }) => ({ ...column, title: t(word) }))}
      rows={rows}
      rowHeight={ROW_HEIGHT}
      keyOf={({ id }) => id}
      usualOrder={NEWEST_FIRST}
      picked={picked}
      renderCells={(row) => (
        <RunCells
          row={row}
          live={live[row.id]}
          isPicked={picked.includes(row.id)}
          aggregates={aggregates[row.id] ?? NONE}
          onPick={() => onPick(row.id)}
        />
      )}
    />
  );
}
