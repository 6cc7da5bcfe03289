import { Term, visibleString } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { leakReading } from '../model/pair.ts';
import type { Review } from '../model/types.ts';

const SIGNS = {
  clean: { glyph: '✓', color: 'var(--good)' },
  quarantined: { glyph: '⚑', color: 'var(--bad)' },
  'nothing-to-check': { glyph: '–', color: 'var(--quiet)' },
} as const;

/** What the leak guard found in a review, and what became of it. */
export function LeakMeter({ review }: { review: Review }) {
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
