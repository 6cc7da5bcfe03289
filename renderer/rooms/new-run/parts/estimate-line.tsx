import type { ReactNode } from 'react';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { bytesText, Text, Quiet } from '../../../ui/index.ts';
import type { Quantity } from '../model/estimate.ts';

type EstimateLineProps = {
  name: string;
  value: string;
  /** Where the value comes from; tagged measured or estimated. */
  quantity?: Quantity | null;
  about?: 'step' | 'review';
  now?: Date;
  hint?: string;
  warning?: string;
  children?: ReactNode;
};

/** One figure of the estimate, with its tag, its age and what to mind. */
export function EstimateLine({
  name,
  value,
  quantity = null,
  about = 'step',
  now,
  hint,
  warning,
  children,
}: EstimateLineProps) {
  const t = useTranslate();
  return (
    <div className="plan-line">
      <dt>{name}</dt>
      <dd className="numbers">{value}</dd>
      {quantity !== null && now !== undefined && (
        <Text component="dd" size="xs" className="plan-tag" data-source={quantity.source}>
          {originText(t, quantity, about, now)}
        </Text>
      )}
      {hint !== undefined && (
        <Text component="dd" size="xs" c="var(--quiet)">
          {hint}
        </Text>
      )}
      {children}
      {warning !== undefined && (
        <dd>
          <Text size="xs" c="var(--warn)" role="status">
            ⚠ {warning}
          </Text>
        </dd>
      )}
    </div>
  );
}

function originText(
  t: Translate,
  { from, source, at, n }: Quantity,
  about: 'step' | 'review',
  now: Date,
): string {
  const age = at === null ? '' : ageText(t, (now.getTime() - new Date(at).getTime()) / 1000);
  switch (from.kind) {
    case 'run':
      return t(about === 'review' ? 'new-run.estimate.from.review' : 'new-run.estimate.from.run', {
        source,
        n,
        name: from.name,
        age,
      });
    case 'probe':
      return t('new-run.estimate.from.probe', { source, age });
    case 'judge-probe':
      return t('new-run.estimate.from.judge', { n, age });
    case 'rule':
      return t('new-run.estimate.from.rule');
  }
}

/** An age in its largest unit; nobody needs the seconds of an hour ago. */
function ageText(t: Translate, seconds: number): string {
  if (seconds < 90) return t('new-run.estimate.now');
  if (seconds < 3600) return t('new-run.estimate.age', { n: Math.round(seconds / 60), unit: 'minute' });
  if (seconds < 48 * 3600) return t('new-run.estimate.age', { n: Math.round(seconds / 3600), unit: 'hour' });
  return t('new-run.estimate.age', { n: Math.round(seconds / 86_400), unit: 'day' });
}

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
      <Quiet size="xs" className="numbers">
        {t('new-run.estimate.memory.trainer')} {bytesText(trainer)} ·{' '}
        {t('new-run.estimate.memory.supervisor')} {bytesText(supervisor)} ·{' '}
        {t('new-run.estimate.memory.free', { free: bytesText(free), total: bytesText(total) })}
      </Quiet>
    </dd>
  );
}
