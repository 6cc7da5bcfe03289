import { useCallback, useMemo, useState } from 'react';
import type {
  EvaluationCondition,
  EvaluationRowOrder,
  EvaluationRowCounts,
} from '../../../../electron/contract/index.ts';
import {
  api,
  everyRow,
  readableFailure,
  ROWS_AT_A_TIME,
  useApiMutation,
  useApiPages,
} from '../../../data/index.ts';
import { type MessageId, type Translate, useTranslate } from '../../../i18n/index.ts';
import { Button, EmptyState, NoMatch, QueryState } from '../../../ui/index.ts';
import {
  listFilterOf,
  NO_LIST_FILTER,
  NOBODY,
  type ChangeSearch,
  type EvaluationsSearch,
} from '../page-state.ts';
import { ItemsOf } from './evaluation-items.tsx';
import { EvaluationList } from './evaluation-list.tsx';
import { ListBar } from './list-bar.tsx';
import { evaluationsTable } from './table.ts';

const PAGE_ROWS = 60;

/** The answers behind a figure; without a chosen evaluation the list of them. */
export function ItemsTab({ search, onChange }: { search: EvaluationsSearch; onChange: ChangeSearch }) {
  if (search.evaluation !== undefined)
    return <ItemsOf key={search.evaluation} id={search.evaluation} search={search} onChange={onChange} />;
  return <Evaluations search={search} onChange={onChange} />;
}

function Evaluations({ search, onChange }: { search: EvaluationsSearch; onChange: ChangeSearch }) {
  const t = useTranslate();
  const { suite, of, asked, judgedBy, state, q, by, order: direction } = search;
  const [selected, setSelected] = useState<string | null>(null);
  const filter = useMemo(
    () => listFilterOf({ suite, of, asked, judgedBy, state, q }),
    [suite, of, asked, judgedBy, state, q],
  );
  const order = useMemo<EvaluationRowOrder>(
    () => ({ by, descending: direction === 'down' }),
    [by, direction],
  );
  const read = useApiPages(
    'evaluations.rows',
    api.evaluations.rows,
    useMemo(() => ({ filter, order, limit: PAGE_ROWS }), [filter, order]),
  );
  const remove = useApiMutation(api.evaluations.remove, { invalidates: ['evaluations'] });
  const rerun = useApiMutation(api.evaluations.rerun, { invalidates: ['jobs'] });
  const find = useCallback((text: string) => onChange({ q: text === '' ? undefined : text }), [onChange]);
  const rows = useMemo(() => (read.pages ?? []).flatMap((page) => page.rows), [read.pages]);
  return (
    <QueryState
      read={{
        data: read.pages?.[0]?.counts ?? undefined,
        error: read.error,
        isPending: read.isPending,
        refetch: read.refetch,
      }}
      problemOf={readableFailure}
    >
      {(counts) =>
        counts.all === 0 ? (
          <EmptyState title={t('evaluations.empty.title')} text={t('evaluations.list.empty')}>
            <Button onClick={() => onChange({ tab: 'suites' })}>{t('evaluations.empty.suites')}</Button>
            <Button variant="default" onClick={() => onChange({ tab: 'matrix' })}>
              {t('evaluations.tab.matrix')}
            </Button>
          </EmptyState>
        ) : (
          <div className="evaluations-main evaluations-list-page">
            <ListBar
              search={search}
              onChange={onChange}
              onText={find}
              counts={counts}
              table={async () =>
                evaluationsTable(
                  await everyRow((cursor) =>
                    api.evaluations.rows.query({ filter, order, cursor, limit: ROWS_AT_A_TIME }),
                  ),
                )
              }
            />
            {counts.total === 0 ? (
              <NoMatch
                title={t('evaluations.list.noMatch')}
                filter={noMatchText(t, search, counts)}
                onClear={() => onChange(NO_LIST_FILTER)}
              />
            ) : (
              <EvaluationList
                rows={rows}
                total={counts.total}
                order={order}
                onOrder={(next) => onChange({ by: next.by, order: next.descending ? 'down' : 'up' })}
                selected={selected}
                onSelect={setSelected}
                onNearEnd={read.more}
                onOpen={(id) =>
                  onChange(
                    { evaluation: id, against: undefined, item: undefined, show: undefined },
                    { replace: false },
                  )
                }
                onRemove={(id) => remove.mutate({ id })}
                onRerun={(id) => rerun.mutate({ id })}
              />
            )}
          </div>
        )
      }
    </QueryState>
  );
}

/** The fields of the bar behind the conditions of a list. */
const FIELD_OF: Record<EvaluationCondition, MessageId> = {
  suites: 'evaluations.list.suite',
  subjects: 'evaluations.list.subject',
  context: 'evaluations.context',
  judges: 'evaluations.list.judge',
  states: 'evaluations.list.state',
  words: 'evaluations.list.words',
};

/** What was asked for, and which single condition keeps others away. */
function noMatchText(
  t: Translate,
  { suite, of, asked, judgedBy, state, q }: EvaluationsSearch,
  { lifted }: Pick<EvaluationRowCounts, 'lifted'>,
): string {
  const conditions = [
    q,
    suite,
    of,
    asked === undefined ? undefined : t(`evaluations.context.${asked}`),
    judgedBy === NOBODY ? t('evaluations.judge.none') : judgedBy,
    state === undefined ? undefined : t(`evaluations.state.${state}`),
  ].filter((part) => part !== undefined && part !== '');
  const others = Object.entries(lifted).flatMap(([name, n]) =>
    n > 0 ? [t('evaluations.list.without', { field: t(FIELD_OF[name as EvaluationCondition]), n })] : [],
  );
  return [conditions.join(' · '), ...others].join('. ');
}
