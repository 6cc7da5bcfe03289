import type { EvaluationSummary } from '../../../../electron/contract/index.ts';
import { Button, NativeSelect, Text, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { scoreText } from '../model/figures.ts';
import { ExportButton } from './export-button.tsx';
import { conditionsText } from './evaluation-list.tsx';

type ItemsHeadProps = {
  summary: EvaluationSummary;
  others: readonly EvaluationSummary[];
  against: string | null;
  onAgainst: (id: string | null) => void;
  onBack: () => void;
};

/** Whose answers these are, what they came to, and what they are compared with. */
export function ItemsHead({ summary, others, against, onAgainst, onBack }: ItemsHeadProps) {
  const t = useTranslate();
  const { plan, scores, corrected, counts } = summary;
  return (
    <header className="evaluations-head">
      <Button size="compact-sm" variant="default" onClick={onBack}>
        {t('evaluations.back')}
      </Button>
      <div className="evaluations-head-text">
        <Title order={2}>
          {t('evaluations.items.title', { suite: plan.suite, subject: plan.subject.label })}
        </Title>
        <Text size="xs" c="var(--quiet)" className="numbers">
          {conditionsText(t, summary)} ·{' '}
          {plan.judge === null
            ? t('evaluations.judge.none')
            : t('evaluations.cell.judge', { judge: plan.judge.name })}
        </Text>
        <Text size="sm" className="numbers">
          {scores.map((score, index) => {
            const kept = corrected?.[index];
            const value = scoreText(score.value, score.unit);
            return (
              <span key={score.name} className="evaluations-score">
                {score.name}{' '}
                <strong>
                  {kept === undefined || kept.value === score.value
                    ? value
                    : t('evaluations.corrected', { value: scoreText(kept.value, kept.unit), graded: value })}
                </strong>
              </span>
            );
          })}
          {counts.unjudged > 0 && (
            <span className="evaluations-quiet">
              {t('evaluations.counts.unjudged', { n: counts.unjudged })}
            </span>
          )}
        </Text>
      </div>
      {summary.state === 'done' && <ExportButton id={summary.id} />}
      <NativeSelect
        className="evaluations-against"
        size="xs"
        label={t('evaluations.against')}
        value={against ?? ''}
        onChange={(event) => onAgainst(event.currentTarget.value === '' ? null : event.currentTarget.value)}
        data={[
          { value: '', label: t('evaluations.against.none') },
          ...others.map((other) => ({
            value: other.id,
            label: t('evaluations.against.one', {
              subject: other.plan.subject.label,
              conditions: conditionsText(t, other),
            }),
          })),
        ]}
      />
    </header>
  );
}
