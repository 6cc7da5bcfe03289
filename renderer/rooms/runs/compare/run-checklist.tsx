import { ActionIcon, Radio, StatusDot, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { ComparedRun } from './compared-run.ts';

/** The runs that are compared: which one is the baseline, and taking one out. */
export function RunChecklist({
  runs,
  baseline,
  onBaseline,
  onRemove,
}: {
  runs: readonly ComparedRun[];
  baseline: string;
  onBaseline: (id: string) => void;
  onRemove: (id: string) => void;
}) {
  const t = useTranslate();
  return (
    <aside className="compare-runs" aria-label={t('compare.runs')}>
      <Text size="xs" c="var(--quiet)" mb={6}>
        {t('compare.baseline')}
      </Text>
      <Radio.Group value={baseline} onChange={onBaseline} aria-label={t('compare.baseline')}>
        {runs.map(({ run }) => (
          <div key={run.id} className="compare-run">
            <Radio
              value={run.id}
              size="xs"
              aria-label={t('compare.baseline.of', { name: run.config.name })}
            />
            <span className="compare-run-name">
              <span title={run.id}>{run.config.name}</span>
              <Text size="xs" c="var(--quiet)" component="span">
                <StatusDot state={run.state} />
              </Text>
            </span>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t('compare.remove', { name: run.config.name })}
              onClick={() => onRemove(run.id)}
            >
              ×
            </ActionIcon>
          </div>
        ))}
      </Radio.Group>
    </aside>
  );
}
