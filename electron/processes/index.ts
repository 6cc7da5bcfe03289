export { systemClock, type Clock } from './child/timing.ts';
export { isProcessLost, ProcessFailure } from './child/failures.ts';
export { launchNodeProgramsWith, type NodeLauncher, type Program } from './child/program.ts';
export { PortStream, type BindingTestMessage, type Port } from './supervisor/utility-process.ts';
export type { ProcessState } from './child/restarting-process.ts';
export { startRunner, type RunnerClient, type RunnerOptions } from './runner-client.ts';
export type {
  Extraction,
  GradedCall,
  GradeJob,
  GradeMode,
  GradeResult,
  ObservedValue,
  ObservedMark,
} from './runner-grading.ts';
export { isObserved } from './runner-grading.ts';
export { limitsOf } from './runner-wire.ts';
export type {
  CheckJob,
  CheckResult,
  ParseFacts,
  RunJob,
  RunLimits,
  RunnerCall,
  RunnerHello,
  RunResult,
} from './runner-wire.ts';
export {
  type ComparePair,
  type Comparison,
  GRADER_LIMITS,
  type GraderClient,
  type GraderHello,
  type GraderLimits,
  type GraderOptions,
  startGrader,
} from './grader-client.ts';
export { cacheBytesPerToken, readGgufHeader, type GgufHeader } from './gguf/header.ts';
export { startSupervisor, type SupervisorClient, type SupervisorOptions } from './supervisor-client.ts';
export type {
  FramedPrompt,
  SupervisorComplete,
  SupervisorCompletion,
  SupervisorLoad,
  SupervisorModel,
  SupervisorReview,
  SupervisorReviewResult,
  SupervisorWeigh,
  SupervisorWeighing,
} from './supervisor-wire.ts';
export { startTrainer, type TrainerClient, type TrainerOptions } from './trainer-client.ts';
export type {
  ChatMessage,
  ExportRequest,
  ExportResult,
  GenerateItem,
  GenerateRequest,
  GenerateSummary,
  Loaded,
  LoadRequest,
  Logprobs,
  LogprobsRequest,
  LossSpec,
  MemoryPlan,
  PlanRequest,
  PromptItem,
  Rollout,
  RolloutSpec,
  SamplingSpec,
  SaveRequest,
  SaveResult,
  TrainerHello,
  UpdateItem,
  UpdateRequest,
  UpdateResult,
} from './trainer-wire.ts';
