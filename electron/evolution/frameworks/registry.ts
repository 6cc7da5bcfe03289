import type { FrameworkConfig, FrameworkName, RunConfigInput } from '../../contract/index.ts';
import { reasonSentence } from '../code-tasks/checking/reasons.ts';
import { anyFramework, type AnyFramework } from '../loop/framework.ts';
import { azr } from './azr/index.ts';
import { AZR_PRESET_NAMES, AZR_PRESETS } from './azr/presets.ts';
import { fixedTasks } from './fixed-tasks/index.ts';
import { rzero } from './rzero/index.ts';
import { RZERO_PRESET_NAMES, RZERO_PRESETS } from './rzero/presets.ts';

/** Every framework of the contract; the compiler asks for one that is missing. */
const FRAMEWORKS: Readonly<Record<FrameworkName, AnyFramework>> = {
  azr: anyFramework(azr),
  'fixed-tasks': anyFramework(fixedTasks),
  rzero: anyFramework(rzero),
};

export const frameworkOf = ({ name }: Pick<FrameworkConfig, 'name'>): AnyFramework => FRAMEWORKS[name];

/** The sentence for a stored reason of a run; a word this version does not know is shown as it is. */
export const reasonOf = (framework: Pick<FrameworkConfig, 'name'>, reason: string): string =>
  frameworkOf(framework).reasons?.[reason] ?? reasonSentence(reason);

/** In the order in which they are offered. */
export const PRESET_NAMES = [...AZR_PRESET_NAMES, ...RZERO_PRESET_NAMES] as const;
export type PresetName = (typeof PRESET_NAMES)[number];
export const PRESETS: Readonly<Record<PresetName, RunConfigInput>> = { ...AZR_PRESETS, ...RZERO_PRESETS };

export function isPresetName(name: string): name is PresetName {
  return (PRESET_NAMES as readonly string[]).includes(name);
}

/** What a demo of a framework begins with; those of the others have none. */
const DEMO_PRESETS: Readonly<Partial<Record<FrameworkName, PresetName>>> = {
  azr: 'demo',
  rzero: 'rzero-demo',
};

/** Frameworks that have a demo, in the order in which they are offered. */
export const DEMO_FRAMEWORKS = Object.keys(DEMO_PRESETS) as [FrameworkName, ...FrameworkName[]];

/** @throws RangeError for a framework without a demo. */
export function demoPreset(framework: FrameworkName): RunConfigInput {
  const name = DEMO_PRESETS[framework];
  if (name === undefined) throw new RangeError(`The framework ${framework} has no demo.`);
  return PRESETS[name];
}
