import { useState } from 'react';
import { PHASES, type Phase, type PhaseProbabilities } from '../../../../../electron/contract/index.ts';
import { Switch, Text, Title } from '../../../../ui/index.ts';
import { useTranslate } from '../../../../i18n/index.ts';
import { reviewsOf, type Estimate } from '../../model/estimate.ts';
import { moved, phasesOf } from '../../model/phases.ts';
import type { Fields } from '../../model/fields.ts';
import { PhasePresets, type RunPhases } from './phase-presets.tsx';
import { PhaseRow } from './phase-row.tsx';

const PATH = 'supervision.phases';

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
  const [together, setTogether] = useState(false);
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
      <Text size="sm" c="var(--quiet)" mb="sm">
        {t('new-run.phases.text')}
      </Text>
      <PhasePresets phases={phases} runs={runs} onChange={setAll} />
      <Switch
        size="xs"
        my="sm"
        label={t('new-run.phases.together')}
        checked={together}
        onChange={(event) => setTogether(event.currentTarget.checked)}
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
      {PHASES.every((phase) => phases[phase] === 0) && (
        <Text size="sm" mt="xs">
          {t('new-run.off')}
        </Text>
      )}
      <Text size="xs" c="var(--quiet)" mt="xs">
        {t('new-run.gateSeed', { seed: String(fields.value('seed')) })}
      </Text>
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
