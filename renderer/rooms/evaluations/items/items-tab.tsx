import { api, readableFailure, useApiMutation, useApiQuery } from '../../../data/index.ts';
import { Button, EmptyState, NoMatch, QueryState } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { ChangeSearch, EvaluationsSearch } from '../model/search.ts';
import { EvaluationList } from './evaluation-list.tsx';
import { ItemsOf } from './items-of.tsx';

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
