import { z } from 'zod';
import {
  Failure,
  type FailureKind,
  type ModelRecord,
  type OwnSettings,
  type PhaseItem,
  type PhaseProbabilities,
  type ReviewAnswer,
  type ReviewerKind,
  type ReviewRecord,
  type RunConfig,
} from '../../contract/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type {
  SupervisorReview,
  SupervisorReviewResult,
  SupervisorWeigh,
  SupervisorWeighing,
} from '../../processes/index.ts';
import type { ParsedProgram } from '../facts/program-reader.ts';

/** The one thing a reviewer needs of the supervisor process. */
export type ReviewPort = {
  review(request: SupervisorReview, signal?: AbortSignal): Promise<SupervisorReviewResult>;
};

/** What a judge needs besides: answers weighed by their probabilities. */
export type JudgePort = ReviewPort & {
  weigh(request: SupervisorWeigh, signal?: AbortSignal): Promise<SupervisorWeighing>;
};

/** Everything a reviewer gets. Golds are not part of it, so no reviewer can be shown one by mistake. */
export type ReviewSubject = {
  id: string;
  item: PhaseItem;
  /** The runner's reading of the program under review, when there is one. */
  parsed: ParsedProgram | null;
  /** For whatever the reviewer draws: delimiters, sampling. */
  seed: number;
};

export type ReviewResult = {
  /** Null when no usable answer came; `problem` then says why in one sentence. */
  answer: ReviewAnswer | null;
  problem: string | null;
  /** True when nobody was asked or the item was passed over on purpose, which is no failure of the reviewer. */
  skipped?: boolean;
  /** True when somebody else may answer instead. */
  handedOver?: boolean;
  /** Exactly what the reviewer was shown. */
  prompt: string;
  tokensIn: number;
  tokensOut: number;
  milliseconds: number;
  attempts: number;
  /** What a model was asked about one by one, in the order drawn for this review, and what it found; absent where nothing was asked. */
  asked?: { issue: string; found: boolean }[];
};

/** A supervisor: rubric, language model, person or script. */
export interface Reviewer {
  readonly kind: ReviewerKind;
  /** Name of the model; null when there is none. */
  readonly model: string | null;
  /** Reviews that may be open at once: 1 for a single model, unlimited for a person with a queue. */
  readonly concurrency: number;
  /** Seed of the coins that say what is reviewed, where it is not the run's own. */
  readonly gateSeed?: number;
  /** A step's budget counts the time that its answers took; absent: the time during which a review was open. */
  readonly countsUsefulTime?: boolean;
  /**
   * Resolves for everything that can happen to a single item; rejects only when no item could be reviewed, or on abort.
   * @param onShared told what was computed under way for later reviews as well, which is no part of the time of this one
   */
  review(
    subject: ReviewSubject,
    signal: AbortSignal,
    onShared?: (milliseconds: number) => void,
  ): Promise<ReviewResult>;
}

/** Somebody who is asked for a share of a run's gated items before its reviewer is: a person. */
export type PersonInLoop = Pick<Reviewer, 'kind' | 'model'> & {
  /** Whether this item is theirs, by a coin that only the run's seed and the item decide. */
  takes(item: PhaseItem): boolean;
  /** Waits for them. Null: the reviewer of the run takes over, because nobody answered in time or they handed over. */
  ask(subject: ReviewSubject, signal: AbortSignal): Promise<ReviewResult | null>;
};

/** What a failure says of one question or one moment; null for what makes every question impossible and must stop the work. */
export function questionProblem(error: unknown): string | null {
  return error instanceof Failure && OF_ONE_QUESTION.has(error.kind) ? error.message : null;
}

const OF_ONE_QUESTION: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'timeout',
  'promptTooLong',
  'processLost',
  'requestKillsProcess',
  'hung',
]);

/** The prompt of a model as it is kept in a record. */
export const promptText = ({ system, user }: { system: string; user: string }): string =>
  `${system}\n\n${user}`;

/** On what a supervisor's model computes, and the window that was chosen for its reviews. */
export type Computing = Pick<RunConfig['supervision'], 'threads' | 'device' | 'windowTokens'>;

/** Another run of the lab, as far as a reviewer may go by it. */
export type RecordedRun = {
  id: string;
  seed: number;
  phases: PhaseProbabilities;
  committedSteps: number;
  reviewOf(step: number, id: string): ReviewRecord | null;
  /** Of a committed step. */
  stepHash(step: number): string;
};

/** What a reviewer can be made with; the engine provides it. */
export type ReviewerTools = {
  pack(name: RunConfig['policy']['promptPack']): PromptPack;
  /** A supervisor model by library name or path. @throws Failure (exit code 2) when there is none. */
  findModel(reference: string): Promise<ModelRecord>;
  /** A process with the model loaded, which several runs may share; contextTokens is its window. */
  openModel(path: string, computing: Computing, contextTokens: number): Promise<JudgePort>;
  /** Null where the lab has no run of this id. */
  recordedRun(id: string): RecordedRun | null;
};

/** How a kind of reviewer comes into being from a run's configuration. A new kind is a folder with one of these and a line in registry.ts. */
export interface ReviewerMaker {
  readonly kind: ReviewerKind;
  /** False for kinds that somebody has to hand over, so that a configuration alone cannot start them. */
  readonly startable: boolean;
  /** True where a person answers. */
  readonly isPerson?: true;
  /** Whether it goes by `supervision.model`. */
  readonly usesModel?: true;
  /** Reads `supervision.reviewerSettings`; paths come out absolute. */
  readonly settings: z.ZodType<OwnSettings>;
  /** `sha256` is that of the file or run the reviewer goes by, which must not change within a run; null when there is none. */
  make(
    config: Pick<RunConfig, 'policy' | 'supervision' | 'steps' | 'seed'>,
    tools: ReviewerTools,
  ): Promise<{ reviewer: Reviewer; sha256: string | null }>;
}

/** For kinds without settings of their own: naming one is refused. */
export const NO_SETTINGS: z.ZodType<OwnSettings> = z.strictObject({});

export const unstartable = (kind: ReviewerKind) => async (): Promise<never> => {
  throw new Failure(
    'reviewerUnavailable',
    `The reviewer "${kind}" cannot be started from a configuration; choose another.`,
    2,
  );
};
