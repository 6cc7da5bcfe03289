import {
  type Failure,
  type ModelRecord,
  type Phase,
  type PhaseItem,
  type ReviewAnswer,
  type RunConfig,
} from '../../../contract/index.ts';
import { rolloutSeed } from '../../../core/index.ts';
import type { SupervisorReview, SupervisorReviewResult } from '../../../processes/index.ts';
import { answerSchema, likelyAnswers, parseAnswer } from '../answers.ts';
import { reviewPrompt, type ReviewPack, type ReviewPrompt, type Shown } from '../review-prompt.ts';
import { withComputed } from '../rubric/index.ts';
import { judgeReviewer } from './judge.ts';
import {
  promptText,
  questionProblem,
  NO_SETTINGS,
  type ReviewPort,
  type Reviewer,
  type ReviewResult,
  type ReviewSubject,
  type ReviewerMaker,
  type ReviewerTools,
} from '../reviewer.ts';

type LlamaReviewerOptions = {
  pack: ReviewPack;
  /** Name for the records. */
  model: string;
  /** Per attempt. */
  timeoutSeconds: number;
  /** `material`: without the facts it was trained with, to measure what they add. */
  shows?: Shown;
};

/** A first answer and two more, each with another seed. */
const ATTEMPTS = 3;
/** The longest closed answer has 150 characters, about 60 tokens of the embedded tokenizer. */
const CLOSED_TOKENS = 112;
/** The first attempt is greedy; a repetition must be able to come out differently. */
const RETRY_TEMPERATURE = 0.7;
/** Seeds of the supervisor are 32-bit. */
const SEED_RANGE = 2 ** 32;

/**
 * A GGUF model that was trained for these reviews: it chooses among our sentences. A grammar holds it to the answer's schema and the
 * answer is parsed strictly.
 */
export function llamaReviewer(
  client: ReviewPort,
  { pack, model, timeoutSeconds, shows = 'computed' }: LlamaReviewerOptions,
): Reviewer {
  async function review(subject: ReviewSubject, signal: AbortSignal): Promise<ReviewResult> {
    const result: ReviewResult = {
      answer: null,
      problem: null,
      prompt: '',
      tokensIn: 0,
      tokensOut: 0,
      milliseconds: 0,
      attempts: 0,
    };
    let scale = 1;
    while (result.answer === null && result.attempts < ATTEMPTS) {
      signal.throwIfAborted();
      const seed = rolloutSeed(subject.seed, 'attempt', result.attempts);
      const prompt = reviewPrompt(pack, subject.item, seed, subject.parsed, scale, shows);
      const request = {
        ...reviewRequest(prompt, subject.item.phase),
        seed: seed % SEED_RANGE,
        temperature: result.attempts === 0 ? 0 : RETRY_TEMPERATURE,
        timeoutMs: timeoutSeconds * 1000,
      };
      result.prompt = promptText(prompt);
      result.attempts++;
      try {
        take(result, await client.review(request, signal), subject.item, shows);
      } catch (error) {
        signal.throwIfAborted();
        const problem = questionProblem(error);
        if (problem === null) throw error;
        result.problem = problem;
        if ((error as Failure).kind === 'promptTooLong') scale /= 2;
      }
    }
    return result;
  }

  return { kind: 'llama', model, concurrency: 1, review };
}

/** What a model is asked for one review. */
export function reviewRequest(
  prompt: ReviewPrompt,
  phase: Phase,
): Pick<SupervisorReview, 'system' | 'user' | 'schema' | 'maxTokens' | 'likely'> {
  return {
    ...prompt,
    schema: answerSchema(phase) as Record<string, unknown>,
    maxTokens: CLOSED_TOKENS,
    likely: likelyAnswers(phase),
  };
}

function take(result: ReviewResult, reply: SupervisorReviewResult, item: PhaseItem, shows: Shown): void {
  result.tokensIn += reply.tokensIn;
  result.tokensOut += reply.tokensOut;
  result.milliseconds += reply.milliseconds;
  const answer: ReviewAnswer | null = parseAnswer(item.phase, reply.value);
  result.answer = answer === null || shows === 'material' ? answer : withComputed(answer, item);
  result.problem =
    answer === null
      ? `The supervisor's answer was not a review: ${JSON.stringify(reply.text.slice(0, 80))}.`
      : null;
}

/** The longest compact record is below 700 tokens; a full one with a long task and answer stays below 8,000. */
const COMPACT_CONTEXT_TOKENS = 1024;
const FULL_CONTEXT_TOKENS = 8192;

/** A smaller model words what was computed: one of 1.5 B told whole programs from programs with a planted defect no better than chance. */
const READS_FROM = 7e9;

/** Any GGUF model, in a process of its own. */
export const llama: ReviewerMaker = {
  kind: 'llama',
  startable: true,
  usesModel: true,
  settings: NO_SETTINGS,
  async make({ supervision }, tools) {
    const model = await tools.findModel(supervision.model);
    const open = await openReviewModel(model, supervision, tools);
    return { reviewer: open('computed'), sha256: model.sha256 };
  },
};

/**
 * How a run asks a model for reviews. `closed`: it chooses among our sentences, which it was trained for. `asks`: it words what was
 * computed and says yes or no to the rest. `words`: it words what was computed and nothing else.
 */
export type ReviewMode = 'closed' | 'asks' | 'words';

// The embedded supervisor knows the short records it was trained on; any other judge gets the full instructions.
export const reviewModeOf = ({
  embedded,
  parameters,
}: Pick<ModelRecord, 'embedded' | 'parameters'>): ReviewMode =>
  embedded ? 'closed' : (parameters ?? 0) >= READS_FROM ? 'asks' : 'words';

export const reviewPackOf = (mode: ReviewMode): RunConfig['policy']['promptPack'] =>
  mode === 'closed' ? 'compact' : 'full';

/** The window a model is loaded with; questions for lines share it, and so the process. */
export const contextTokensOf = (
  mode: ReviewMode,
  { windowTokens }: Pick<RunConfig['supervision'], 'windowTokens'>,
): number => (mode === 'closed' ? COMPACT_CONTEXT_TOKENS : (windowTokens ?? FULL_CONTEXT_TOKENS));

/** A process with the model loaded, and the reviewers it can be asked as: as in a run, or with the material alone. */
export async function openReviewModel(
  model: ModelRecord,
  supervision: RunConfig['supervision'],
  { pack, openModel }: Pick<ReviewerTools, 'pack' | 'openModel'>,
): Promise<(shows: Shown) => Reviewer> {
  const mode = reviewModeOf(model);
  const client = await openModel(model.path, supervision, contextTokensOf(mode, supervision));
  const options = {
    model: model.name,
    timeoutSeconds: supervision.reviewTimeoutSeconds,
    pack: { ...pack(reviewPackOf(mode)), shownCharacters: supervision.shownCharacters },
  };
  return (shows) =>
    mode === 'closed'
      ? llamaReviewer(client, { ...options, shows })
      : judgeReviewer(client, { ...options, shows, asks: mode === 'asks' });
}
