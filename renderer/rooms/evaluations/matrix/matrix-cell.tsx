import {
  figureOf,
  type CellMark,
  type MatrixCell,
  type MatrixRow,
  type MatrixColumn,
  type ScoreChange,
} from '../../../../electron/contract/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { OVERRIDDEN } from '../../../ui/index.ts';
import {
  changeIntervalText,
  changeText,
  DIRECTIONS,
  directionOf,
  isIncomparable,
  scoreText,
  intervalText,
  toneOf,
  valueOf,
} from '../score-text.ts';

/** One sign per mark; the words stand in the cell's sentence and in the legend. */
export const MARK_SIGNS: Record<CellMark, string> = {
  partial: '◪',
  judge: '⚠',
  protocol: '⚠',
  items: '⚠',
  rules: '⚠',
  unjudged: '?',
  'load-affected': '◷',
  overridden: OVERRIDDEN,
  'mixed-answers': '⇄',
};

type CellProps = {
  row: MatrixRow;
  column: MatrixColumn;
  index: number;
  base: number | null;
  isDelta: boolean;
  place: string;
  isActive: boolean;
  onFocus: () => void;
  /** `before` is the cell that it was compared with. */
  onOpen: (cell: MatrixCell, before: MatrixCell | null) => void;
};

/** One place of the grid: a sentence for screen readers and a figure for the eye. */
export function Cell({ row, column, index, base, isDelta, place, isActive, onFocus, onOpen }: CellProps) {
  const t = useTranslate();
  const cell = row.cells[index] ?? null;
  const before = base === null ? null : (row.cells[base] ?? null);
  const change = cell?.change ?? null;
  const sentence = cellSentence(t, { row, column, cell, change });
  const canOpen = cell !== null && cell.evaluationIds.length > 0;
  const open = (): void => {
    if (canOpen) onOpen(cell, before);
  };
  return (
    <td
      // oxlint-disable-next-line jsx-a11y/no-redundant-roles -- the role a cell has by itself depends on the table's, which not every reader follows
      role="gridcell"
      tabIndex={isActive ? 0 : -1}
      data-place={place}
      data-state={cell?.state ?? 'empty'}
      data-partial={cell?.marks.includes('partial') ?? false}
      data-open={canOpen}
      onFocus={onFocus}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault();
          open();
        }
      }}
    >
      <span className="evaluations-hidden">
        {canOpen ? `${sentence} ${t('evaluations.cell.open')}` : sentence}
      </span>
      <span aria-hidden title={sentence}>
        <Figure row={row} cell={cell} isDelta={isDelta} />
      </span>
    </td>
  );
}

type FigureProps = {
  row: MatrixRow;
  cell: MatrixCell | null;
  isDelta: boolean;
};

/** The number of a cell: its value, or its change where one is wanted and known, then its interval and how many answers are behind it. */
function Figure({ row, cell, isDelta }: FigureProps) {
  const t = useTranslate();
  if (cell === null) return <span className="evaluations-hole">–</span>;
  if (valueOf(cell) === null)
    return (
      <span className="evaluations-hole">
        {t(cell.state === 'running' ? 'evaluations.cell.running' : 'evaluations.cell.incomplete')}
      </span>
    );
  const { unit, better } = row;
  const { low, high, n } = figureOf(cell);
  const interval = intervalText(low, high, unit);
  const signs = [...new Set(cell.marks.map((mark) => MARK_SIGNS[mark]))];
  const change = isDelta ? cell.change : null;
  return (
    <span className="evaluations-figure numbers" data-apart={isIncomparable(cell)}>
      {change !== null ? (
        <span className="evaluations-value evaluations-change" data-tone={toneOf(change.value, better, unit)}>
          {DIRECTIONS[directionOf(change.value, unit)]} {changeText(change.value, unit)}
        </span>
      ) : (
        <span className="evaluations-value">{scoreText(valueOf(cell), unit)}</span>
      )}
      {signs.length > 0 && <span className="evaluations-signs">{signs.join(' ')}</span>}
      <span className="evaluations-small">
        {(change === null
          ? [interval]
          : [changeIntervalText(change, unit), `${scoreText(valueOf(cell), unit)}`]
        )
          .concat(
            t(cell.state === 'complete' ? 'evaluations.cell.n' : 'evaluations.cell.of', {
              n,
              of: cell.of,
            }),
          )
          .filter((part) => part !== null)
          .join(' · ')}
      </span>
    </span>
  );
}

type CellFacts = {
  row: MatrixRow;
  column: MatrixColumn;
  cell: MatrixCell | null;
  change: ScoreChange | null;
};

/** Everything about a cell in one sentence or a few: for the tooltip and for screen readers. */
function cellSentence(t: Translate, { row, column, cell, change }: CellFacts): string {
  const place = t('evaluations.cell.place', { row: row.label, column: column.label });
  if (cell === null) return `${place} ${t('evaluations.cell.none')}`;
  if (valueOf(cell) === null) return `${place} ${cell.why ?? t('evaluations.cell.unmeasured')}`;
  const { unit } = row;
  const { low, high, n } = figureOf(cell);
  return [
    place,
    t('evaluations.cell.value', { value: scoreText(valueOf(cell), unit), n }),
    low === null || high === null
      ? ''
      : t('evaluations.cell.interval', { low: scoreText(low, unit), high: scoreText(high, unit) }),
    change === null
      ? ''
      : t('evaluations.cell.change', {
          change: changeText(change.value, unit),
          unit,
          low: change.low === null ? '' : changeText(change.low, unit),
          high: change.high === null ? '' : changeText(change.high, unit),
          n: change.n ?? 0,
          method: change.low === null ? 'none' : change.method,
        }),
    row.better === 'neither'
      ? ''
      : `${t(row.better === 'higher' ? 'common.higherIsBetter' : 'common.lowerIsBetter')}.`,
    cell.judge === null ? '' : t('evaluations.cell.judge', { judge: cell.judge.name }),
    ...markSentences(t, cell),
    cell.corrected === null ? '' : t('evaluations.cell.corrected', { value: scoreText(cell.value, unit) }),
    cell.why ?? '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function markSentences(t: Translate, cell: MatrixCell): string[] {
  const { marks, of, counts } = cell;
  const { n } = figureOf(cell);
  return marks.map((mark) =>
    t(`evaluations.mark.${mark}`, {
      n,
      of,
      unjudged: counts.unjudged,
      loadAffected: counts.loadAffected,
      overridden: counts.overridden,
    }),
  );
}
