export { readProposal, type ParsedProposal, type ProposalAsk, type ProposalReading } from './checking/read-proposal.ts';
export { reasonSentence, REASON_SENTENCES, type RejectionReason } from './checking/reasons.ts';
export { ENTRY } from './checking/program.ts';
export {
  entersBuffer, judgeProposal, prepareProposal, taskKey, type Preparation, type PreparedProposal, type Validation, type ValidationRules, type ValidTask,
} from './checking/proposals.ts';
export { judgeRun, planVerification, type VerificationPlan, type VerificationRules } from './checking/solutions.ts';
export { splitPairs, type Pair } from './pool/pairs.ts';
export { TaskBuffers, type BufferRules } from './pool/buffers.ts';
export { seedRecordSchema, seedTasks, zeroProblem, zeroTriplet, type SeedRecord } from './pool/seeds.ts';
export { literalStyleOf, proposalPrompt, proposerView, solutionPrompt, solverView, systemPrompt, type Prompt, type ProposalPromptAsk } from './prompts.ts';
export { DiversityCounter, literalType } from './diversity.ts';
export { AnswerCounters, cognitiveComplexity, intrinsicValues, type ProposalIntrinsics } from './intrinsic.ts';
export { everyPhase, isPresetName, PRESET_NAMES, PRESETS, type PresetName } from './presets.ts';
export { batchMetrics, sequenceMetrics, typeMetrics, type BatchMetricInputs, type ProposalNumbers } from './metrics.ts';
