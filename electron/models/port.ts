import type { TrainConfig } from '../contract/index.ts';
import { rolloutSeed } from '../core/index.ts';
import type {
  ChatMessage,
  ExportForm,
  GenerateItem,
  Loaded,
  LoadRequest,
  Logprobs,
  LogprobsRequest,
  MemoryPlan,
  PromptItem,
  Rollout,
  UpdateItem,
  UpdateResult,
} from '../processes/index.ts';

/** One conversation that a model goes on with. */
export type SampleRequest = {
  /** Names the request among those asked with it. */
  key: string;
  /** The turns as they are, put in the model's own chat form; a last turn of the assistant's is how the answer begins. */
  messages: readonly ChatMessage[];
  /**
   * true: the only message is text to be continued as it stands, without a chat's frame. plain: the same, for weights of a trainer, and
   * names of control tokens in it are ordinary text.
   */
  raw: boolean | 'plain';
  /** Texts that end the answer and do not belong to it. */
  stops: readonly string[];
  /** Sampling noise is a function of the seed alone. */
  seed: number;
};

/** `loop`: the answer repeated itself and was ended for it. `too-long`: the conversation does not fit the model's window, so it was not asked. `error`: it ends the process whenever it is asked. */
export type Sample = {
  key: string;
  text: string;
  newTokens: number;
  finish: 'stop' | 'length' | 'loop' | 'error' | 'too-long';
};

export type SamplingLimits = {
  temperature: number;
  topP: number;
  maxNewTokens: number;
  /** Tokens of a conversation and its answer together, where that is less than the model was loaded for. */
  contextTokens?: number;
};
export type SampleOptions = SamplingLimits & {
  seed: number;
  stops?: readonly string[];
  signal: AbortSignal;
};

/**
 * A model that answers. An answer depends on its request and the limits alone: not on what else is asked, nor on what happens to the
 * process that computes it.
 */
export interface Sampler {
  /** `n` answers to one conversation, each with noise of its own; the first is the answer to n = 1. */
  sample(messages: readonly ChatMessage[], n: number, options: SampleOptions): Promise<Sample[]>;
  /** Answers arrive in any order, each once. @throws the signal's reason when it is aborted; answers given before are kept by then. */
  sampleEach(
    requests: readonly SampleRequest[],
    limits: SamplingLimits,
    onSample: (sample: Sample) => void,
    signal: AbortSignal,
  ): Promise<void>;
}

/** A token of an answer that is followed. */
export type WatchedToken = {
  /** From 0. An answer that had to begin again tells its tokens from 0 once more, the same ones. */
  position: number;
  /** What it adds to the answer: nothing while a character is unfinished, or where it ends the answer. */
  text: string;
  /** 0 to 1, at the sampling temperature (1 for greedy answers). */
  probability: number;
  /** The likeliest tokens at its place, the likeliest first; a control token by its name. */
  alternatives: readonly { text: string; probability: number }[];
};

/** A model whose answer can be followed while it writes. */
export interface WatchedSampler extends Sampler {
  /**
   * One answer, the one that `sampleEach` gives to the same request, told token by token.
   * @param alternatives 1 to 20, how many of the likeliest tokens are told beside each. @throws the signal's reason when it is aborted.
   */
  watch(
    request: SampleRequest,
    limits: SamplingLimits,
    alternatives: number,
    onToken: (token: WatchedToken) => void,
    signal: AbortSignal,
  ): Promise<Sample>;
}

/** What a weight set is made of and how it is computed. */
export type WeightSetSettings = {
  /** Folder of the model it starts from, which a KL term is measured against. */
  model: string;
  device: LoadRequest['device'];
  /** Who draws its rollouts: the trainer itself, or vLLM beside it. */
  backend: 'native' | 'vllm';
  threads: number;
  /** Whether it leaves memory while other sets of the process work: where not all fit, in any case, or never. */
  offload: 'auto' | 'always' | 'never';
  /** Shuffles an update's sequences. */
  seed: number;
  /** Tokens of a prompt and its answer together. */
  maxSeqTokens: number;
  /** Rows of the continuous batch. */
  maxConcurrent: number;
  /** Temperature at which the rollouts of an update were sampled; `sampled` where they differ in it, each by its own. */
  temperature: number | 'sampled';
  /** Whether a chat template that has the switch lets the model think before it answers. */
  thinking: boolean;
  train: TrainConfig;
};

/** Weights of a name, such as a framework's role. */
export type NamedSettings = { name: string; settings: WeightSetSettings };

/**
 * What a restart returns to: the checkpoint a run last committed, or the model it starts from. version = updates applied to reach it.
 * moments: folder of the checkpoint that has the optimizer's, where it is an earlier one.
 */
export type RecoveryPoint = {
  kind: 'checkpoint' | 'model';
  folder: string;
  version: number;
  moments?: string;
};

export type LoadedWeights = Pick<
  Loaded,
  | 'weightsSha256'
  | 'contextLength'
  | 'device'
  | 'parameters'
  | 'tokenizer'
  | 'maxConcurrent'
  | 'gradCheckpoint'
  | 'offloads'
  | 'plannedBytes'
>;
export type RolloutSampling = SamplingLimits & { topK: number };
export type SavedWeights = {
  weightsSha256: string;
  bytes: number;
  files: { path: string; bytes: number; sha256: string }[];
};

/**
 * Weights that a run trains, as a step sees them: pure generation and one idempotent update, whatever happens to the process that
 * does the work.
 */
export interface WeightSet extends Sampler {
  /** Updates applied up to the recovery point. */
  readonly version: number;
  /** Seconds so far in which it was brought back into memory, others being put aside for it; 0 where all stay. */
  readonly movedSeconds: number;
  /**
   * Loads the recovery point, dropping updates that were applied but never committed.
   * @param beside sets that the process is to hold as well: rows at a time and recomputed layers are chosen so that all of them fit.
   */
  load(beside?: readonly NamedSettings[]): Promise<LoadedWeights>;
  /** Prompt lengths in tokens, chat template included. */
  countTokens(prompts: readonly PromptItem[]): Promise<number[]>;
  /**
   * Generates all items as one continuous batch; each finished rollout is passed on at once, exactly once.
   * Pure in (weights, items, sampling): repeating it gives the same texts.
   */
  generate(
    opKey: string,
    items: GenerateItem[],
    sampling: RolloutSampling,
    signal: AbortSignal,
    onRollout: (rollout: Rollout) => void,
  ): Promise<Rollout[]>;
  /** Log-probabilities of kept rollouts or given texts under the present weights or the reference. */
  logprobs(request: LogprobsRequest): Promise<Logprobs>;
  /**
   * One update of the weights; asking again with the same name returns the first result without applying anything.
   * @param beginsStage the recovery point, which these weights then still are, is where a stage begins: the optimizer forgets its moments and
   * its warm-up, and with `train.kl.reference` as stage the KL term is measured against it from here on. The checkpoint of the step has
   * to be saved with moments, and the recovery point stays needed for as long as the stage lasts.
   * @throws Failure `notFinite` when no part of it could be applied: going on would only look like training.
   */
  update(opId: string, items: UpdateItem[], beginsStage?: boolean): Promise<UpdateResult>;
  /**
   * Applies the updates that a checkpoint holds once more, up to `version`: weights of a version that nobody kept. Nothing else of the
   * checkpoint is read. Another family of processors rounds otherwise; whether the weights are those of the first time, their hash says.
   */
  repeatUpdates(checkpoint: string, version: number): Promise<void>;
  /**
   * Writes a loadable checkpoint of the present weights and optimizer; atomic. Without moments it holds the updates since the recovery
   * point's, which loading repeats to the bit.
   */
  save(folder: string, withMoments?: boolean): Promise<SavedWeights>;
  /** Makes `point` the state that a restart returns to (null: the one it was) and forgets the rollouts of the step. */
  commit(point: RecoveryPoint | null, opKeyPrefix: string): Promise<void>;
}

/** What is exported: the model of a folder, or an adapter with the base that it names. */
export type ExportSource = Pick<LoadRequest, 'model'>;

/** A process, here or elsewhere, that holds weights, answers with them and trains them. */
export interface Trainer {
  /**
   * replaysToTheBit: updates since the recovery point are applied again exactly when the process is lost. devices: accelerators by
   * name; none where only the CPU computes.
   */
  readonly capabilities: { replaysToTheBit: boolean; devices: readonly string[] };
  /** Of the process, where there is one on this machine. */
  readonly pid: number | undefined;
  /**
   * Weights to train; nothing is loaded yet. Sets of other names stand beside each other and are recovered together.
   * @param onRecovery called when a lost process makes an operation start over.
   * @param name of the weight set, such as a framework's role; the one policy when absent.
   */
  weights(
    settings: WeightSetSettings,
    point: RecoveryPoint,
    onRecovery: (operation: string, why: string) => void,
    name?: string,
  ): WeightSet;
  /**
   * What weights to train would take together, phase by phase, beside what is loaded; loads nothing. Each phase is that of the set that takes
   * most in it. @throws Failure `badModel`.
   */
  plan(sets: readonly [NamedSettings, ...NamedSettings[]]): Promise<MemoryPlan>;
  /** Loads weights that only answer, in place of those of the same name. */
  sampler(request: LoadRequest): Promise<{ sampler: WatchedSampler; loaded: Loaded }>;
  /** Frees the weights of a name, loaded or not. */
  unload(name: string): Promise<void>;
  /** Writes weights for other programs. */
  export(source: ExportSource, form: ExportForm): Promise<void>;
  close(): Promise<void>;
}

/** Sampler.sample in terms of sampleEach. */
export async function sampleSeveral(
  sampler: Pick<Sampler, 'sampleEach'>,
  messages: readonly ChatMessage[],
  n: number,
  { seed, stops = [], signal, ...limits }: SampleOptions,
): Promise<Sample[]> {
  const requests = Array.from({ length: n }, (_, index) => ({
    key: String(index),
    messages,
    raw: false,
    stops,
    seed: index === 0 ? seed : rolloutSeed(seed, 'sample', index),
  }));
  const samples = new Map<string, Sample>();
  await sampler.sampleEach(requests, limits, (sample) => samples.set(sample.key, sample), signal);
  return requests.map(({ key }) => samples.get(key) as Sample);
}

/** The answer up to the first stop. */
export function cutAtStops(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
