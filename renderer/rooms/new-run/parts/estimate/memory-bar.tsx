import { bytesText, Text } from '../../../../ui/index.ts';
import { useTranslate } from '../../../../i18n/index.ts';

/** Trainer and supervisor against the machine's memory. */
export function MemoryBar({
  trainer,
  supervisor,
  free,
  total,
}: {
  trainer: number;
  supervisor: number;
  free: number;
  total: number;
}) {
  const t = useTranslate();
  const share = (bytes: number): string => `${Math.min(100, (100 * bytes) / total).toFixed(2)}%`;
  return (
    <dd>
      <div
        className="plan-memory"
        role="img"
        aria-label={t('new-run.estimate.memory.bar', {
          trainer: bytesText(trainer),
          supervisor: bytesText(supervisor),
          total: bytesText(total),
        })}
      >
        <span style={{ width: share(trainer) }} data-part="trainer" />
        <span style={{ width: share(supervisor) }} data-part="supervisor" />
      </div>
      <Text size="xs" c="var(--quiet)" className="numbers">
        {t('new-run.estimate.memory.trainer')} {bytesText(trainer)} ·{' '}
        {t('new-run.estimate.memory.supervisor')} {bytesText(supervisor)} ·{' '}
        {t('new-run.estimate.memory.free', { free: bytesText(free), total: bytesText(total) })}
      </Text>
    </dd>
  );
}
