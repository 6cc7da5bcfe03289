import type { EvaluationSummary } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiMutation, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Button,
  EmptyState,
  NoMatch,
  QueryState,
  ConfirmButton,
  Num,
  Quiet,
  When,
  visibleString,
} from '../../../ui/index.ts';
import type { ChangeSearch, EvaluationsSearch } from '../page-state.ts';
import { intervalText, scoreText } from '../score-text.ts';
import { ItemsOf } from './evaluation-items.tsx';
import { conditionsText } from './items-head.tsx';

/** The answers behind a figure; without a chosen evaluation the list of them. */
export function ItemsTab({ search, onChange }: { search: EvaluationsSearch; onChange: ChangeSearch }) {
  if (search.evaluation !== undefined)
    return <ItemsOf key={search.evaluation} id={search.evaluation} search={search} onChange={onChange} />;
  return <Evaluations search={search} onChange={onChange} />;
}

function Evaluations({ search: { suite }, onChange }: { search: EvaluationsSearch; onChange: ChangeSearch }) {
  const t = useTranslate();
  const read = useApiQuery(
    'evaluations.summaries',
    api.evaluations.summaries,
    suite === undefined ? {} : { suite },
  );
  const remove = useApiMutation(api.evaluations.remove, { invalidates: ['evaluations'] });
  const rerun = useApiMutation(api.evaluations.rerun, { invalidates: ['jobs'] });
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(summaries) => {
        if (summaries.length === 0 && suite !== undefined)
          return (
            <NoMatch
              title={t('evaluations.list.noMatch')}
              filter={t('evaluations.list.ofSuite', { suite })}
              onClear={() => onChange({ suite: undefined })}
            />
          );
        if (summaries.length === 0) {
          return (
            <EmptyState title={t('evaluations.empty.title')} text={t('evaluations.list.empty')}>
              <Button onClick={() => onChange({ tab: 'suites' })}>{t('evaluations.empty.suites')}</Button>
              <Button variant="default" onClick={() => onChange({ tab: 'matrix' })}>
                {t('evaluations.tab.matrix')}
              </Button>
            </EmptyState>
          );
        }
        return (
          <div className="evaluations-fill">
            {suite !== undefined && (
              <p className="evaluations-filter">
                {t('evaluations.list.ofSuite', { suite })}{' '}
                <Button size="compact-xs" variant="default" onClick={() => onChange({ suite: undefined })}>
                  {t('common.clearFilters')}
                </Button>
              </p>
            )}
            <EvaluationList
              summaries={summaries.toReversed()}
              onOpen={(id) =>
                onChange(
                  { evaluation: id, against: undefined, item: undefined, show: undefined },
                  { replace: false },
                )
              }
              onRemove={(id) => remove.mutate({ id })}
              onRerun={(id) => rerun.mutate({ id })}
            />
          </div>
        );
      }}
    </QueryState>
  );
}

type EvaluationListProps = {
  summaries: readonly EvaluationSummary[];
  onOpen: (id: string) => void;
  onRemove: (id: string) => void;
  onRerun: (id: string) => void;
};

/** Every evaluation of the lab, newest first: suite, policy, progress and score. */
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
              <Quiet size="xs">{conditionsText(t, summary)}</Quiet>
            </td>
            <td>{visibleString(summary.plan.subject.label)}</td>
            <td>
              <span
                data-state={summary.state}
                className="evaluations-state"
                title={summary.problem === null ? undefined : visibleString(summary.problem)}
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
  const interval = intervalText(score.low, score.high, score.unit);
  return (
    <>
      {scoreText(score.value, score.unit)}
      {interval !== null && <span className="evaluations-quiet"> {interval}</span>}
    </>
  );
}
