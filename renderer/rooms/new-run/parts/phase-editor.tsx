import { create } from 'zustand';
import {
  type Phase,
  type PhaseProbabilities,
  PHASES,
  reviewsOf,
} from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { percentText, PhaseChip, Slider, Switch, Text, Title, Quiet } from '../../../ui/index.ts';
import type { Estimate } from '../model/estimate.ts';
import type { Fields } from '../model/fields.ts';
import { NumberBox } from './leaf-control.tsx';
import { highestOf, moved, PhasePresets, phasesOf, type RunPhases } from './phase-presets.tsx';

const PATH = 'supervision.phases';

/** Whether one probability holds for all phases; it stays while a person goes from step to step of the plan. */
const useTogether = create<{ together: boolean; setTogether: (together: boolean) => void }>((set) => ({
  together: false,
  setTogether: (together) => set({ together }),
}));

/** The heart of the plan: how often each phase is reviewed, and what that comes to per step. */
export function PhaseEditor({
  fields,
  estimate,
  runs,
}: {
  fields: Fields;
  estimate: Estimate | null;
  runs: readonly RunPhases[];
}) {
  const t = useTranslate();
  const { together, setTogether } = useTogether();
  const phases = phasesOf(fields.value(PATH));
  const setAll = (next: PhaseProbabilities): void => fields.set(PATH, next);
  // A number that is wrong stays in its own box until it is right; the others keep theirs.
  const setOne = (phase: Phase, value: unknown): void => {
    if (together && typeof value === 'number' && value >= 0 && value <= 1)
      setAll(moved(phases, phase, value, true));
    else fields.set(`${PATH}.${phase}`, value);
  };
  return (
    <section aria-labelledby="phases-title">
      <Title order={2} id="phases-title">
        {t('new-run.phases.title')}
      </Title>
      <Quiet mb="sm">{t('new-run.phases.text')}</Quiet>
      <PhasePresets phases={phases} runs={runs} onChange={setAll} />
      <Switch
        size="xs"
        my="sm"
        label={t('new-run.phases.together')}
        checked={together}
        onChange={(event) => {
          setTogether(event.currentTarget.checked);
          if (event.currentTarget.checked) setAll(moved(phases, PHASES[0], highestOf(phases), true));
        }}
      />
      <div className="plan-phases">
        {PHASES.map((phase) => (
          <PhaseRow
            key={phase}
            phase={phase}
            p={phases[phase]}
            value={fields.value(`${PATH}.${phase}`)}
            issue={fields.issue(`${PATH}.${phase}`)}
            changed={fields.isChanged(`${PATH}.${phase}`)}
            reviews={estimate === null ? null : reviewsOf(phase, phases[phase], estimate)}
            items={estimate?.items[phase] ?? null}
            written={writtenShare(phase, estimate)}
            onValue={(value) => setOne(phase, value)}
          />
        ))}
      </div>
      {phases.plan > 0 && fields.value('supervision.merge') === 'guidance' && (
        <Text size="sm" mt="xs">
          {t(`new-run.phases.plan.${fields.value('supervision.guidance') === 'every' ? 'every' : 'trained'}`)}
        </Text>
      )}
      {PHASES.every((phase) => phases[phase] === 0) && (
        <Text size="sm" mt="xs">
          {t('new-run.off')}
        </Text>
      )}
      <Quiet size="xs" mt="xs">
        {t('new-run.gateSeed', { seed: String(fields.value('seed')) })}
      </Quiet>
    </section>
  );
}

/** How many responses have this part, where that was watched. */
function writtenShare(phase: Phase, estimate: Estimate | null): number | null {
  return phase === 'plan'
    ? (estimate?.plans?.value ?? null)
    : phase === 'thought'
      ? (estimate?.thoughts?.value ?? null)
      : null;
}

const SNAP = 0.05;

type PhaseRowProps = {
  phase: Phase;
  /** In range; what is shown by the slider. */
  p: number;
  /** As written, right or wrong. */
  value: unknown;
  issue?: string;
  changed: boolean;
  /** Expected per step; null while the engine counts. */
  reviews: number | null;
  items: number | null;
  /** Share of responses that write this part; null where all bring an item, or nobody knows. */
  written: number | null;
  onValue: (value: unknown) => void;
};

const count = (value: number): string =>
  value >= 10 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1);

/** One phase: what the supervisor sees there, how often it looks, and how many reviews that makes. */
function PhaseRow({ phase, p, value, issue, changed, reviews, items, written, onValue }: PhaseRowProps) {
  const t = useTranslate();
  const name = t(`phase.${phase}`);
  return (
    <div className="plan-phase" data-changed={changed}>
      <div className="plan-phase-name">
        <PhaseChip phase={phase} />
        <Quiet size="xs">{t(`new-run.phases.sees.${phase}`)}</Quiet>
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
          <Quiet size="xs">
            {t('new-run.phases.of', { items: count(items) })}
            {written !== null &&
              written < 0.995 &&
              `, ${t('new-run.phases.written', { share: percentText(written, 0) })}`}
          </Quiet>
        )}
      </div>
    </div>
  );
}
