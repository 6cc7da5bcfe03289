import { useState, type ReactNode } from 'react';
import { nobodyAsked } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Badge,
  batchText,
  Duration,
  IssueName,
  Num,
  Percent,
  PhaseChip,
  reviewerText,
  Term,
  When,
  visibleString,
  TextBlock,
} from '../../../ui/index.ts';
import { leakReading, materialStart, type Review } from './record.ts';

const DECISIONS = {
  continue: { glyph: '✓', color: 'var(--good)' },
  retry: { glyph: '↻', color: 'var(--warn)' },
} as const;

/** Everything one review says, what it cost, and exactly what the reviewer was shown. */
export function ReviewCard({ review }: { review: Review }) {
  const t = useTranslate();
  const {
    phase,
    decision,
    status,
    issues,
    feedback,
    reviewer,
    model,
    prompt,
    tokensIn,
    tokensOut,
    milliseconds,
    gateProbability,
    createdAt,
    batch,
    quote,
  } = review;
  const isUnasked = nobodyAsked(review);
  return (
    <article
      className="records-review"
      style={{ borderInlineStartColor: `var(--phase-${phase})` }}
      aria-label={t(`phase.${phase}`)}
    >
      <header>
        <PhaseChip phase={phase} short />
        {decision !== null && (
          <strong style={{ color: DECISIONS[decision].color }}>
            <span aria-hidden>{DECISIONS[decision].glyph}</span> {t(`records.review.decision.${decision}`)}
          </strong>
        )}
        {(status === 'failed' || status === 'skipped-by-budget') && (
          <span>{t(`records.review.status.${status}`)}</span>
        )}
        <span className="ui-spring" />
        <span className="records-quiet">
          {isUnasked ? t('records.review.nobodyAsked') : reviewerText(t, reviewer, model)}
        </span>
      </header>
      {issues.length > 0 && (
        <div className="records-issues">
          {issues.map((issue) => (
            <Badge key={issue} variant="default" size="sm" tt="none">
              <IssueName issue={issue} />
            </Badge>
          ))}
        </div>
      )}
      {phase === 'exec' && (
        <p className="records-quiet">{t('records.review.ofBatch', { batch: batchText(t, batch) })}</p>
      )}
      {feedback.trim() === '' ? (
        <p className="records-quiet">{t('records.review.noFeedback')}</p>
      ) : (
        <TextBlock text={feedback} look="prose" />
      )}
      {quote !== undefined && (
        <p className="records-quote">
          {t('records.review.quote')} <q>{visibleString(quote)}</q>
        </p>
      )}
      {!isUnasked && <LeakMeter review={review} />}
      <footer className="records-quiet numbers">
        {!isUnasked && (
          <>
            <span>{t('records.review.tokens', { in: tokensIn, out: tokensOut })}</span>
            {milliseconds < 1000 ? (
              <Num value={milliseconds} unit="ms" />
            ) : (
              <Duration seconds={milliseconds / 1000} />
            )}
          </>
        )}
        <span>
          <Term id="gate" /> <Percent value={gateProbability} digits={0} />
        </span>
        <When iso={createdAt} />
      </footer>
      {prompt !== '' && (
        <Folded title={t('records.review.prompt')}>
          {() => (
            <TextBlock
              text={prompt}
              look="code"
              quotes={quote === undefined ? undefined : [quote]}
              quotesFrom={materialStart(prompt)}
            />
          )}
        </Folded>
      )}
    </article>
  );
}

const SIGNS = {
  clean: { glyph: '✓', color: 'var(--good)' },
  quarantined: { glyph: '⚑', color: 'var(--bad)' },
  'nothing-to-check': { glyph: '–', color: 'var(--quiet)' },
} as const;

/** What the leak guard found in a review, and what became of it. */
function LeakMeter({ review }: { review: Review }) {
  const t = useTranslate();
  const { verdict, found } = leakReading(review);
  const { glyph, color } = SIGNS[verdict];
  return (
    <div className="records-leak">
      <span>
        {t('records.leak')} (<Term id="leak" />
        ):
      </span>{' '}
      <span style={{ color }}>
        <span aria-hidden>{glyph}</span> {t(`records.leak.${verdict}`, { n: found.length })}
      </span>
      {found.length > 0 && (
        <ul>
          {found.map((finding) => (
            <li key={finding}>{visibleString(finding)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A part that is read when it is opened, and not laid out before. */
export function Folded({ title, children }: { title: string; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="records-folded" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
