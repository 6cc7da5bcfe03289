import { useEffect, useRef, type ReactNode } from 'react';
import type { Phase, PhaseProbabilities } from '../../../../electron/contract/index.ts';
import type { FullRecord } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { TextBlock, PhaseChip } from '../../../ui/index.ts';
import { pairRows, quotesByPlace, type PhaseRow } from './record.ts';
import { Folded, ReviewCard } from './review-card.tsx';
import { TaskBlock, VerifierBlock } from './task-and-verdict.tsx';

type PairViewProps = {
  record: FullRecord;
  probabilities: PhaseProbabilities;
  view: 'rendered' | 'raw';
  phase: Phase | undefined;
  onRecord: (id: string) => void;
};

/** A record beside its reviews: each phase at one height, so that both sides scroll together. Made new for each record, which begins at its top. */
export function PairView({ record, probabilities, view, phase, onRecord }: PairViewProps) {
  const t = useTranslate();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (phase !== undefined)
      box.current?.querySelector(`#phase-${phase}`)?.scrollIntoView({ block: 'start' });
  }, [phase]);
  return (
    <div ref={box} className="records-pair" role="region" aria-label={t('records.pair')}>
      <div className="records-titles" aria-hidden>
        <span>{t('records.pair.agent')}</span>
        <span>{t('records.pair.reviews')}</span>
      </div>
      <div className="records-prompt">
        <Folded title={t('records.pair.prompt')}>
          {() => (
            <>
              <h4>{t('records.pair.system', { step: record.rollout.step })}</h4>
              <TextBlock text={record.system} look="code" />
              <h4>{t('records.pair.user')}</h4>
              <TextBlock text={record.rollout.user} look="code" />
            </>
          )}
        </Folded>
      </div>
      {view === 'raw' ? (
        <RawResponse record={record} />
      ) : (
        pairRows(record, probabilities).map((row) => (
          <PhaseSection key={row.phase} row={row}>
            <AgentPart row={row} record={record} onRecord={onRecord} />
          </PhaseSection>
        ))
      )}
    </div>
  );
}

function AgentPart({
  row: { phase },
  record,
  onRecord,
}: {
  row: PhaseRow;
  record: FullRecord;
  onRecord: (id: string) => void;
}) {
  const t = useTranslate();
  const { plan, thought, answer, purpose } = record.rollout;
  const quotes = quotesByPlace(record)[phase];
  const part = (text: string | null, look: 'prose' | 'code', missing: string) =>
    text === null || text.trim() === '' ? (
      <p className="records-quiet">{missing}</p>
    ) : (
      <TextBlock text={text} look={look} quotes={quotes} />
    );
  switch (phase) {
    case 'task':
      return <TaskBlock record={record} quotes={quotes} onRecord={onRecord} />;
    case 'plan':
      return part(plan, 'prose', t('records.pair.noPart'));
    case 'thought':
      return part(thought, 'prose', t('records.pair.noPart'));
    case 'output':
      return purpose === 'propose' ? (
        <p className="records-quiet">{t('records.pair.asTask')}</p>
      ) : (
        part(answer, 'code', t('records.pair.noAnswer'))
      );
    case 'exec':
      return <VerifierBlock record={record} />;
  }
}

/** The response as it was generated, unparsed, beside all reviews. */
function RawResponse({ record }: { record: FullRecord }) {
  const t = useTranslate();
  const reviews = [...record.reviews, ...(record.execReview === null ? [] : [record.execReview])];
  return (
    <section className="records-phase" aria-label={t('records.pair.wholeText')}>
      <div className="records-left">
        <h3>{t('records.pair.wholeText')}</h3>
        <TextBlock
          text={record.rollout.text}
          look="code"
          quotes={reviews.flatMap(({ quote }) => quote ?? [])}
        />
      </div>
      <div className="records-right" data-loose>
        {reviews.map((review) => (
          <ReviewCard key={review.id} review={review} />
        ))}
      </div>
    </section>
  );
}

/** One phase: the agent's side and the review of it at the same height, so that both scroll together. */
function PhaseSection({ row, children }: { row: PhaseRow; children: ReactNode }) {
  const t = useTranslate();
  const { phase, review, unreviewed, probability } = row;
  return (
    <section className="records-phase" id={`phase-${phase}`} aria-label={t(`phase.${phase}`)} tabIndex={-1}>
      <div className="records-left">
        <h3>
          <PhaseChip phase={phase} />
        </h3>
        {children}
      </div>
      <div className="records-right">
        {review !== null && <ReviewCard review={review} />}
        {unreviewed !== null && (
          <p className="records-why">{t(`records.why.${unreviewed}`, { p: probability ?? 0 })}</p>
        )}
      </div>
    </section>
  );
}
