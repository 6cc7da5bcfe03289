import type { EvaluationComparison } from '../../../../electron/contract/index.ts';
import { Banner, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { changeText, chanceText } from '../model/figures.ts';

/** What two evaluations differ in, item by item, and whether chance alone would do that. */
export function ComparisonLine({ comparison }: { comparison: EvaluationComparison }) {
  const t = useTranslate();
  const { common, onlyBefore, onlyAfter, lost, gained, exact, mid, difference, low, high, warnings } =
    comparison;
  const points = (share: number): string => changeText(share, 'share');
  return (
    <div className="evaluations-comparison" role="region" aria-label={t('evaluations.compare')}>
      {warnings.map((warning) => (
        <Banner key={warning} tone="warn">
          {warning}
        </Banner>
      ))}
      <Text size="sm" className="numbers">
        <strong>{t('evaluations.compare.flips', { lost, gained, n: common })}</strong>{' '}
        {t('evaluations.compare.change', {
          change: points(difference),
          low: points(low),
          high: points(high),
        })}{' '}
        {t('evaluations.compare.p', { exact: chanceText(exact), mid: chanceText(mid) })}
        {(onlyBefore > 0 || onlyAfter > 0) &&
          ` ${t('evaluations.compare.apart', { before: onlyBefore, after: onlyAfter })}`}
      </Text>
    </div>
  );
}
