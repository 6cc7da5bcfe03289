import type { FrameworkName } from '../contract/index.ts';
import { azr } from './azr/framework.ts';
import { fixedTasks } from './fixed-tasks/index.ts';
import type { Framework } from './framework.ts';

/** Every framework of the contract; the compiler asks for one that is missing. */
const FRAMEWORKS: Readonly<Record<FrameworkName, Framework>> = { azr, 'fixed-tasks': fixedTasks };

export const frameworkOf = (name: FrameworkName): Framework => FRAMEWORKS[name];
