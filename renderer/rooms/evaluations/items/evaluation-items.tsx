import { useState } from 'react';
import type { EvaluationSummary } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import {
  api,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useSideQuery,
  useApiPages,
} from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { DataList, Loading, NoMatch, QueryState, Text } from '../../../ui/index.ts';
import { useReviewerName, type ChangeSearch, type EvaluationsSearch } from '../page-state.ts';
import { ItemRow, ITEM_ROW_HEIGHT } from './item-row.tsx';
import { ItemView } from './item-view.tsx';
import { ComparisonLine, FilterChips, ItemsHead } from './items-head.tsx';

const PAGE_ROWS = 100;

/** The answers of one evaluation, beside those of another where one was chosen. */
export function ItemsOf({
  id,
  search,
  onChange,
}: {
  id: string;
  search: EvaluationsSearch;
  onChange: ChangeSearch;
}) {
  const summary = useApiQuery('evaluations.get', api.evaluations.get, { id }, { keep: false });
  return (
    <QueryState read={summary} problemOf={readableFailure}>
      {(found) => <Answers summary={found} search={search} onChange={onChange} />}
    </QueryState>
  );
}

function Answers({
  summary,
  search,
  onChange,
}: {
  summary: EvaluationSummary;
  search: EvaluationsSearch;
  onChange: ChangeSearch;
}) {
  const t = useTranslate();
  const { id, plan } = summary;
  const { against = null, show } = search;
  const others = useSideQuery('evaluations.summaries', api.evaluations.summaries, { suite: plan.suite });
  const suites = useSideQuery('evaluations.suites', api.evaluations.suites, undefined);
  const comparison = useApiQuery(
    'evaluations.compare',
    api.evaluations.compare,
    { before: against ?? '', after: id },
    { enabled: against !== null, keep: false },
  );
  const read = useApiPages('evaluations.items', api.evaluations.items, {
    id,
    against,
    show,
    limit: PAGE_ROWS,
  });
  const rows = (read.pages ?? []).flatMap((page) => page.rows);
  const first = read.pages?.[0];
  const selected = search.item ?? (rows[0] === undefined ? null : String(rows[0].ordinal));
  const isHazardous = suites.data?.find(({ name }) => name === plan.suite)?.hazardous ?? true;
  const place = rows.findIndex(({ ordinal }) => String(ordinal) === selected);
  const move = (by: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, place + by))];
    if (row !== undefined) onChange({ item: String(row.ordinal) });
  };
  const group = t('evaluations.group');
  useCommand({ id: 'evaluations.next', title: t('evaluations.next'), keys: 'j', group, run: () => move(1) });
  useCommand({
    id: 'evaluations.previous',
    title: t('evaluations.previous'),
    keys: 'k',
    group,
    run: () => move(-1),
  });
  useCommand({
    id: 'evaluations.back',
    title: t('evaluations.back'),
    keys: 'Escape',
    group,
    run: () => onChange({ evaluation: undefined, against: undefined, item: undefined, show: undefined }),
  });
  return (
    <div className="evaluations-items">
      <ItemsHead
        summary={summary}
        others={(others.data ?? []).filter((other) => other.id !== id)}
        against={against}
        onAgainst={(other) =>
          onChange({
            against: other ?? undefined,
            show: other === null ? undefined : 'flipped',
            item: undefined,
          })
        }
        onBack={() =>
          onChange({ evaluation: undefined, against: undefined, item: undefined, show: undefined })
        }
      />
      {against !== null && comparison.data !== undefined && <ComparisonLine comparison={comparison.data} />}
      {against !== null && comparison.error != null && (
        <Text size="sm" c="var(--bad)" role="alert" px="md">
          {readableFailure(comparison.error).sentence}
        </Text>
      )}
      <QueryState
        read={{ data: first, error: read.error, isPending: read.isPending, refetch: read.refetch }}
        problemOf={readableFailure}
      >
        {({ total, counts }) => (
          <>
            <FilterChips
              counts={counts}
              value={show}
              onChange={(value) => onChange({ show: value === 'all' ? undefined : value, item: undefined })}
            />
            {total === 0 ? (
              <NoMatch
                title={t(counts.all === 0 ? 'evaluations.items.none' : 'evaluations.items.noMatch')}
                filter={t(`evaluations.show.${show}`)}
                onClear={() => onChange({ show: undefined })}
              />
            ) : (
              <div className="evaluations-pair">
                <DataList
                  label={t('evaluations.items')}
                  rows={rows}
                  total={total}
                  rowHeight={ITEM_ROW_HEIGHT}
                  keyOf={(row) => String(row.ordinal)}
                  selected={selected}
                  onSelect={(key) => onChange({ item: key })}
                  renderRow={(row) => <ItemRow row={row} isHidden={isHazardous} />}
                  onNearEnd={read.more}
                />
                {selected !== null && (
                  <SelectedItem
                    key={selected}
                    summary={summary}
                    ordinal={Number(selected)}
                    against={comparison.data?.before ?? null}
                  />
                )}
              </div>
            )}
          </>
        )}
      </QueryState>
    </div>
  );
}

/** Reads the chosen answer and its counterpart, and keeps a person's verdict on it. */
function SelectedItem({
  summary: { id, plan },
  ordinal,
  against,
}: {
  summary: EvaluationSummary;
  ordinal: number;
  against: EvaluationSummary | null;
}) {
  const t = useTranslate();
  const [isRevealed, setRevealed] = useState(false);
  const { name: reviewer, setName: setReviewer } = useReviewerName();
  const read = useApiQuery('evaluations.item', api.evaluations.item, { id, ordinal }, { keep: false });
  const other = useSideQuery(
    'evaluations.itemOf',
    api.evaluations.itemOf,
    { id: against?.id ?? '', itemId: read.data?.item.itemId ?? '', sample: read.data?.item.sample ?? 0 },
    { enabled: against !== null && read.data !== undefined, keep: false },
  );
  const override = useApiMutation(api.evaluations.override, { invalidates: ['evaluations', 'runs'] });
  const withdraw = useApiMutation(api.evaluations.withdrawOverride, { invalidates: ['evaluations', 'runs'] });
  useCommand(
    {
      id: 'evaluations.reveal',
      title: t('evaluations.reveal.command'),
      keys: 'v',
      group: t('evaluations.group'),
      run: () => setRevealed(!isRevealed),
    },
    read.data?.hazardous === true,
  );
  if (read.data === undefined && read.error == null) return <Loading />;
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(shown) => (
        <ItemView
          shown={shown}
          label={plan.subject.label}
          before={against === null ? null : { label: against.plan.subject.label, shown: other.data ?? null }}
          group={plan.group}
          isRevealed={isRevealed}
          onReveal={setRevealed}
          reviewer={reviewer}
          onReviewer={setReviewer}
          isBusy={override.isPending || withdraw.isPending}
          onOverride={(outcome, note) => override.mutate({ id, ordinal, outcome, by: reviewer.trim(), note })}
          onWithdraw={() => withdraw.mutate({ id, ordinal })}
        />
      )}
    </QueryState>
  );
}
