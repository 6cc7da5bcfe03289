import type { MatrixCell, MatrixColumn, MatrixRow } from '../../../../electron/contract/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import { changeText, scoreText, valueOf } from '../model/figures.ts';

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

export function markSentences(t: Translate, { marks, n, of, counts }: MatrixCell): string[] {
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
