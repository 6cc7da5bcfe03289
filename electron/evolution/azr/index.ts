export { reasonSentence, REASON_SENTENCES, type RejectionReason } from './checking/reasons.ts';
export { ENTRY } from './checking/program.ts';
export type { ParsedProposal, ProposalReading } from './checking/proposal.ts';
export {
  entersBuffer,
  judgeProposal,
  prepareProposal,
  taskKey,
  type Preparation,
  type PreparedProposal,
  type Validation,
  type ValidationRules,
  type ValidTask,
} from './checking/proposals.ts';
export type { VerificationPlan, VerificationRules } from './checking/verification.ts';
export { planVerification } from './solutions.ts';
export { definitionOf } from './task-types/registry.ts';
export type { SeedRecord, TaskContent, TaskTypeDefinition } from './task-types/task-type.ts';
export { TaskBuffers, type BufferRules } from './pool/buffers.ts';
export { seedRecordSchema, seedTask, seedTasks } from './pool/seeds.ts';
export {
  literalStyleOf,
  proposalPrompt,
  proposerView,
  solutionPrompt,
  solverView,
  systemPrompt,
  type Prompt,
  type ProposalPromptAsk,
} from './prompts.ts';
export { DiversityCounter, literalType } from './diversity.ts';
export {
  AnswerCounters,
  cognitiveComplexity,
  intrinsicValues,
  type ProposalIntrinsics,
} from './intrinsic.ts';
export { everyPhase, isPresetName, PRESET_NAMES, PRESETS, type PresetName } from './presets.ts';
export {
  batchMetrics,
  sequenceMetrics,
  typeMetrics,
  type BatchMetricInputs,
  type ProposalNumbers,
} from './metrics.ts';
