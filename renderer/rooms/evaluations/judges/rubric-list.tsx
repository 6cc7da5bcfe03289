import { Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

export type RubricText = { name: string; version: string; system: string; question: string };

/** The wording that judges are asked with; every verdict carries its version. */
export function RubricList({ rubrics }: { rubrics: readonly RubricText[] }) {
  const t = useTranslate();
  return (
    <>
      {rubrics.map(({ name, version, system, question }) => (
        <details key={name} className="evaluations-fold">
          <summary>
            {name} <span className="evaluations-quiet">{t('evaluations.rubric.version', { version })}</span>
          </summary>
          <Text size="xs" c="var(--quiet)" mt={4}>
            {t('evaluations.rubric.system')}
          </Text>
          <pre className="kit-pre">{system}</pre>
          <Text size="xs" c="var(--quiet)" mt={4}>
            {t('evaluations.rubric.question')}
          </Text>
          <pre className="kit-pre">{question}</pre>
        </details>
      ))}
    </>
  );
}
