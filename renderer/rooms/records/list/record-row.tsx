import { memo, Fragment } from 'react';
import type { RecordRow as Row, ReviewMark } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Num, visibleString } from '../../../ui/index.ts';
import { OutcomeMark } from '../record/outcome-mark.tsx';

/** CSS pixels: two lines. */
export const ROW_HEIGHT = 52;

type RecordRowProps = {
  row: Row;
  /** Shown instead of the answer's beginning: what was found. */ found?: string;
  /** In front of it, such as a share. */ note?: string;
};

/** One record in two lines: where it belongs and how it ended, and how its answer begins. */
export const RecordRow = memo(function RecordRow({ row, found, note }: RecordRowProps) {
  const t = useTranslate();
  const item =
    row.sample === null
      ? t('records.row.item', { batch: row.batch, index: row.index })
      : t('records.row.sample', { batch: row.batch, index: row.index, sample: row.sample });
  const excerpt = found ?? row.excerpt;
  return (
    <div className="records-row">
      <div className="records-row-line">
        <span className="records-row-step numbers">{t('records.row.step', { step: row.step })}</span>
        <span className="records-row-item">{item}</span>
        <OutcomeMark outcome={row.verdict.outcome} />
        {row.reward !== null && <Num value={row.reward} digits={2} />}
      </div>
      <div className="records-row-line">
        <ReviewMarks reviews={row.reviews} />
        <span className="records-row-text">
          {note !== undefined && <span className="numbers">{note} · </span>}
          {excerpt.trim() === '' ? (
            t('records.row.noText')
          ) : (
            <ExcerptText text={visibleString(excerpt.replaceAll(/\s+/g, ' '))} />
          )}
        </span>
      </div>
    </div>
  );
});

const GLYPHS = { continue: '✓', retry: '↻', quarantined: '⚑', other: '–' } as const;

function markOf({ status, decision }: ReviewMark): keyof typeof GLYPHS {
  if (status === 'quarantined') return 'quarantined';
  return status === 'done' && decision !== null ? decision : 'other';
}

/** One sign per review, in the colour of its phase; the words are for screen readers. */
function ReviewMarks({ reviews }: { reviews: readonly ReviewMark[] }) {
  const t = useTranslate();
  if (reviews.length === 0) return null;
  const words = reviews
    .map((review) => t(`records.review.${markOf(review)}`, { phase: t(`phase.${review.phase}.short`) }))
    .join(', ');
  return (
    <span
      className="records-marks"
      role="img"
      aria-label={t('records.row.reviews', { list: words })}
      title={words}
    >
      {reviews.map((review) => (
        <span key={review.phase} style={{ color: `var(--phase-${review.phase})` }}>
          {GLYPHS[markOf(review)]}
        </span>
      ))}
    </span>
  );
}

/** Text of a search hit, in which what matched stands between ‹ and ›. */
function ExcerptText({ text }: { text: string }) {
  const parts = text.split(/‹([^‹›]*)›/);
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <mark key={index} className="records-match">
        {part}
      </mark>
    ) : (
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
