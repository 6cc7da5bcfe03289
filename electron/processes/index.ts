export { systemClock, type Clock } from './child/clock.ts';
export { isProcessLost, ProcessFailure } from './child/process-failure.ts';
export { launchNodeProgramsWith, type NodeLauncher, type Program } from './child/program.ts';
export { PortStream, type Port } from './supervisor/port-stream.ts';
export type { BindingTestMessage } from './supervisor/binding-test.ts';
export type { KeeperState } from './child/kept-child.ts';
export { startRunner, type RunnerClient, type RunnerOptions } from './runner-client.ts';
export type {
  Extraction,
  GradedCall,
  GradeJob,
  GradeMode,
  GradeResult,
  ObservedFrame,
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
  SandboxLevel,
} from './runner-wire.ts';
export {
  GRADER_LIMITS,
  startGrader,
  type GraderClient,
  type GraderLimits,
  type GraderOptions,
} from './grader-client.ts';
export type { ComparePair, Comparison, GraderHello } from './grader-wire.ts';
export { readGgufHeader, type GgufHeader } from './gguf-header.ts';
export { startSupervisor, type SupervisorClient, type SupervisorOptions } from './supervisor-client.ts';
export type {
  FramedPrompt,
  SupervisorComplete,
  SupervisorCompletion,
  SupervisorLoad,
  SupervisorModel,
  SupervisorReview,
  SupervisorReviewResult,
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
  OptimizerSpec,
  PlanRequest,
  PromptItem,
  Rollout,
  RolloutSpec,
  SamplingSpec,
  SaveRequest,
  SaveResult,
  TrainerHello,
  TrainSpec,
  UpdateItem,
  UpdateRequest,
  UpdateResult,
} from './trainer-wire.ts';
