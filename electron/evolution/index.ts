export { expectedItems, type ExpectedItems } from './loop/supervision.ts';
export { contextItem, PausedBeforeStart, roleSettings, type AnyFramework } from './loop/framework.ts';
export {
  openCheckers,
  policySettings,
  type CheckerProcesses,
  type Checkers,
  type RoleName,
  type RunState,
} from './loop/run-state.ts';
export { expectedStages, spansOf, type ExpectedStage } from './loop/schedule.ts';
export { initialHash } from './loop/step-hash.ts';
export { evolveStep } from './loop/step.ts';
export {
  DEMO_FRAMEWORKS,
  demoPreset,
  frameworkOf,
  isPresetName,
  PRESET_NAMES,
  PRESETS,
  reasonOf,
} from './frameworks/registry.ts';
export { reasonSentence } from './code-tasks/checking/reasons.ts';
export { seedRecordSchema } from './code-tasks/seeds.ts';
export type { SeedRecord } from './code-tasks/task-types/task-type.ts';
export { goldsOfTask } from './code-tasks/scoring.ts';
export { programChecker } from './code-tasks/checking/validation.ts';
