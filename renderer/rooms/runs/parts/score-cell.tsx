import type { RunScore } from '../../../../electron/contract/index.ts';
import { percentText } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { indicatorScore, isHigherBetter, type Indicator } from '../model/scores.ts';

/** Points with their sign, such as +4.2. */
export const pointsText = (points: number): string =>
  `${points > 0 ? '+' : points < 0 ? '−' : '±'}${Math.abs(points).toFixed(1)}`;

/** One indicator of the last evaluated checkpoint with its change; colour, arrow and sign say the same. */
export function ScoreCell({ indicator, scores }: { indicator: Indicator; scores: readonly RunScore[] }) {
  const t = useTranslate();
  const score = indicatorScore(indicator, scores);
  const name = t(`runs.column.${indicator}`);
  if (score === null)
    return (
      <span className="runs-quiet" title={t('runs.score.none', { name })}>
        –
      </span>
    );
  const { share, change, n, step, withContext } = score;
  const better = isHigherBetter(indicator);
  const tone = change === null || Math.abs(change) < 0.05 ? 'same' : change > 0 === better ? 'good' : 'bad';
  const title = t('runs.score', {
    name,
    value: percentText(share),
    n,
    step,
    better: t(better ? 'common.higherIsBetter' : 'common.lowerIsBetter'),
    change: change === null ? 'none' : pointsText(change),
    context: withContext ? 'yes' : 'no',
  });
  return (
    <span className="runs-score numbers" title={title}>
      {percentText(share, 0)}
      {change !== null && (
        <span className="runs-change" data-tone={tone}>
          {change > 0 ? '▲' : change < 0 ? '▼' : '·'}
          {Math.abs(change).toFixed(0)}
        </span>
      )}
    </span>
  );
}
