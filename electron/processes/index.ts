export { systemClock } from './child/timing.ts';
export { countOomKills, explainExit, isProcessLost, ProcessFailure } from './child/failures.ts';
export {
  launchNodeProgramsWith,
  pythonEnvironment,
  spawnProgram,
  type NodeLauncher,
  type Program,
} from './child/program.ts';
export { PortStream, type BindingTestMessage, type Port } from './supervisor/utility-process.ts';
export type { ProcessState } from './child/restarting-process.ts';
export { startRunner, type RunnerClient } from './runner-client.ts';
export type { GradedCall, GradeJob, GradeResult, ObservedValue } from './runner-grading.ts';
export { isObserved } from './runner-grading.ts';
export { limitsOf } from './runner-wire.ts';
export type {
  CheckJob,
  CheckResult,
  ParseFacts,
  RunJob,
  RunLimits,
  RunnerCall,
  RunResult,
} from './runner-wire.ts';
export {
  type ComparePair,
  type Comparison,
  type GraderClient,
  type GraderLimits,
  startGrader,
} from './grader-client.ts';
export { cacheBytesPerToken, readGgufHeader } from './gguf/header.ts';
export { startSupervisor, type SupervisorClient } from './supervisor-client.ts';
export type {
  SupervisorComplete,
  SupervisorCompletion,
  SupervisorReview,
  SupervisorReviewResult,
  SupervisorToken,
  SupervisorWeigh,
  SupervisorWeighing,
} from './supervisor-wire.ts';
export { verifyRecords, type VerifierProgress } from './verifier.ts';
export { startTrainer, type TrainerClient, type TrainerOptions } from './trainer-client.ts';
export type {
  ChatMessage,
  DrawnToken,
  ExportForm,
  GenerateItem,
  GenerateRequest,
  Loaded,
  LoadRequest,
  Logprobs,
  LogprobsRequest,
  LossSpec,
  MemoryPlan,
  PromptItem,
  Rollout,
  UpdateItem,
  UpdateRequest,
  UpdateResult,
} from './trainer-wire.ts';
