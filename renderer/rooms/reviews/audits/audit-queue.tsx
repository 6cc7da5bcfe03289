import { useEffect, useMemo, useRef } from 'react';
import type { Audit, AuditHead } from '../../../../electron/contract/index.ts';
import { api, notify, notifyFailure, readableFailure, useApiMutation } from '../../../data/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import {
  ConfirmButton,
  EmptyState,
  NoMatch,
  Button,
  CopyButton,
  Group,
  Stack,
  Text,
  Quiet,
} from '../../../ui/index.ts';
import { DecisionBar, AUDIT_KEYS, QueueKeys } from '../queue/decision-bar.tsx';
import { QueueBar, useDwell } from '../queue/queue-bar.tsx';
import {
  countStates,
  currentItem,
  shownItems,
  type ReviewQueue,
  type QueueItem,
  type ItemState,
} from '../queue/queue.ts';
import { useQueue, viewOf, useQueueAddress, type QueueAddress } from '../queue/use-queue.ts';
import { AUDIT_RULES, auditItems, labelOf, type AuditForm } from './audit-form.ts';
import { AuditItemView } from './audit-item.tsx';

type AuditQueueProps = {
  audit: Audit;
  isBlind: boolean;
  /** What the address says now, and how to change it. */
  address: QueueAddress;
  setSearch: (change: QueueAddress) => void;
  onResults: () => void;
};

/** Labelling a sample, item after item. */
export function AuditQueue({ audit, isBlind, address, setSearch, onResults }: AuditQueueProps) {
  const t = useTranslate();
  const auditId = audit.head.id;
  const comment = useRef<HTMLTextAreaElement>(null);
  const stored = useMemo(() => auditItems(audit.items, audit.labels, isBlind), [audit, isBlind]);
  const seconds = useRef<(key: string) => number>(() => 0);
  const control = useQueue<AuditForm>({
    stored,
    rules: AUDIT_RULES,
    start: viewOf(address),
    store: ({ item }) =>
      api.reviews.audits.label.mutate({
        auditId,
        labels: [{ ordinal: Number(item.key), label: labelOf(item, seconds.current(item.key)) }],
      }),
    notify: (problem) => notify(t(problem as MessageId), 'plain'),
    comment: () => comment.current?.focus(),
    onFailure: (error, cause) =>
      notifyFailure(t('reviews.notice.kept', { reason: readableFailure(error).sentence }), cause),
  });
  const { queue, press } = control;
  const secondsOf = useDwell(queue.current);
  useEffect(() => {
    seconds.current = secondsOf;
  });
  useQueueAddress({ view: queue, address, onView: control.changeView, onAddress: setSearch });
  const item = currentItem(queue);
  const counts = countStates(queue.items);
  const isOver =
    queue.items.length > 0 && counts.pending === 0 && queue.tab === 'pending' && item?.state !== 'pending';
  return (
    <div className="reviews-queue">
      <QueueKeys keys={AUDIT_KEYS} press={press} />
      <QueueBar
        items={queue.items}
        tab={queue.tab}
        phase={queue.phase}
        finishedAt={control.finishedAt}
        onView={control.changeView}
      >
        <Bulk items={shownItems(queue)} tab={queue.tab} auditId={auditId} />
      </QueueBar>
      {isOver && <EndCard head={audit.head} counts={counts} onResults={onResults} />}
      {!isOver && item === null && (
        <NothingHere phase={queue.phase} onClear={() => control.changeView({ phase: null })} />
      )}
      {!isOver && item !== null && (
        <>
          <AuditItemView
            auditId={auditId}
            item={item}
            mode={queue.mode}
            comment={comment}
            onForm={control.fillIn}
            press={press}
            next={nextKey(queue)}
          />
          <DecisionBar
            decision={item.form.decision}
            isSafetyRisk={item.form.safetyRisk}
            leaks={item.form.leaks}
            isDiscarded={item.state === 'discarded'}
            canUndo
            submitWord={item.form.seen ? 'reviews.key.submit' : 'reviews.key.reveal'}
            press={press}
          />
        </>
      )}
    </div>
  );
}

/** The item that will most likely come next; its texts are read ahead. */
function nextKey(queue: ReviewQueue<AuditForm>): string | null {
  const shown = shownItems(queue);
  return shown[shown.findIndex(({ key }) => key === queue.current) + 1]?.key ?? null;
}

function NothingHere({ phase, onClear }: { phase: string | null; onClear: () => void }) {
  const t = useTranslate();
  if (phase === null) return <EmptyState title={t('reviews.none.title')} text={t('reviews.none.text')} />;
  return (
    <NoMatch
      title={t('reviews.none.filtered')}
      filter={t('reviews.none.filter', { phase })}
      onClear={onClear}
    />
  );
}

/** Acts on every item that the tab and the phase show, after naming how many. */
function Bulk({
  items,
  tab,
  auditId,
}: {
  items: readonly QueueItem<AuditForm>[];
  tab: string;
  auditId: string;
}) {
  const t = useTranslate();
  const n = items.length;
  if (n === 0 || tab === 'done') return null;
  const all = (state: 'discarded' | 'pending') => (): void => {
    const labels = items.map((item) => ({
      ordinal: Number(item.key),
      label: labelOf({ ...item, state }, 0),
    }));
    api.reviews.audits.label
      .mutate({ auditId, labels })
      .catch((error: unknown) => notifyFailure(readableFailure(error).sentence));
  };
  return tab === 'discarded' ? (
    <ConfirmButton
      size="xs"
      label={t('reviews.audit.restore', { n })}
      title={t('reviews.audit.restore.title', { n })}
      consequence={t('reviews.audit.restore.text')}
      confirm={t('reviews.audit.restore', { n })}
      onConfirm={all('pending')}
    />
  ) : (
    <ConfirmButton
      size="xs"
      label={t('reviews.audit.discard', { n })}
      title={t('reviews.audit.discard.title', { n })}
      consequence={t('reviews.audit.discard.text')}
      confirm={t('reviews.audit.discard', { n })}
      onConfirm={all('discarded')}
    />
  );
}

/** Everything is answered: what was done, where the numbers go. */
function EndCard({
  head,
  counts,
  onResults,
}: {
  head: AuditHead;
  counts: Record<ItemState, number>;
  onResults: () => void;
}) {
  const t = useTranslate();
  return (
    <EmptyState
      title={t('reviews.end.title')}
      text={t('reviews.end.text', { done: counts.done, discarded: counts.discarded })}
    >
      <Stack align="center">
        {counts.draft > 0 && <Text c="var(--warn)">{t('reviews.end.drafts', { n: counts.draft })}</Text>}
        <Group>
          <Button variant="default" onClick={onResults}>
            {t('reviews.end.results')}
          </Button>
          <Keeping head={head} />
        </Group>
      </Stack>
    </EmptyState>
  );
}

/** Storing the figures with the audit, and writing the labels as a table. */
export function Keeping({ head }: { head: AuditHead }) {
  const t = useTranslate();
  const finish = useApiMutation(api.reviews.audits.finish, { invalidates: ['reviews.audits'] });
  const write = useApiMutation(api.reviews.audits.writeCsv);
  return (
    <Group>
      <Button
        onClick={() => finish.mutate({ auditId: head.id })}
        loading={finish.isPending}
        disabled={head.finishedAt !== null}
      >
        {t('reviews.end.store')}
      </Button>
      <Button variant="default" onClick={() => write.mutate({ auditId: head.id })} loading={write.isPending}>
        {t('reviews.end.csv')}
      </Button>
      {head.finishedAt !== null && (
        <Quiet>{t('reviews.end.stored', { when: new Date(head.finishedAt).toLocaleString('en-GB') })}</Quiet>
      )}
      {write.data !== undefined && (
        <Group gap="xs">
          <Text size="sm" role="status">
            {t('reviews.end.csvDone', { rows: write.data.rows, file: write.data.file })}
          </Text>
          <CopyButton text={write.data.file} />
        </Group>
      )}
    </Group>
  );
}
