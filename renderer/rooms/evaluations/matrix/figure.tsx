import type { CellMark, MatrixCell, MatrixRow } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  changeText,
  DIRECTIONS,
  directionOf,
  isIncomparable,
  scoreText,
  spreadText,
  toneOf,
  valueOf,
} from '../model/figures.ts';

/** One sign per mark; the words stand in the cell's sentence and in the legend. */
export const MARK_SIGNS: Record<CellMark, string> = {
  partial: '◪',
  judge: '⚠',
  protocol: '⚠',
  items: '⚠',
  unjudged: '?',
  'load-affected': '◷',
  overridden: '✎',
};

type FigureProps = {
  row: MatrixRow;
  cell: MatrixCell | null;
  /** Shown instead of the value where there is one. */ change: number | null;
  isDelta: boolean;
};

/** The number of a cell: value or change, its interval and how many answers are behind it. */
export function Figure({ row, cell, change, isDelta }: FigureProps) {
  const t = useTranslate();
  if (cell === null) return <span className="evaluations-hole">–</span>;
  if (valueOf(cell) === null)
    return (
      <span className="evaluations-hole">
        {t(cell.state === 'running' ? 'evaluations.cell.running' : 'evaluations.cell.incomplete')}
      </span>
    );
  const { unit, better } = row;
  const spread = spreadText(cell.low, cell.high, unit);
  const signs = [...new Set(cell.marks.map((mark) => MARK_SIGNS[mark]))];
  const isChange = isDelta && change !== null;
  return (
    <span className="evaluations-figure numbers" data-apart={isIncomparable(cell)}>
      {isChange ? (
        <span className="evaluations-value evaluations-change" data-tone={toneOf(change, better, unit)}>
          {DIRECTIONS[directionOf(change, unit)]} {changeText(change, unit)}
        </span>
      ) : (
        <span className="evaluations-value">{scoreText(valueOf(cell), unit)}</span>
      )}
      {signs.length > 0 && <span className="evaluations-signs">{signs.join(' ')}</span>}
      <span className="evaluations-small">
        {[
          isChange ? scoreText(valueOf(cell), unit) : spread,
          t(cell.state === 'complete' ? 'evaluations.cell.n' : 'evaluations.cell.of', {
            n: cell.n,
            of: cell.of,
          }),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </span>
    </span>
  );
}
