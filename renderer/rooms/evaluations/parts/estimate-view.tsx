import type { EvaluationEstimate } from '../../../../electron/contract/index.ts';
import { durationText, Stack, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const MOST_REASONS = 8;

/** What an order would take, and what of it cannot be done and why. */
export function EstimateView({ estimate }: { estimate: EvaluationEstimate }) {
  const t = useTranslate();
  const { cells, items, seconds, skipped } = estimate;
  const isMeasured = cells.every(({ basis }) => basis === 'measured');
  const unknown = cells.filter((cell) => cell.seconds === null).length;
  const done = cells.reduce((sum, cell) => sum + cell.done, 0);
  const reasons = [...Map.groupBy(skipped, ({ why }) => why)];
  return (
    <Stack gap={6} role="region" aria-label={t('evaluations.estimate')}>
      {cells.length === 0 ? (
        <Text size="sm">{t('evaluations.estimate.nothing')}</Text>
      ) : (
        <>
          <Text size="sm" className="numbers">
            {t('evaluations.estimate.cells', { cells: cells.length, items })}
          </Text>
          <Text size="sm" className="numbers">
            {seconds === null
              ? t('evaluations.estimate.unknown')
              : t('evaluations.estimate.time', {
                  time: durationText(seconds),
                  basis: t(isMeasured ? 'common.measured' : 'common.estimated'),
                })}
            {seconds !== null && unknown > 0 && ` ${t('evaluations.estimate.without', { n: unknown })}`}
          </Text>
          {done > 0 && (
            <Text size="sm" c="var(--quiet)" className="numbers">
              {t('evaluations.estimate.done', { n: done })}
            </Text>
          )}
        </>
      )}
      {reasons.slice(0, MOST_REASONS).map(([why, those]) => (
        <Text key={why} size="xs" c="var(--warn)">
          {t('evaluations.estimate.skipped', {
            suites: [...new Set(those.map(({ suite }) => suite))].join(', '),
            why,
          })}
        </Text>
      ))}
      {reasons.length > MOST_REASONS && (
        <Text size="xs" c="var(--quiet)">
          {t('evaluations.estimate.moreSkipped', { n: reasons.length - MOST_REASONS })}
        </Text>
      )}
    </Stack>
  );
}
