import type { CellMark, MatrixCell, MatrixRow, MatrixColumn } from '../../../../electron/contract/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import {
  changeText,
  DIRECTIONS,
  directionOf,
  isIncomparable,
  scoreText,
  spreadText,
  toneOf,
  valueOf,
} from '../score-text.ts';

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

/** Everything about a cell in one sentence or a few: for the tooltip, and for readers that hear. */
export function cellSentence(
  t: Translate,
  row: MatrixRow,
  cell: MatrixCell | null,
  column: MatrixColumn,
  change: number | null,
): string {
  const place = t('evaluations.cell.place', { row: row.label, column: column.label });
  if (cell === null) return `${place} ${t('evaluations.cell.none')}`;
  if (valueOf(cell) === null) return `${place} ${cell.why ?? t('evaluations.cell.unmeasured')}`;
  const { unit } = row;
  return [
    place,
    t('evaluations.cell.value', { value: scoreText(valueOf(cell), unit), n: cell.n }),
    cell.low === null || cell.high === null
      ? ''
      : t('evaluations.cell.interval', { low: scoreText(cell.low, unit), high: scoreText(cell.high, unit) }),
    change === null
      ? ''
      : t(unit === 'share' ? 'evaluations.cell.change.points' : 'evaluations.cell.change', {
          change: changeText(change, unit),
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

function markSentences(t: Translate, { marks, n, of, counts }: MatrixCell): string[] {
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
