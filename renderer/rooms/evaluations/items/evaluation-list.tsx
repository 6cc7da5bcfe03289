import type { EvaluationSummary } from '../../../../electron/contract/index.ts';
import { Button, ConfirmButton, Num, Text, When } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { scoreText, spreadText } from '../model/figures.ts';

type EvaluationListProps = {
  summaries: readonly EvaluationSummary[];
  onOpen: (id: string) => void;
  onRemove: (id: string) => void;
  onRerun: (id: string) => void;
};

/** Every evaluation of the lab, newest first: what was asked of whom, how far it came and what it came to. */
export function EvaluationList({ summaries, onOpen, onRemove, onRerun }: EvaluationListProps) {
  const t = useTranslate();
  return (
    <table className="evaluations-table" aria-label={t('evaluations.list')}>
      <thead>
        <tr>
          <th scope="col">{t('evaluations.list.suite')}</th>
          <th scope="col">{t('evaluations.list.subject')}</th>
          <th scope="col">{t('evaluations.list.state')}</th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.list.score')}
          </th>
          <th scope="col" className="evaluations-end">
            {t('evaluations.list.graded')}
          </th>
          <th scope="col">{t('evaluations.list.judge')}</th>
          <th scope="col">{t('evaluations.list.when')}</th>
          <th scope="col">
            <span className="evaluations-hidden">{t('evaluations.list.acts')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {summaries.map((summary) => (
          <tr key={summary.id}>
            <td>
              <button type="button" className="evaluations-name" onClick={() => onOpen(summary.id)}>
                {summary.plan.suite}
              </button>
              <Text size="xs" c="var(--quiet)">
                {conditionsText(t, summary)}
              </Text>
            </td>
            <td>{summary.plan.subject.label}</td>
            <td>
              <span
                data-state={summary.state}
                className="evaluations-state"
                title={summary.problem ?? undefined}
              >
                {t(`evaluations.state.${summary.state}`)}
              </span>
            </td>
            <td className="evaluations-end numbers">
              <ScoreLine summary={summary} />
            </td>
            <td className="evaluations-end numbers">
              <Num value={summary.graded} />
              {summary.graded < summary.planned && (
                <>
                  {' '}
                  / <Num value={summary.planned} />
                </>
              )}
            </td>
            <td className="evaluations-nowrap">{summary.plan.judge?.name ?? t('evaluations.judge.none')}</td>
            <td>
              <When iso={summary.createdAt} />
            </td>
            <td className="evaluations-acts">
              {summary.counts.loadAffected > 0 && summary.state !== 'running' && (
                <Button
                  size="compact-xs"
                  variant="default"
                  title={t('evaluations.rerun.text', { n: summary.counts.loadAffected })}
                  onClick={() => onRerun(summary.id)}
                >
                  {t('evaluations.rerun', { n: summary.counts.loadAffected })}
                </Button>
              )}
              {summary.state !== 'running' && (
                <ConfirmButton
                  size="compact-xs"
                  label={t('evaluations.remove')}
                  title={t('evaluations.remove.title', {
                    suite: summary.plan.suite,
                    subject: summary.plan.subject.label,
                  })}
                  consequence={t('evaluations.remove.text', {
                    n: summary.graded,
                    overridden: summary.counts.overridden,
                  })}
                  confirm={t('evaluations.remove.confirm')}
                  onConfirm={() => onRemove(summary.id)}
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The first score with its interval, as people corrected it where they did. */
function ScoreLine({ summary: { scores, corrected } }: { summary: EvaluationSummary }) {
  const score = (corrected ?? scores)[0];
  if (score === undefined) return <>–</>;
  const spread = spreadText(score.low, score.high, score.unit);
  return (
    <>
      {scoreText(score.value, score.unit)}
      {spread !== null && <span className="evaluations-quiet"> {spread}</span>}
    </>
  );
}

/** Protocol, seed, limit and context: what two evaluations must share to be compared. */
export function conditionsText(
  t: Translate,
  { plan: { protocol, seed, limit, context } }: EvaluationSummary,
): string {
  return [
    t('evaluations.conditions', { protocol: protocol.name, temperature: protocol.temperature, seed }),
    limit === null ? t('evaluations.limit.all') : t('evaluations.limit.value', { limit }),
    context === null ? t('evaluations.context.weights') : t('evaluations.context.run'),
  ].join(' · ');
}
