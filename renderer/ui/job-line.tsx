import type { Job } from '../../electron/contract/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { bytesText, durationText } from './values.tsx';
import { ActionIcon, Button, Group, Progress, Text } from './mantine.ts';

const amount = (value: number, unit: string): string =>
  unit === 'byte' ? bytesText(value) : Math.round(value).toLocaleString('en');

/** One job of the engine: what it does, how far it is, how fast, how long it still takes, and a way to stop it. */
export function JobLine({
  job,
  onCancel,
  onDismiss,
}: {
  job: Job;
  onCancel: () => void;
  onDismiss?: () => void;
}) {
  const t = useTranslate();
  const { state, title, done, total, unit, generated, judged, ratePerSecond, etaSeconds, problem } = job;
  const isRunning = state === 'running';
  const share = total > 0 ? (100 * done) / total : 0;
  const counted = { done: amount(done, unit), total: amount(total, unit) };
  const amounts =
    generated === undefined
      ? [
          t('common.job.of', {
            ...counted,
            unit: unit === 'byte' ? '' : t(`common.job.unit.${unit}`, { n: total }),
          }),
        ]
      : [
          t('common.job.generated', { n: generated }),
          ...(judged === undefined ? [] : [t('common.job.judged', { n: judged })]),
          t('common.job.graded', counted),
        ];
  const facts = [
    ...(total > 0 ? amounts : []),
    isRunning && ratePerSecond !== null && ratePerSecond > 0
      ? ratePerSecond >= 1 || unit === 'byte'
        ? t('common.job.rate', { rate: amount(ratePerSecond, unit) })
        : t('common.job.slow', {
            time: durationText(1 / ratePerSecond),
            unit: t(`common.job.unit.${unit}`, { n: 1 }),
          })
      : null,
    isRunning && etaSeconds !== null ? t('common.job.left', { time: durationText(etaSeconds) }) : null,
  ].filter((fact) => fact !== null);
  return (
    <div className="ui-job" data-state={state}>
      <Group gap="sm" wrap="nowrap" justify="space-between">
        <Text size="sm" fw={600} truncate>
          {title}
        </Text>
        <Group gap={8} wrap="nowrap">
          <Text size="xs" c="var(--quiet)" className="numbers" style={{ whiteSpace: 'nowrap' }}>
            {isRunning ? facts.join(' · ') : t(`common.job.${state}`)}
          </Text>
          {isRunning && (
            <Button size="compact-xs" variant="default" onClick={onCancel}>
              {t('common.cancel')}
            </Button>
          )}
          {!isRunning && onDismiss !== undefined && (
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t('common.job.dismiss', { title })}
              onClick={onDismiss}
            >
              ×
            </ActionIcon>
          )}
        </Group>
      </Group>
      {isRunning && (
        <Progress
          value={total > 0 ? share : 100}
          animated={total === 0}
          size="sm"
          mt={4}
          aria-label={t('common.job.progress', { title })}
        />
      )}
      {problem !== null && (
        <Text
          size="sm"
          c={state === 'failed' ? 'var(--bad)' : 'var(--quiet)'}
          role={state === 'failed' ? 'alert' : undefined}
        >
          {problem}
        </Text>
      )}
    </div>
  );
}
