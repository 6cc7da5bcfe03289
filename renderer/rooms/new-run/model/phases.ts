import { PHASES, type Phase, type PhaseProbabilities } from '../../../../electron/contract/index.ts';

/** The middle of the range the paper found best: p from 0.3 to 0.5. */
export const PAPER_MIDDLE = 0.4;

const every = (p: number): PhaseProbabilities =>
  Object.fromEntries(PHASES.map((phase) => [phase, p])) as PhaseProbabilities;

/** Ways to set all five at once. */
export const PHASE_PRESETS = {
  off: every(0),
  full: every(1),
  paper: every(PAPER_MIDDLE),
  exec: { ...every(0), exec: 1 },
} as const satisfies Record<string, PhaseProbabilities>;
export type PhasePreset = keyof typeof PHASE_PRESETS;
export const PHASE_PRESET_NAMES = Object.keys(PHASE_PRESETS) as PhasePreset[];

/** Every phase as high as the highest is now (all of them where all are off), and one left out: one arm of an ablation. */
export function leavingOut(phase: Phase, now: PhaseProbabilities): PhaseProbabilities {
  const highest = Math.max(...PHASES.map((each) => now[each]));
  return { ...every(highest === 0 ? 1 : highest), [phase]: 0 };
}

/** One phase moved; all of them where they are held together. */
export const moved = (
  now: PhaseProbabilities,
  phase: Phase,
  p: number,
  together: boolean,
): PhaseProbabilities => (together ? every(p) : { ...now, [phase]: p });

export const samePhases = (a: PhaseProbabilities, b: PhaseProbabilities): boolean =>
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
