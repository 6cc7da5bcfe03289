import {
  samplesApart,
  type ContextRecord,
  type FrameworkConfig,
  type ProgressStage,
  type ReviewQueue,
  type ReviewRecord,
  type RewardedPrompt,
  type RolloutRecord,
  type RunConfig,
  type SandboxConfig,
  type TrainConfig,
} from '../../contract/index.ts';
import type { GuidanceVocabulary, PromptPack } from '../../library/index.ts';
import type { WeightSet, WeightSetSettings } from '../../models/index.ts';
import { checkAnswers, type AnswerChecker } from '../../evaluation/index.ts';
import type { GraderClient, RunnerClient } from '../../processes/index.ts';
import type { LineWriter, PersonInLoop, Reviewer } from '../../supervision/index.ts';
import type { Clock } from '../../core/index.ts';

/** Names a set of weights that a run trains or asks. */
export type RoleName = string;

/** A run's configuration under a framework whose settings are known. */
export type ConfigOf<C extends FrameworkConfig> = Omit<RunConfig, 'framework'> & { framework: C };

/** A run between two steps: everything the next step depends on. @typeParam S the framework's own state. */
export type RunState<C extends FrameworkConfig = FrameworkConfig, S = unknown> = {
  config: ConfigOf<C>;
  /** The step about to be taken; 1 is the first. */
  step: number;
  /** C_t. */
  context: ContextRecord;
  state: S;
  /** Hash of the previous step, or of the initial state. */
  previousHash: string;
};

/** What checks the answers of tasks, by kind; a run has one of each for all of its steps. */
export type Checkers = {
  /** Runs programs. */
  runner: RunnerClient;
  /** Compares mathematical answers. */
  answers: AnswerChecker;
};

/** The processes that checkers are; whoever runs a step provides them. */
export type CheckerProcesses = {
  runner: (sandbox: SandboxConfig) => Promise<RunnerClient>;
  /** Started when a run compares its first pair that text and numbers do not decide, so that others do without it. */
  grader: () => Promise<GraderClient>;
};

/** Starts what a run's answers are checked with. @throws Failure `executionDisabled` where programs cannot be run safely. */
export const openCheckers = async (
  processes: CheckerProcesses,
  { sandbox }: Pick<RunConfig, 'sandbox'>,
): Promise<Checkers> => ({
  runner: await processes.runner(sandbox),
  answers: checkAnswers(() => processes.grader()),
});

/** What a step works with. Nothing here changes the result; losing and restarting any of it does not either. */
export type StepContext = Checkers & {
  /** The weights of a role. */
  weights: (role: RoleName) => WeightSet;
  /** Null when no phase has a probability above 0. */
  reviewer: Reviewer | null;
  /** The supervisor's model, where it writes summaries or contexts; absent where both are made by rule. */
  writer?: LineWriter | null;
  /** A person who takes a share of the reviewer's items; absent when the run asks nobody. */
  person?: PersonInLoop | null;
  pack: PromptPack;
  guidance: GuidanceVocabulary;
  rewardedPrompts: readonly RewardedPrompt[];
  clock: Clock;
  signal: AbortSignal;
  /** Folder for the checkpoint of a step, not yet existing. */
  checkpointFolder: (step: number) => string;
  onProgress: (part: ProgressStage, done: number, total: number) => void;
  /** A rollout as soon as it is judged (reward and advantage come later), and a review as soon as it is written; for whoever watches. */
  onRollout: (rollout: RolloutRecord) => void;
  onReview: (review: ReviewRecord) => void;
  /** How far the reviewer has come, and what the step loses by waiting for it. */
  onQueue?: (queue: ReviewQueue) => void;
};

/**
 * What a run's configuration says about weights that it trains, starting from the model in folder `model`.
 * @param train where those of a role are not trained as the configuration says for all.
 */
export function policySettings(
  { policy, train: ofAll, generation, seed }: RunConfig,
  model: string,
  train: TrainConfig = ofAll,
): WeightSetSettings {
  return {
    model,
    device: policy.device,
    backend: policy.backend ?? 'native',
    threads: policy.threads,
    offload: policy.offload ?? 'auto',
    seed,
    maxSeqTokens: generation.maxPromptTokens + generation.maxNewTokens,
    maxConcurrent: policy.maxConcurrent,
    temperature: samplesApart(generation) ? 'sampled' : generation.temperature,
    thinking: policy.thinking === 'on',
    train,
  };
}
