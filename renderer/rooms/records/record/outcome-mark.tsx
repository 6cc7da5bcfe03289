import type { Verdict } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

const SIGNS: Record<Verdict['outcome'], { glyph: string; color: string }> = {
  passed: { glyph: '✓', color: 'var(--good)' },
  failed: { glyph: '✗', color: 'var(--bad)' },
  invalid: { glyph: '⊘', color: 'var(--warn)' },
};

/** What the verifier found, as sign and word. */
export function OutcomeMark({ outcome }: { outcome: Verdict['outcome'] }) {
  const t = useTranslate();
  const { glyph, color } = SIGNS[outcome];
  return (
    <span className="records-outcome" style={{ color }}>
      <span aria-hidden>{glyph}</span> {t(`records.value.outcome.${outcome}`)}
    </span>
  );
}
