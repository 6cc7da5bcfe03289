import type { CellMark, EvaluationMatrix } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { MARK_SIGNS } from './figure.tsx';

/** What the signs in the table mean; only of those that are in it. */
export function Legend({ matrix: { rows } }: { matrix: Pick<EvaluationMatrix, 'rows'> }) {
  const t = useTranslate();
  const marks = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.marks ?? [])));
  const shown = (Object.keys(MARK_SIGNS) as CellMark[]).filter((mark) => marks.has(mark));
  return (
    <ul className="evaluations-legend" aria-label={t('evaluations.legend')}>
      <li>{t('evaluations.legend.interval')}</li>
      {shown.map((mark) => (
        <li key={mark} data-mark={mark}>
          <span aria-hidden>{MARK_SIGNS[mark]}</span> {t(`evaluations.legend.${mark}`)}
        </li>
      ))}
    </ul>
  );
}
