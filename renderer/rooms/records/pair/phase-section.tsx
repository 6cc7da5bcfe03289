import type { ReactNode } from 'react';
import { PhaseChip } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { PhaseRow } from '../model/pair.ts';
import { ReviewCard } from './review-card.tsx';

/** One phase: the agent's side and the review of it at the same height, so that both scroll together. */
export function PhaseSection({ row, children }: { row: PhaseRow; children: ReactNode }) {
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
