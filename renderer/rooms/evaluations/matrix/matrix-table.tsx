import { useRef, useState, type KeyboardEvent } from 'react';
import type { MatrixCell, MatrixColumn, MatrixRow } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { visibleString } from '../../../ui/index.ts';
import { nameOfColumn, stepInGrid, type RowGroup } from './grid.ts';
import { Cell } from './matrix-cell.tsx';

type MatrixTableProps = {
  columns: readonly MatrixColumn[];
  groups: readonly RowGroup[];
  /** For each column, the one its change is measured from. */ bases: readonly (number | null)[];
  isDelta: boolean;
  /** A cell with answers behind it; `before` is the cell that it was compared with. */
  onOpen: (cell: MatrixCell, before: MatrixCell | null) => void;
};

/** Suites by policies. Arrow keys move from cell to cell, Enter opens the answers behind one. */
export function MatrixTable({ columns, groups, bases, isDelta, onOpen }: MatrixTableProps) {
  const t = useTranslate();
  const table = useRef<HTMLTableElement>(null);
  const [place, setPlace] = useState({ row: 0, column: 0 });
  const rows = groups.flatMap((group) => group.rows);
  const at = {
    row: Math.min(place.row, rows.length - 1),
    column: Math.min(place.column, columns.length - 1),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = stepInGrid(event.key, at, { rows: rows.length, columns: columns.length });
    if (next === null) return;
    event.preventDefault();
    setPlace(next);
    table.current?.querySelector<HTMLElement>(`[data-place="${next.row} ${next.column}"]`)?.focus();
  };
  return (
    <div className="evaluations-scroll">
      {/* The cells take the focus one at a time; the table handles the keys that move from one to the next. */}
      <table
        ref={table}
        className="evaluations-matrix"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- a table of cells that can be opened is a grid
        role="grid"
        aria-label={t('evaluations.matrix.table')}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            <th scope="col" className="evaluations-corner">
              {t('evaluations.matrix.suite')}
            </th>
            {columns.map((column, index) => (
              <ColumnHead key={column.key} column={column} isBase={bases.includes(index)} />
            ))}
          </tr>
        </thead>
        {groups.map(({ group, rows: own }) => (
          <tbody key={group}>
            <tr className="evaluations-group">
              <th scope="rowgroup" colSpan={columns.length + 1}>
                {t(`evaluations.group.${group}`)}
              </th>
            </tr>
            {own.map((row) => {
              const number = rows.indexOf(row);
              return (
                <tr key={row.key} data-kind={row.kind}>
                  <RowHead row={row} />
                  {columns.map((column, index) => (
                    <Cell
                      key={column.key}
                      row={row}
                      column={column}
                      index={index}
                      base={bases[index] ?? null}
                      isDelta={isDelta}
                      place={`${number} ${index}`}
                      isActive={number === at.row && index === at.column}
                      onFocus={() => setPlace({ row: number, column: index })}
                      onOpen={onOpen}
                    />
                  ))}
                </tr>
              );
            })}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** The name may be cut short, with the whole of it in the tooltip; step and context are what tells columns of a run apart, and never are. */
function ColumnHead({ column, isBase }: { column: MatrixColumn; isBase: boolean }) {
  const t = useTranslate();
  const { label, known, step, withContext, emptyContext } = column;
  return (
    <th scope="col" data-base={isBase} title={known ? label : t('evaluations.matrix.unknown', { label })}>
      <span className="evaluations-column">{visibleString(nameOfColumn(column))}</span>
      {step !== null && (
        <span className="evaluations-step">
          {t('evaluations.matrix.step', { step, context: withContext ? 'yes' : 'no' })}
        </span>
      )}
      {withContext && emptyContext && (
        <span className="evaluations-small">{t('evaluations.matrix.emptyContext')}</span>
      )}
      {isBase && <span className="evaluations-small">{t('evaluations.matrix.isBase')}</span>}
      {!isBase && !known && <span className="evaluations-small">{t('evaluations.matrix.gone')}</span>}
      {!isBase && known && step === null && (
        <span className="evaluations-small">{t('evaluations.matrix.model')}</span>
      )}
    </th>
  );
}

function RowHead({ row: { label, better, kind } }: { row: MatrixRow }) {
  const t = useTranslate();
  return (
    <th scope="row" className="evaluations-row" data-kind={kind}>
      {visibleString(label)}
      {better !== 'neither' && (
        <span
          className="evaluations-better"
          title={t(better === 'higher' ? 'common.higherIsBetter' : 'common.lowerIsBetter')}
          role="img"
          aria-label={t(better === 'higher' ? 'common.higherIsBetter' : 'common.lowerIsBetter')}
        >
          {better === 'higher' ? '↑' : '↓'}
        </span>
      )}
    </th>
  );
}
