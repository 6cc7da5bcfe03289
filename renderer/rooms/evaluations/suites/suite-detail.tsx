import type { SuiteChoice } from '../../../../electron/contract/index.ts';
import { Button, Group, Stack, Text, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { needsText, SourceMark } from './suite-table.tsx';

/** What one suite is, how it asks, and what stands between it and an answer. */
export function SuiteDetail({
  suite,
  onDatasets,
  onEvaluations,
}: {
  suite: SuiteChoice;
  onDatasets: (kind: string) => void;
  onEvaluations: () => void;
}) {
  const t = useTranslate();
  const { title, measures, source, protocols, hazardous, mini } = suite;
  return (
    <Stack gap="sm">
      <Title order={2}>{title}</Title>
      <Text size="sm">{measures}</Text>
      <Group gap={6}>
        <SourceMark suite={suite} />
        <Text size="xs" c="var(--quiet)">
          {needsText(t, suite)}
        </Text>
      </Group>
      {source.kind === 'dataset' && source.note !== null && (
        <Text size="sm" c={source.state === 'ready' ? undefined : 'var(--warn)'}>
          {source.note}
        </Text>
      )}
      {hazardous && (
        <Text size="sm" c="var(--warn)">
          {t('evaluations.suites.hazardous')}
        </Text>
      )}
      {mini && (
        <Text size="sm" c="var(--quiet)">
          {t('evaluations.suites.mini')}
        </Text>
      )}
      <div>
        <Text size="sm" fw={600}>
          {t('evaluations.suites.protocols')}
        </Text>
        <dl className="evaluations-facts">
          {protocols.map(({ name, temperature, maxNewTokens, samples, says }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {says}{' '}
                <span className="numbers evaluations-quiet">
                  {t('evaluations.suites.protocol', { temperature, tokens: maxNewTokens, samples })}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <Group>
        {source.kind === 'dataset' && source.state !== 'ready' && (
          <Button size="compact-sm" onClick={() => onDatasets(source.dataset)}>
            {t(source.state === 'absent' ? 'evaluations.suites.import' : 'evaluations.suites.acknowledge')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={onEvaluations}>
          {t('evaluations.suites.evaluations')}
        </Button>
      </Group>
    </Stack>
  );
}
