import type { FrameworkConfig, FrameworkName } from '../../contract/index.ts';
import { anyFramework, type AnyFramework } from '../loop/framework.ts';
import { azr } from './azr/index.ts';
import { fixedTasks } from './fixed-tasks/index.ts';

/** Every framework of the contract; the compiler asks for one that is missing. */
const FRAMEWORKS: Readonly<Record<FrameworkName, AnyFramework>> = {
  azr: anyFramework(azr),
  'fixed-tasks': anyFramework(fixedTasks),
};

export const frameworkOf = ({ name }: Pick<FrameworkConfig, 'name'>): AnyFramework => FRAMEWORKS[name];

export { everyPhase, isPresetName, PRESET_NAMES, PRESETS, type PresetName } from './azr/presets.ts';
