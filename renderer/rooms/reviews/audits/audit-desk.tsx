import { useEffect, useMemo, useRef } from 'react';
import type { Audit } from '../../../../electron/contract/index.ts';
import { api, notify, notifyFailure, readableFailure } from '../../../data/index.ts';
import { ConfirmButton, EmptyState, NoMatch } from '../../../ui/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import { AUDIT_KEYS } from '../hooks/audit-keys.ts';
import { DeskKeys } from '../hooks/desk-keys.tsx';
import { useDesk } from '../hooks/use-desk.ts';
import { startOf, useDeskAddress, type DeskAddress } from '../hooks/use-desk-address.ts';
import { useDwell } from '../hooks/use-dwell.ts';
import { AUDIT_RULES, auditItems, labelOf, type AuditForm } from '../model/audit-form.ts';
import { countStates, currentItem, shownItems, type Desk, type DeskItem } from '../model/desk.ts';
import { AuditItemView } from './audit-item.tsx';
import { DecisionBar } from '../parts/decision-bar.tsx';
import { DeskBar } from '../parts/desk-bar.tsx';
import { EndCard } from './end-card.tsx';

type AuditDeskProps = {
  audit: Audit;
  isBlind: boolean;
  /** What the address says now, and how to change it. */
  address: DeskAddress;
  setSearch: (change: DeskAddress) => void;
  onResults: () => void;
};

/** Labelling a sample, item after item. */
export function AuditDesk({ audit, isBlind, address, setSearch, onResults }: AuditDeskProps) {
  const t = useTranslate();
  const auditId = audit.head.id;
  const comment = useRef<HTMLTextAreaElement>(null);
  const stored = useMemo(() => auditItems(audit.items, audit.labels, isBlind), [audit, isBlind]);
  const seconds = useRef<(key: string) => number>(() => 0);
  const control = useDesk<AuditForm>(stored, AUDIT_RULES, startOf(address), {
    keep: ({ item }) =>
      api.reviews.audits.label.mutate({
        auditId,
        labels: [{ ordinal: Number(item.key), label: labelOf(item, seconds.current(item.key)) }],
      }),
    tell: (problem) => notify(t(problem as MessageId), 'plain'),
    comment: () => comment.current?.focus(),
    onFailure: (error) =>
      notifyFailure(t('reviews.notice.kept', { reason: readableFailure(error).sentence })),
  });
  const { desk, press } = control;
  const secondsOf = useDwell(desk.current);
  useEffect(() => {
    seconds.current = secondsOf;
  });
  useDeskAddress(desk, address, control.look, setSearch);
  const item = currentItem(desk);
  const counts = countStates(desk.items);
  const isOver =
    desk.items.length > 0 && counts.pending === 0 && desk.tab === 'pending' && item?.state !== 'pending';
  return (
    <div className="reviews-desk">
      <DeskKeys keys={AUDIT_KEYS} press={press} />
      <DeskBar
        items={desk.items}
        tab={desk.tab}
        phase={desk.phase}
        finishedAt={control.finishedAt}
        onLook={control.look}
      >
        <Bulk items={shownItems(desk)} tab={desk.tab} auditId={auditId} />
      </DeskBar>
      {isOver ? (
        <EndCard head={audit.head} counts={counts} onResults={onResults} />
      ) : item === null ? (
        <NothingHere phase={desk.phase} onClear={() => control.look({ phase: null })} />
      ) : (
        <>
          <AuditItemView
            auditId={auditId}
            item={item}
            mode={desk.mode}
            comment={comment}
            onForm={control.fillIn}
            press={press}
            next={nextKey(desk)}
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

/** The item that will most likely be looked at next; its texts are read ahead. */
function nextKey(desk: Desk<AuditForm>): string | null {
  const shown = shownItems(desk);
  return shown[shown.findIndex(({ key }) => key === desk.current) + 1]?.key ?? null;
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
  items: readonly DeskItem<AuditForm>[];
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
