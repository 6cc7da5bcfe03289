import type { Phase } from '../../../../../electron/contract/index.ts';
import { percentText, PhaseChip, Slider, Text } from '../../../../ui/index.ts';
import { useTranslate } from '../../../../i18n/index.ts';
import { NumberBox } from '../number-box.tsx';

const SNAP = 0.05;

type PhaseRowProps = {
  phase: Phase;
  /** In range; what is shown by the slider. */ p: number;
  /** As written, right or wrong. */ value: unknown;
  issue?: string;
  changed: boolean;
  /** Expected per step; null while the engine counts. */ reviews: number | null;
  items: number | null;
  /** Share of responses that write this part; null where all bring an item, or nobody knows. */ written:
    number | null;
  onValue: (value: unknown) => void;
};

const count = (value: number): string =>
  value >= 10 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1);

/** One phase: what the supervisor sees there, how often it looks, and how many reviews that makes. */
export function PhaseRow({
  phase,
  p,
  value,
  issue,
  changed,
  reviews,
  items,
  written,
  onValue,
}: PhaseRowProps) {
  const t = useTranslate();
  const name = t(`phase.${phase}`);
  return (
    <div className="plan-phase" data-changed={changed}>
      <div className="plan-phase-name">
        <PhaseChip phase={phase} />
        <Text size="xs" c="var(--quiet)">
          {t(`new-run.phases.sees.${phase}`)}
        </Text>
      </div>
      <Slider
        value={p}
        onChange={onValue}
        min={0}
        max={1}
        step={SNAP}
        label={null}
        size="sm"
        thumbLabel={t('new-run.phases.slider', { phase: name })}
        styles={{
          bar: { background: `var(--phase-${phase})` },
          thumb: { borderColor: `var(--phase-${phase})`, color: `var(--phase-${phase})` },
        }}
      />
      <NumberBox
        size="xs"
        value={value}
        error={issue}
        aria-label={t('new-run.phases.number', { phase: name })}
        onValue={onValue}
      />
      <div className="plan-phase-reviews numbers">
        <div>{reviews === null ? '…' : t('new-run.phases.reviews', { n: count(reviews) })}</div>
        {items !== null && (
          <Text size="xs" c="var(--quiet)">
            {t('new-run.phases.of', { items: count(items) })}
            {written !== null &&
              written < 0.995 &&
              `, ${t('new-run.phases.written', { share: percentText(written, 0) })}`}
          </Text>
        )}
      </div>
    </div>
  );
}
