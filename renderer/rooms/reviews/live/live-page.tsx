import { Navigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { z } from 'zod';
import { phaseSchema } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import {
  api,
  notify,
  notifyFailure,
  readableFailure,
  useLiveEvents,
  useApiQuery,
} from '../../../data/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import {
  Banner,
  Button,
  NoMatch,
  Page,
  QueryState,
  useRoomSearch,
  EmptyState,
  useRoomNavigate,
  following,
} from '../../../ui/index.ts';
import { Guidelines, PurposePicker } from '../queue/guidelines.tsx';
import { COMMON_KEYS, QueueKeys, type QueueKey } from '../queue/decision-bar.tsx';
import { QueueBar } from '../queue/queue-bar.tsx';
import { currentItem, ITEM_STATES, shownItems, type QueueEffect } from '../queue/queue.ts';
import { useQueue, viewOf, useQueueAddress } from '../queue/use-queue.ts';
import { Answering, Bulk } from './answering.tsx';
import { feedbackOf, keyOf, LIVE_RULES, liveItem, questionOf, type LiveForm } from './live-form.ts';
import { HistoryTable, Countdown } from './question.tsx';

const searchSchema = z.object({
  run: z.string().optional().catch(undefined),
  record: z.string().optional().catch(undefined),
  state: z.enum(ITEM_STATES).optional().catch(undefined),
  phase: phaseSchema.optional().catch(undefined),
  item: z.string().optional().catch(undefined),
});

const KEYS: readonly QueueKey[] = [
  { key: '1', word: 'reviews.key.continue' },
  { key: '2', word: 'reviews.key.retry' },
  { key: '3', word: 'reviews.key.safety' },
  { key: '4', word: 'reviews.key.unsure' },
  { key: '5', word: 'reviews.key.leak' },
  { key: 'i', word: 'reviews.key.issues' },
  ...COMMON_KEYS,
  { key: 'u', word: 'reviews.key.undo' },
];

/** A person answers what runs at work ask. A link that names a record leads to an audit of its reviews: it was reviewed already. */
export function LivePage() {
  const [{ run, record }] = useRoomSearch(searchSchema);
  return record === undefined ? (
    <Questions />
  ) : (
    <Navigate to={'/reviews/audits' as never} search={{ run, record } as never} replace />
  );
}

function Questions() {
  const t = useTranslate();
  const [search, setSearch] = useRoomSearch(searchSchema);
  const [isGuideOpen, setGuideOpen] = useState(false);
  const words = useRef<HTMLTextAreaElement>(null);
  const questions = useApiQuery('reviews.questions', api.reviews.questions, { runId: search.run ?? null });
  const history = useApiQuery('reviews.history', api.reviews.history, { runId: search.run ?? null });
  const stored = useMemo(() => questions.data?.map(liveItem), [questions.data]);
  const byKey = useMemo(
    () => new Map(questions.data?.map((question) => [keyOf(question), question])),
    [questions.data],
  );

  const store = async ({ item }: Extract<QueueEffect<LiveForm>, { kind: 'store' }>): Promise<void> => {
    const question = questionOf(item.key);
    const { decision, issues, feedback } = item.form;
    const passOn = async (how: 'hand-over' | 'skip'): Promise<void> => {
      const { done } = await api.reviews.passOn.mutate({ questions: [question], how });
      if (done === 0) throw new Error(t('reviews.live.ended'));
    };
    if (item.state === 'draft')
      await api.reviews.keepDraft.mutate({ ...question, draft: { decision, issues, feedback } });
    else if (item.state === 'discarded') await passOn('skip');
    else if (decision === 'unsure' || decision === null) await passOn('hand-over');
    else
      await api.reviews.answer.mutate({
        ...question,
        decision,
        issues,
        feedback: feedbackOf(item.form, t('reviews.live.nothingFound')),
      });
  };
  const control = useQueue<LiveForm>({
    stored,
    rules: LIVE_RULES,
    start: viewOf(search),
    store,
    notify: (problem) => notify(t(problem as MessageId), 'plain'),
    comment: () => words.current?.focus(),
    onFailure: (error, cause) =>
      notifyFailure(t('reviews.notice.kept', { reason: readableFailure(error).sentence }), cause),
  });
  const { queue, press } = control;
  useQueueAddress({ view: queue, address: search, onView: control.changeView, onAddress: setSearch });
  useLiveEvents((events) => {
    for (const { event } of events) {
      if (
        event.kind === 'review' &&
        event.review.reviewer === 'human' &&
        event.review.status === 'quarantined'
      )
        notifyFailure(t('reviews.live.quarantined', { step: event.review.step }));
    }
  });
  useCommand({
    id: 'reviews.guidelines',
    title: t('reviews.key.guidelines'),
    keys: 'h',
    group: t('reviews.title'),
    run: () => setGuideOpen(true),
  });

  const item = currentItem(queue);
  const question = item === null ? undefined : byKey.get(item.key);
  const isHistory = queue.tab === 'done' || queue.tab === 'discarded';
  const ended = (history.data ?? []).filter(
    ({ outcome }) => (queue.tab === 'done') === (outcome === 'answered'),
  );
  const first = questions.data?.[0];
  // Nothing waits and nothing ever did: counters of nothing would only stand above the words that say so.
  const isUnused =
    queue.items.length === 0 && (history.data ?? []).length === 0 && !isHistory && search.run === undefined;
  return (
    <Page
      title={t('reviews.title')}
      flush
      aside={<PurposePicker purpose="live" />}
      actions={
        <Button variant="default" size="xs" onClick={() => setGuideOpen(true)}>
          {t('reviews.guidelines')}
        </Button>
      }
    >
      <QueueKeys keys={KEYS} press={press} />
      <Guidelines purpose="live" keys={KEYS} opened={isGuideOpen} onClose={() => setGuideOpen(false)} />
      <QueryState read={following(history, questions)} problemOf={readableFailure}>
        {(open) => (
          <div className="reviews-queue">
            {first !== undefined && (
              <Banner>
                <WaitingLine count={open.length} until={first.deadline} />
              </Banner>
            )}
            {!isUnused && (
              <QueueBar
                items={queue.items}
                tab={queue.tab}
                phase={queue.phase}
                finishedAt={control.finishedAt}
                onView={control.changeView}
                counts={endedCounts(history.data ?? [])}
              >
                {search.run !== undefined && (
                  <Button size="xs" variant="default" onClick={() => setSearch({ run: undefined })}>
                    {t('reviews.live.allRuns', { run: open[0]?.runName ?? search.run })}
                  </Button>
                )}
                <Bulk items={shownItems(queue)} tab={queue.tab} />
              </QueueBar>
            )}
            {isHistory && <HistoryTable entries={ended} />}
            {!isHistory && (item === null || question === undefined) && (
              <Nothing
                isFiltered={queue.phase !== null && open.length > 0}
                phase={queue.phase}
                onClear={() => control.changeView({ phase: null })}
              />
            )}
            {!isHistory && item !== null && question !== undefined && (
              <Answering question={question} item={item} control={control} words={words} />
            )}
          </div>
        )}
      </QueryState>
    </Page>
  );
}

function WaitingLine({ count, until }: { count: number; until: string }) {
  const t = useTranslate();
  return (
    <>
      {t('reviews.waiting', { n: count })} · {t('reviews.live.first')} <Countdown until={until} />
    </>
  );
}

function Nothing({
  isFiltered,
  phase,
  onClear,
}: {
  isFiltered: boolean;
  phase: string | null;
  onClear: () => void;
}) {
  const t = useTranslate();
  return isFiltered ? (
    <NoMatch
      title={t('reviews.none.filtered')}
      filter={t('reviews.none.filter', { phase: phase ?? '' })}
      onClear={onClear}
    />
  ) : (
    <NobodyAsks />
  );
}

const endedCounts = (history: readonly { outcome: string }[]): { done: number; discarded: number } => {
  const done = history.filter(({ outcome }) => outcome === 'answered').length;
  return { done, discarded: history.length - done };
};

/** No question is open: either no run asks a person at all, or the one that does has nothing to ask right now. */
function NobodyAsks() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const runs = useApiQuery('runs.list', api.runs.list, {
    states: ['setting-up', 'stepping', 'pausing'],
    limit: 50,
  });
  return (
    <QueryState read={runs} problemOf={readableFailure}>
      {({ rows }) => {
        const asking = rows.filter(({ config }) => (config.supervision.human?.share ?? 0) > 0);
        return asking.length > 0 ? (
          <EmptyState
            title={t('reviews.live.idle.title')}
            text={t('reviews.live.idle.text', { runs: asking.map(({ config }) => config.name).join(', ') })}
          />
        ) : (
          <EmptyState title={t('reviews.live.empty.title')} text={t('reviews.live.empty.text')}>
            <Button onClick={() => navigate('/new', {}, { at: 'supervision', person: true })}>
              {t('reviews.live.empty.new')}
            </Button>
            <Button variant="default" onClick={() => navigate('/reviews/audits')}>
              {t('reviews.live.empty.audit')}
            </Button>
          </EmptyState>
        );
      }}
    </QueryState>
  );
}
