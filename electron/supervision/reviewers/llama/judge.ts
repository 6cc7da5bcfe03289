import { Failure, type PhaseItem, type ReviewAnswer } from '../../../contract/index.ts';
import { rolloutSeed, shuffle } from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import {
  answerFor,
  isIssue,
  issuesOf,
  MAX_FEEDBACK,
  OTHER_ISSUE,
  sentenceFor,
  type AskedIssue,
  type Issue,
} from '../answers.ts';
import { reviewMaterial, reviewPrompt, type ReviewPrompt, type Shown } from '../review-prompt.ts';
import {
  promptText,
  questionProblem,
  type JudgePort,
  type Reviewer,
  type ReviewResult,
  type ReviewSubject,
} from '../reviewer.ts';
import { rubricAnswer } from '../rubric/index.ts';
import { askedOf, QUESTIONS } from './questions.ts';

export type JudgeOptions = {
  pack: PromptPack;
  /** Name for the records. */
  model: string;
  /** Per question to the model. */
  timeoutSeconds: number;
  /** Whether the model is asked for what no computation settles; without it, it words what was computed. */
  asks: boolean;
  /** `material`: nothing is computed for it, it is asked for every issue, and it words nothing: what it finds by itself. */
  shows?: Shown;
};

type Found = Issue | typeof OTHER_ISSUE;
/** What a model is asked for. */
type Asked = AskedIssue | typeof OTHER_ISSUE;
type Finding = { issue: Found; computed: boolean };
type Shared = (milliseconds: number) => void;

/** Twice what is written side by side, so that a row that is free is taken at once. */
const OPEN_REVIEWS = 16;
const ATTEMPTS = 3;
const RETRY_TEMPERATURE = 0.7;
const SEED_RANGE = 2 ** 32;
const SMALLEST_SCALE = 1 / 8;
const WORDING_TOKENS = 160;
/** Times what the measured speed lets expect: what an answer takes depends on the machine and on what else it does. */
export const JUDGE_PATIENCE = 4;
/** Log-odds by which yes has to be likelier than for a blank item: nearly three times as likely. */
const SURE = 1;

const WORDING = {
  type: 'object',
  required: ['quote', 'feedback'],
  additionalProperties: false,
  properties: {
    quote: { type: 'string', maxLength: 120 },
    feedback: { type: 'string', maxLength: MAX_FEEDBACK },
  },
};

/**
 * A GGUF model that was not trained for these reviews. What can be computed is computed and the model words it. A model that is asked
 * says yes or no to each issue by itself, in an order drawn per review, against what it says of a blank item; so neither the place of
 * an issue nor a leaning to yes decides. Where a review has several findings, the order in which they are worded is drawn too. Reviews
 * are written side by side.
 */
export function judgeReviewer(
  client: JudgePort,
  { pack, model, timeoutSeconds, asks, shows = 'computed' }: JudgeOptions,
): Reviewer {
  const timeoutMs = timeoutSeconds * 1000;
  const blanks = new Map<string, Promise<number[]>>();
  /** Of a blank item, whose time was told when it was lost. */
  const told = new WeakSet<object>();
  const alone = shows === 'material';
  const issuesAsked = (item: PhaseItem): readonly Asked[] => (alone ? issuesOf : askedOf)(item.phase);
  const promptOf = (item: PhaseItem, { seed, parsed }: Pick<ReviewSubject, 'seed' | 'parsed'>, scale = 1) =>
    reviewPrompt(pack, item, seed, parsed, scale, shows);

  async function weigh(
    prompt: ReviewPrompt,
    issues: readonly Asked[],
    signal?: AbortSignal,
  ): Promise<{ logOdds: number[]; tokensIn: number; milliseconds: number }> {
    const questions = issues.map((issue) => pack.render('review-question', { question: QUESTIONS[issue] }));
    return client.weigh({ ...prompt, questions, timeoutMs, patience: JUDGE_PATIENCE }, signal);
  }

  /** What the model leans to where there is nothing to judge: asked once for all items of a kind, by the first that comes. */
  function ofBlank(item: PhaseItem, issues: readonly Asked[], onShared: Shared): Promise<number[]> {
    const { phase, role, taskType } = item;
    const key = [phase, role, taskType].join(' ');
    const known = blanks.get(key);
    if (known !== undefined) return known;
    const asked = weighBlank(item, issues, onShared);
    blanks.set(key, asked);
    asked.catch(() => blanks.delete(key));
    return asked;
  }

  async function weighBlank(item: PhaseItem, issues: readonly Asked[], onShared: Shared): Promise<number[]> {
    try {
      const prompt = promptOf(blankOf(item), { seed: 0, parsed: null });
      const { logOdds, milliseconds } = await weigh(prompt, issues);
      onShared(milliseconds);
      return logOdds;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      told.add(error);
      onShared(timeoutMs);
      throw error;
    }
  }

  async function findings(
    { item, parsed, seed }: ReviewSubject,
    prompt: ReviewPrompt,
    result: ReviewResult,
    signal: AbortSignal,
    onShared: Shared,
  ): Promise<Finding[]> {
    const computed = alone ? [] : rubricAnswer(item, parsed).issues.filter(isIssue);
    const found = computed.map((issue): Finding => ({ issue, computed: true }));
    const all = issuesAsked(item);
    const asked = asks || alone ? all.filter((issue) => !computed.some((one) => one === issue)) : [];
    if (asked.length === 0) return found;
    const blank = await ofBlank(item, all, onShared);
    const order = shuffle(asked, seed, 'question-order');
    const { logOdds, tokensIn, milliseconds } = await weigh(prompt, order, signal);
    result.tokensIn += tokensIn;
    result.milliseconds += milliseconds;
    const isSure = (issue: Asked, index: number): boolean =>
      (logOdds[index] ?? 0) - (blank[all.indexOf(issue)] ?? 0) >= SURE;
    result.asked = order.map((issue, index) => ({ issue, found: isSure(issue, index) }));
    for (const [index, issue] of order.entries()) {
      if (!isSure(issue, index) || (issue === OTHER_ISSUE && found.length > 0)) continue;
      found.push({ issue, computed: false });
    }
    return found;
  }

  async function word(
    { item, seed }: ReviewSubject,
    prompt: ReviewPrompt,
    found: readonly Finding[],
    result: ReviewResult,
    signal: AbortSignal,
  ): Promise<Wording | null> {
    const material = flat(
      reviewMaterial(pack, item)
        .fields.map(({ text }) => text)
        .join('\n'),
    );
    const drawn = shuffle(found, seed, 'finding-order');
    const user = `${prompt.user}${pack.render('review-wording', wordsOf(drawn, item.role))}`;
    result.prompt = promptText({ ...prompt, user });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      signal.throwIfAborted();
      result.attempts++;
      const reply = await client.review(
        {
          system: prompt.system,
          user,
          schema: WORDING,
          maxTokens: WORDING_TOKENS,
          seed: rolloutSeed(seed, 'attempt', attempt) % SEED_RANGE,
          temperature: attempt === 0 ? 0 : RETRY_TEMPERATURE,
          timeoutMs,
          patience: JUDGE_PATIENCE,
          side: 'together',
        },
        signal,
      );
      result.tokensIn += reply.tokensIn;
      result.tokensOut += reply.tokensOut;
      result.milliseconds += reply.milliseconds;
      const wording = readWording(reply.value, material);
      if (wording !== null) return wording;
    }
    return null;
  }

  /** At a smaller scale where the model's window is too small for the whole material. */
  async function review(
    subject: ReviewSubject,
    signal: AbortSignal,
    onShared: Shared,
    scale = 1,
  ): Promise<ReviewResult> {
    const prompt = promptOf(subject.item, subject, scale);
    const result: ReviewResult = {
      answer: null,
      problem: null,
      prompt: promptText(prompt),
      tokensIn: 0,
      tokensOut: 0,
      milliseconds: 0,
      attempts: 0,
    };
    signal.throwIfAborted();
    try {
      const found = await findings(subject, prompt, result, signal, onShared);
      const answer = answerOf(found);
      if (found.length > 0 && !alone) {
        // A model that finds no words leaves ours, which say what was computed.
        Object.assign(answer, await word(subject, prompt, named(answer, found), result, signal));
      }
      result.answer = answer;
    } catch (error) {
      signal.throwIfAborted();
      const problem = questionProblem(error);
      if (problem === null) throw error;
      const { kind } = error as Failure;
      if (kind === 'promptTooLong' && scale > SMALLEST_SCALE)
        return review(subject, signal, onShared, scale / 2);
      // It computed for at least so long.
      if (isTimeout(error) && !told.has(error)) result.milliseconds += timeoutMs;
      result.problem = problem;
    }
    return result;
  }

  return {
    kind: 'llama',
    model,
    concurrency: OPEN_REVIEWS,
    countsUsefulTime: true,
    review: (subject, signal, onShared = () => {}) => review(subject, signal, onShared),
  };
}

/** Decision and issues by the table; a finding that only its words describe stands alone and sends nothing back. */
function answerOf(found: readonly Finding[]): ReviewAnswer {
  const answer = answerFor(found.flatMap(({ issue }) => (issue === OTHER_ISSUE ? [] : [issue])));
  return answer.issues.length === 0 && found.length > 0
    ? { decision: 'continue', issues: [OTHER_ISSUE], feedback: 'The work has a mistake of another kind.' }
    : answer;
}

const isTimeout = (error: unknown): error is Failure => error instanceof Failure && error.kind === 'timeout';

const named = ({ issues }: ReviewAnswer, found: readonly Finding[]): Finding[] =>
  found.filter(({ issue }) => issues.includes(issue));

function wordsOf(found: readonly Finding[], role: PhaseItem['role']): { source: string; findings: string } {
  const line = ({ issue, computed }: Finding): string =>
    `- ${issue === OTHER_ISSUE ? 'A mistake of another kind; say which.' : sentenceFor(issue, role)}${computed ? ' (computed)' : ''}`;
  const all = found.every(({ computed }) => computed);
  return {
    source: all ? 'These findings were computed from the material and hold:' : 'Findings:',
    findings: found.map(line).join('\n'),
  };
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

type Wording = Pick<ReviewAnswer, 'feedback' | 'quote'>;

/** Two words: less says nothing of the work. */
const SENTENCE = /\p{L}{2,}\P{L}+\p{L}{2,}/u;
/** A mark or a single letter stands in every text and means no place. */
const PLACE = /[\p{L}\p{N}]{2,}/u;

/** Null for what is no wording, or whose quotation does not stand in the material. */
function readWording(value: unknown, material: string): Wording | null {
  if (typeof value !== 'object' || value === null) return null;
  const { quote, feedback } = value as { quote?: unknown; feedback?: unknown };
  if (typeof quote !== 'string' || typeof feedback !== 'string' || !SENTENCE.test(feedback)) return null;
  const place = flat(quote);
  if (!material.includes(place)) return null;
  return PLACE.test(place) ? { feedback: flat(feedback), quote: place } : { feedback: flat(feedback) };
}

/** An item of the same kind with nothing in it. */
const blankOf = (item: PhaseItem): PhaseItem => ({
  ...item,
  task: null,
  plan: null,
  thought: null,
  answer: null,
  text: null,
  formatOk: true,
  validity: null,
  statistics: null,
});
