import { type Phase, type PhaseProbabilities, PHASES } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { Button, Group, Menu } from '../../../ui/index.ts';

/** The probabilities of a run that is there, to take over. */
export type RunPhases = { id: string; name: string; phases: PhaseProbabilities };

/** Ways to set all five phases at once: fixed ones, leaving one out, and those of another run. */
export function PhasePresets({
  phases,
  runs,
  onChange,
}: {
  phases: PhaseProbabilities;
  runs: readonly RunPhases[];
  onChange: (phases: PhaseProbabilities) => void;
}) {
  const t = useTranslate();
  return (
    <Group gap={6} role="group" aria-label={t('new-run.phases.presets')}>
      {PHASE_PRESET_NAMES.map((name) => (
        <Button
          key={name}
          size="compact-sm"
          variant={samePhases(phases, PHASE_PRESETS[name]) ? 'light' : 'default'}
          aria-pressed={samePhases(phases, PHASE_PRESETS[name])}
          title={name === 'middle' ? t('new-run.phases.middle.hint') : undefined}
          onClick={() => onChange(PHASE_PRESETS[name])}
        >
          {t(`new-run.phases.${name}`)}
        </Button>
      ))}
      <Menu>
        <Menu.Target>
          <Button size="compact-sm" variant="default" rightSection="▾">
            {t('new-run.phases.leave')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {PHASES.map((phase) => (
            <Menu.Item key={phase} onClick={() => onChange(leavingOut(phase, phases))}>
              {t('new-run.phases.leave.item', { phase: t(`phase.${phase}`) })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Menu>
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="default"
            rightSection="▾"
            disabled={runs.length === 0}
            title={runs.length === 0 ? t('new-run.phases.from.none') : undefined}
          >
            {t('new-run.phases.from')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {runs.map((run) => (
            <Menu.Item key={run.id} onClick={() => onChange(run.phases)}>
              {t('new-run.phases.from.item', {
                name: run.name,
                list: PHASES.map((phase) => run.phases[phase]).join(' · '),
              })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

/** "Within the mid-range regime", advises the paper (Section 6.2); the number is ours. */
const MIDDLE = 0.4;

const every = (p: number): PhaseProbabilities =>
  Object.fromEntries(PHASES.map((phase) => [phase, p])) as PhaseProbabilities;

/** Ways to set all five at once. */
export const PHASE_PRESETS = {
  off: every(0),
  full: every(1),
  middle: every(MIDDLE),
  exec: { ...every(0), exec: 1 },
} as const satisfies Record<string, PhaseProbabilities>;
type PhasePreset = keyof typeof PHASE_PRESETS;
const PHASE_PRESET_NAMES = Object.keys(PHASE_PRESETS) as PhasePreset[];

export const highestOf = (now: PhaseProbabilities): number => Math.max(...PHASES.map((each) => now[each]));

/** Every phase as high as the highest is now (all of them where all are off), and one left out: one arm of an ablation. */
export function leavingOut(phase: Phase, now: PhaseProbabilities): PhaseProbabilities {
  const highest = highestOf(now);
  return { ...every(highest === 0 ? 1 : highest), [phase]: 0 };
}

/** One phase moved; all of them where they are held together. */
export const moved = (
  now: PhaseProbabilities,
  phase: Phase,
  p: number,
  together: boolean,
): PhaseProbabilities => (together ? every(p) : { ...now, [phase]: p });

const samePhases = (a: PhaseProbabilities, b: PhaseProbabilities): boolean =>
  PHASES.every((phase) => a[phase] === b[phase]);

/** What the supervisor is shown at a phase as five numbers of a draft; what is no number counts as off until it is corrected. */
export function phasesOf(value: unknown): PhaseProbabilities {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return Object.fromEntries(
    PHASES.map((phase) => [
      phase,
      typeof given[phase] === 'number' ? Math.min(1, Math.max(0, given[phase])) : 0,
    ]),
  ) as PhaseProbabilities;
}
