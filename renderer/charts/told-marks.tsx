import { useTranslate } from '../i18n/index.ts';
import type { CurveLimit, CurveMark } from '../../electron/figures/index.ts';

type ToldMarksProps = { marks: readonly CurveMark[]; limits: readonly CurveLimit[] };

/** More are folded: a wire that is touched once often stays touched, and the figure would be lost above what is said of it. */
const TOLD_AT_ONCE = 2;

/** What is drawn across a figure, in words: what is watched for, then what happened. */
export function ToldMarks({ marks, limits }: ToldMarksProps) {
  const t = useTranslate();
  if (marks.length + limits.length === 0) return null;
  const folded = marks.slice(TOLD_AT_ONCE);
  return (
    <div className="fig-marks">
      <ul>
        {limits.map(({ y, label }) => (
          <li key={`${y} ${label}`} data-limit>
            {label}
          </li>
        ))}
        {marks.slice(0, TOLD_AT_ONCE).map(asItem)}
      </ul>
      {folded.length > 0 && (
        <details>
          <summary>{t('figure.mark.more', { n: folded.length })}</summary>
          <ul>{folded.map(asItem)}</ul>
        </details>
      )}
    </div>
  );
}

const asItem = ({ x, label }: CurveMark) => <li key={`${x} ${label}`}>{label}</li>;
