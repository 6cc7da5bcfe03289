import type {
  FrameworkConfig,
  Purpose,
  RewardedPrompt,
  Role,
  RoleSampling,
  RolloutRecord,
  RunConfig,
  SeedAttempt,
  StepCommit,
  TrainConfig,
  TaskRecord,
  TaskType,
  Verdict,
  BatchStatistics,
} from '../../contract/index.ts';
import type { AdvantageEstimator, ParsedResponse } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import { cutAtStops, type NamedSettings, type WeightSet } from '../../models/index.ts';
import type { ChatMessage, PromptItem, Rollout } from '../../processes/index.ts';
import type { Gold, SupervisedItem } from '../../supervision/index.ts';
import {
  policySettings,
  type Checkers,
  type ConfigOf,
  type RoleName,
  type RunState,
  type StepContext,
} from './run-state.ts';

/** What the policy is asked, before the chat template of its tokenizer. */
export type Prompt = {
  system: string;
  user: string;
  /** A request of the kind with a whole answer to it, which stands before the prompt's own. */
  example?: { asked: string; answered: string };
  /** How its answer begins; it belongs to the text of the rollout and not to what is trained. */
  opening?: string;
  /** Texts that end the answer and do not belong to it. */
  stops?: readonly string[];
  /** All of this as one text that ends where the answer begins, for a pack of plain text. */
  plain?: string;
};

/**
 * One response to ask for, with everything that its record and judging its answer take.
 * @typeParam D what the stage itself remembers of it.
 */
export type RolloutRequest<D = unknown> = {
  /** `${step}/${batch}/${index}`, with `/r1` when it is generated once more. */
  id: string;
  batch: string;
  index: number;
  purpose: Purpose;
  /** Who speaks: what the record and the reviewer call the author of this response. */
  role: Role;
  taskType: TaskType;
  /** Task to solve; null where a response makes one. */
  taskId: string | null;
  prompt: Prompt;
  seed: number;
  /** 2 when the supervisor sent the first one back. */
  attempt: 1 | 2;
  /** Rollouts of one prompt share a group, which an advantage estimator may compare within; others stand alone. */
  group: string | null;
  detail: D;
};

/**
 * A generated rollout and what the environment says of it.
 * @typeParam F what the stage found beside the verdict.
 */
export type ScoredRollout<D = unknown, F = unknown> = {
  request: RolloutRequest<D>;
  rollout: Rollout;
  response: ParsedResponse;
  verdict: Verdict;
  /** The task solved, or the one this response became. */
  taskId: string | null;
  found: F;
};

/** What measuring the scored rollouts brought. @typeParam M what rewards and metrics read of it. */
export type Measured<M = unknown> = {
  /** Rollouts generated to measure; nothing is trained on them. */
  records: RolloutRecord[];
  values: M;
  /** What only all responses of the step together decide of one, by the id of its request; it takes the place of what scoring said. */
  revised?: ReadonlyMap<string, Pick<ScoredRollout, 'verdict' | 'taskId'>>;
  /** Batches that consist of measurements alone, with their counts for the exec phase. */
  batches?: readonly CountedBatch[];
};

/** A batch as the exec phase and the summaries see it. */
export type CountedBatch = { batch: string; role: Role; taskType: TaskType; statistics: BatchStatistics };

/** Takes items up for review while the rest is still being measured. */
export type OfferItems = (items: readonly SupervisedItem[]) => void;

/** A batch before anything is drawn for it. */
export type BatchSize = {
  batch: string;
  purpose: Purpose;
  role: Role;
  taskType: TaskType;
  size: number;
  /** Most rollouts that measuring one of its rollouts may take. */
  measurements: number;
};

/** Which draw of a prompt this is, 1 being the first repetition; with `lastResort` the prompt should become as short as it can. */
export type Redraw = { number: number; lastResort: boolean };

/** What the draw of a step depends on besides the run's state. */
export type DrawContext = { pack: PromptPack; rewardedPrompts: readonly RewardedPrompt[] };

/**
 * One kind of step: which responses are asked for, how they are judged and rewarded, what supervision sees of them. Everything is
 * a function of the run's state and of counters, never of time or order; the loop owns order, hashes, supervision and the commit.
 */
export interface Stage<
  C extends FrameworkConfig = FrameworkConfig,
  S = unknown,
  D = unknown,
  F = unknown,
  M = unknown,
> {
  readonly name: string;
  /** The weights that answer. */
  readonly generates: RoleName;
  /** The weights that learn; null where a stage writes records and moves no weights. */
  readonly trains: RoleName | null;
  /** Whether C_t stays as it is through steps of this stage, and its lines grow no older. */
  readonly freezesContext?: boolean;
  /** How its responses are sampled where they are not sampled as their role is; topK 0 is off. */
  sampling?(config: ConfigOf<C>): RoleSampling & { topK: number };
  /** The batches of a step and how many responses each has, known before anything is drawn. */
  batchSizes(config: ConfigOf<C>, step: number, rewardedPrompts: readonly RewardedPrompt[]): BatchSize[];
  /** All requests of a step, under C_t. */
  requests(run: RunState<C, S>, draw: DrawContext): RolloutRequest<D>[];
  /** Another prompt for the place of one that was too long. */
  resample(
    run: RunState<C, S>,
    draw: DrawContext,
    request: RolloutRequest<D>,
    redraw: Redraw,
  ): RolloutRequest<D>;
  /** Parses, validates and verifies one response while others are still being written. */
  score(
    run: RunState<C, S>,
    env: StepContext,
    request: RolloutRequest<D>,
    rollout: Rollout,
  ): Promise<ScoredRollout<D, F>>;
  /** Asks more of the weights as they are, such as how hard a proposed task is. What it offers is reviewed meanwhile. */
  measure(
    run: RunState<C, S>,
    env: StepContext,
    scored: readonly ScoredRollout<D, F>[],
    offer: OfferItems,
  ): Promise<Measured<M>>;
  /** One reward per rollout, in their order; null for one that nothing is paid for, which only a stage that trains nothing has. */
  rewards(run: RunState<C, S>, scored: readonly ScoredRollout<D, F>[], values: M): (number | null)[];
  /** How the rewards of a batch become advantages. */
  advantages(config: ConfigOf<C>, batch: string): AdvantageEstimator;
  /** What supervision may see of one rollout, with the golds that only its leak guard gets. */
  reviewItems(scored: ScoredRollout<D, F>): SupervisedItem[];
  /** Verifier outcomes of one batch as counts, for the exec phase. */
  statistics(config: ConfigOf<C>, batch: readonly ScoredRollout<D, F>[], values: M): BatchStatistics;
  /** Tasks that the step adds to the run. */
  tasks(
    requests: readonly RolloutRequest<D>[],
    scored: readonly ScoredRollout<D, F>[],
    values: M,
  ): TaskRecord[];
  /** Metrics of its own, beside those of every step. */
  metrics(run: RunState<C, S>, facts: StageFacts<M>): Record<string, number | null>;
}

/** What a stage's metrics are computed from. `trained` are the rollouts with a reward. */
export type StageFacts<M = unknown> = {
  trained: readonly RolloutRecord[];
  tasks: readonly TaskRecord[];
  values: M;
};

/** Asking the policy for a framework's first tasks. What is stored is what an interrupted run goes on from. */
export type SeedWriting = {
  weights: Pick<WeightSet, 'countTokens' | 'generate' | 'commit'>;
  pack: PromptPack;
  /** C_1 as text. */
  context: string;
  /** Rounds that are stored already, in order. */
  earlier: readonly SeedAttempt[];
  store: (round: readonly SeedAttempt[]) => void;
  /** Whether a person asked to pause; looked at after each round. */
  isPausing: () => boolean;
  onWritten: (kept: number, wanted: number) => void;
};

/** Thrown by a framework's `init` when a person asked to pause before the first tasks were complete; the message says where it stands. */
export class PausedBeforeStart extends Error {}

/** What a framework's first tasks are made from. */
export type InitContext = Pick<Checkers, 'runner'> & {
  /** Rows of the seed file that comes with the application; read when asked for. */
  seeds: () => readonly { id: string; kind: string }[];
  signal: AbortSignal;
  /** Called while many tasks are run before the first step. */
  onChecked: (done: number, total: number) => void;
  /** Absent where the policy is not to be asked, as when a step is only timed. */
  seeding?: SeedWriting;
};

/** What of a committed step moves a framework's state. */
export type FoldedStep = { step: number; tasks: StepCommit['tasks'] };

/** Where a step stands in its framework's schedule. */
export type StagePlace = {
  stage: AnyStage;
  /** Which round of the schedule, counted from 1. */
  iteration: number;
  /** Of a framework of several stages: which step of its stage this is within the iteration, and how many up to it trained; from 1 and 0. */
  position?: { stageStep: number; globalStep: number };
  /** Whether the weights that the step trains begin anew with it: an optimizer without moments, and themselves as the KL reference. */
  beginsAnew?: boolean;
};

/**
 * A schedule of stages over named roles. A framework owns its settings, its state and its names; the loop knows none of them.
 * @typeParam C its settings (contract/frameworks). @typeParam S its state between two steps.
 */
export interface Framework<C extends FrameworkConfig = FrameworkConfig, S = unknown> {
  readonly name: C['name'];
  /** Weight sets of a run, each with weights, optimizer and checkpoints of its own. All start from the run's model. */
  roles(config: C): readonly [RoleName, ...RoleName[]];
  /** How the weights of a role are trained, where it is not as the run's configuration says for all. */
  trainOf?(config: ConfigOf<C>, role: RoleName): TrainConfig;
  /**
   * Its settings with paths absolute, so that a resume from another folder finds the same files.
   * @throws Failure (exit code 2) for a file that cannot be opened.
   */
  withAbsolutePaths(config: C): C;
  /** Whether its settings name what a run begins with; absent for frameworks that begin with nothing of ours. */
  saysItsStart?(config: C): boolean;
  /**
   * Tasks of step 0. @throws Failure (exit code 2) when what the settings name cannot be used, PausedBeforeStart, and the signal's
   * reason on abort.
   */
  init(config: ConfigOf<C>, init: InitContext): Promise<TaskRecord[]>;
  /** The state before step 1, from the tasks of step 0. */
  begin(config: ConfigOf<C>, tasks: readonly TaskRecord[]): S;
  /** The one way state moves: after each committed step, and on resume once for each step that is stored. */
  fold(state: S, step: FoldedStep): S;
  /** Which stage a step belongs to, and in which round of the schedule, counted from 1. */
  stageAt(config: ConfigOf<C>, step: number): StagePlace;
  /** The answers to a task, which no review may give away. */
  goldsOf(task: TaskRecord): Gold[];
  /** The same settings with about `rollouts` trained rollouts a step, for timing one. */
  scaledDown(config: C, rollouts: number): C;
  /** What of the settings changes how long a step takes. */
  workload(config: C): readonly unknown[];
  /** A sentence for each reason of its own that verdicts name. */
  readonly reasons?: Readonly<Record<string, string>>;
  /** What to tell the person whose model's responses of the first step are of no use; null where they are. */
  uselessBatch?(config: RunConfig, rollouts: readonly RolloutRecord[]): string | null;
}

/** A stage or framework whose own types only it knows; the loop hands back what it was given. */
export type AnyStage = Stage<FrameworkConfig, unknown, unknown, unknown, unknown>;
export type AnyFramework = Framework<FrameworkConfig, unknown>;

/** Forgets the types of a stage. The loop never looks into `detail`, `found`, state or measured values, so no type is lost. */
export function anyStage<C extends FrameworkConfig, S, D, F, M>(stage: Stage<C, S, D, F, M>): AnyStage {
  return stage as unknown as AnyStage;
}

/** Forgets the types of a framework, which is always given its own settings and state. */
export function anyFramework<C extends FrameworkConfig, S>(framework: Framework<C, S>): AnyFramework {
  return framework as unknown as AnyFramework;
}

/** The weight sets of a run as they are loaded from the model in folder `model`, the first role first. */
export function roleSettings(
  framework: AnyFramework,
  config: RunConfig,
  model: string,
): [NamedSettings, ...NamedSettings[]] {
  const of = (name: RoleName): NamedSettings => ({
    name,
    settings: policySettings(config, model, framework.trainOf?.(config, name)),
  });
  const [first, ...others] = framework.roles(config.framework);
  return [of(first), ...others.map(of)];
}

/** A prompt as the chat template of the weights' tokenizer takes it. */
function messagesOf({ system, user, example, opening }: Prompt): ChatMessage[] {
  const turns: ChatMessage[] = [
    { role: 'system', content: system },
    ...(example === undefined
      ? []
      : [
          { role: 'user' as const, content: example.asked },
          { role: 'assistant' as const, content: example.answered },
        ]),
    { role: 'user', content: user },
  ];
  return opening === undefined ? turns : [...turns, { role: 'assistant', content: opening }];
}

/** A prompt as weights take it: a conversation, or plain text where the pack writes that. */
export function promptItem(prompt: Prompt): { messages: ChatMessage[] } | { plain: string } {
  return prompt.plain === undefined ? { messages: messagesOf(prompt) } : { plain: prompt.plain };
}

/** What of a request's prompt goes with it to be generated. */
export function generateItem(
  prompt: Prompt,
): ({ messages: ChatMessage[] } | { plain: string }) & { stop?: readonly string[] } {
  const { stops = [] } = prompt;
  return { ...promptItem(prompt), ...(stops.length === 0 ? {} : { stop: stops }) };
}

/** The prompt in the frame of its pack: packs of plain text have one, and what ends an answer in it. */
export function framed(pack: PromptPack, prompt: Prompt): Prompt {
  if (!pack.has('frame')) return prompt;
  const { system, user, example, opening = '', stops = [] } = prompt;
  const asked = example === undefined ? user : pack.render('frame-example', { ...example, user });
  return {
    ...prompt,
    stops: [...stops, ...pack.stops],
    plain: pack.render('frame', { system, user: asked }) + opening,
  };
}

/** The text of a context alone, as its tokens are counted. */
export function contextItem(pack: PromptPack, text: string): PromptItem {
  return pack.has('frame') ? { plain: text } : { messages: [{ role: 'system', content: text }] };
}

/** A rollout with the whole of its answer as text. */
export function wholeRollout({ opening = '', stops = [] }: Prompt, rollout: Rollout): Rollout {
  return { ...rollout, text: opening + cutAtStops(rollout.text, stops) };
}

/**
 * The system message: who the policy is in this prompt, and the supervisor's context C_t as rendered text ('' for none).
 * Every prompt of a step must be given the same context, or what is measured belongs to another policy than the one that learns.
 */
export function systemPrompt(pack: PromptPack, role: Role, context: string): string {
  return pack.render('system', { role, context });
}
