import { PHASES, type PhaseProbabilities } from '../../../../../electron/contract/index.ts';
import { Button, Group, Menu } from '../../../../ui/index.ts';
import { useTranslate } from '../../../../i18n/index.ts';
import { leavingOut, PHASE_PRESET_NAMES, PHASE_PRESETS, samePhases } from '../../model/phases.ts';

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
          title={name === 'paper' ? t('new-run.phases.paper.hint') : undefined}
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
