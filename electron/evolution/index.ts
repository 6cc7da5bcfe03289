export { evolveStep } from './step.ts';
export { policySettings } from './policy-settings.ts';
export type { Clock, RunInProgress, StepTools } from './in-progress.ts';
export { frameworkOf } from './frameworks.ts';
export type { BatchSize, Framework } from './framework.ts';
export { expectedItems, type ExpectedItems } from './stages/expected-items.ts';
export { initialHash } from './stages/step-hash.ts';
export { goldsOfTask } from './stages/reviewing.ts';
export { pressureItemSchema, type PressureItem } from './stages/pressure.ts';
export {
  AnswerCounters,
  everyPhase,
  literalStyleOf,
  PRESET_NAMES,
  PRESETS,
  isPresetName,
  reasonSentence,
  seedRecordSchema,
  TaskBuffers,
  type SeedRecord,
} from './azr/index.ts';
