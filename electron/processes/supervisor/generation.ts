import type {
  ControlledEvaluateInputItem,
  LlamaGrammarEvaluationState,
  LlamaModel,
  Token,
} from 'node-llama-cpp';
import { ProcessFailure } from '../child/failures.ts';
import type { SupervisorCompletion, SupervisorToken } from '../supervisor-wire.ts';
import {
  type Limits,
  type Prompt,
  type PromptedSequence,
  samplerOf,
  type Sampling,
  PartialAnswer,
} from './sequence.ts';
import { Watchdog } from './watchdog.ts';

export type GenerationOptions = Sampling &
  Limits & {
    /** Makes a state of the grammar that has seen nothing yet; null for free text. */
    grammar: (() => LlamaGrammarEvaluationState) | null;
    /** The texts the grammar allows, when they are few, and which of them come often: greedy answers are then drafted. */
    closed?: { answers: readonly string[]; likely: readonly string[] } | null;
    /** Milliseconds from now, or null for no limit. */
    timeoutMs?: number | null;
    signal: AbortSignal;
    /** Somebody follows the answer token by token; null or absent for nobody. */
    watched?: { alternatives: number; onToken(token: SupervisorToken): void } | null;
    /** Knows how long this model's evaluations take; a fresh one when absent. */
    watchdog?: Watchdog;
  };

/**
 * Evaluates a prompt and writes the answer, which depends on nothing the sequence held before. Raw evaluation instead of a
 * chat session: a session costs eight times as much per review (277 ms against 33 ms with a model of 2.8 M parameters).
 *
 * Throws `timeout` or `cancelled`; the sequence is usable afterwards. Ends the process when native code does not come back.
 */
export async function generate(
  model: LlamaModel,
  sequence: PromptedSequence,
  prompt: Prompt,
  options: GenerationOptions,
): Promise<SupervisorCompletion> {
  return (options.watchdog ?? new Watchdog()).guard((tick) => write(model, sequence, prompt, options, tick));
}

async function write(
  model: LlamaModel,
  sequence: PromptedSequence,
  prompt: Prompt,
  options: GenerationOptions,
  tick: () => void,
): Promise<SupervisorCompletion> {
  const started = performance.now();
  const check = (): void => {
    tick();
    throwIfCancelled(options.signal);
    if (typeof options.timeoutMs === 'number') throwIfLate(started, options.timeoutMs);
  };
  const finish = (
    text: string,
    tokensOut: number,
    stopReason: SupervisorCompletion['stopReason'],
  ): SupervisorCompletion => ({
    text,
    tokensIn: prompt.tokens.length,
    tokensOut,
    milliseconds: performance.now() - started,
    stopReason,
  });

  const rest = await sequence.begin(prompt, check);
  const restStart = sequence.sequence.nextTokenIndex;
  if (options.temperature === 0 && options.closed) {
    const answer = await draftedAnswer(model, sequence, rest, {
      ...options.closed,
      maxTokens: options.maxTokens,
      check,
    });
    if (answer !== null) return finish(answer.text, answer.tokensOut, 'end');
    await sequence.returnTo(restStart);
  }
  const writing = new PartialAnswer(model, options);
  const { watched = null } = options;
  const pieces = new Pieces(model);
  const sampler = { ...samplerOf(options), grammarEvaluationState: options.grammar?.() };
  const evaluated: AsyncIterable<{ token: Token; probabilities?: Map<Token, number> }> =
    watched === null
      ? sequence.sequence.evaluateWithMetadata([...rest], {}, sampler)
      : sequence.sequence.evaluateWithMetadata([...rest], { probabilities: true }, sampler);
  for await (const { token, probabilities } of evaluated) {
    check();
    if (watched !== null && probabilities !== undefined)
      watched.onToken({
        position: pieces.count,
        text: pieces.add(token),
        probability: probabilities.get(token) ?? 0,
        alternatives: likeliest(model, probabilities, watched.alternatives),
      });
    const end = writing.add(token);
    if (end !== null) return finish(end.text, end.tokensOut, end.stopReason);
  }
  return finish(model.detokenize(writing.tokens), writing.tokens.length, 'length');
}

/** What a decoder writes for bytes that are no whole character yet. */
const UNFINISHED = '\ufffd';

/** The text that each further token adds to an answer: none while a character is unfinished, and none of a token that ends it. */
class Pieces {
  readonly #model: LlamaModel;
  readonly #tokens: Token[] = [];
  #told = 0;
  count = 0;

  constructor(model: LlamaModel) {
    this.#model = model;
  }

  add(token: Token): string {
    this.count += 1;
    if (this.#model.isEogToken(token)) return '';
    this.#tokens.push(token);
    const text = this.#model.detokenize(this.#tokens);
    if (text.endsWith(UNFINISHED)) return '';
    const piece = text.slice(this.#told);
    this.#told = text.length;
    return piece;
  }
}

/** The map has the likeliest first. */
function likeliest(
  model: LlamaModel,
  probabilities: ReadonlyMap<Token, number>,
  most: number,
): SupervisorToken['alternatives'] {
  return [...probabilities].slice(0, most).map(([token, probability]) => ({
    text: model.detokenize([token], true),
    probability,
  }));
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ProcessFailure('supervisor', {
      kind: 'cancelled',
      message: 'The request to the supervisor was cancelled.',
    });
}

/** @param started as performance.now() said it. */
export function throwIfLate(started: number, timeoutMs: number): void {
  if (performance.now() - started > timeoutMs) throw tooLate(timeoutMs);
}

export const tooLate = (timeoutMs: number): ProcessFailure =>
  new ProcessFailure('supervisor', {
    kind: 'timeout',
    retryable: true,
    message: `The supervisor did not finish its answer within ${timeoutMs / 1000} s.`,
  });

export type DraftOptions = {
  /** Every answer there can be. */
  answers: readonly string[];
  /** Answers among them that come often, the most frequent first. */
  likely: readonly string[];
  maxTokens: number;
  /** Throws when time is up or nobody waits any more; called between evaluations. */
  check(): void;
};

/**
 * The greedy answer out of a closed set, found by drafting: the tokens of a likely answer are evaluated together and the
 * model's own choices are compared with them, so that an expected answer costs one evaluation instead of one a token.
 * A draft ends where only one answer is left, for then the text is decided.
 *
 * The answer is the one that constrained decoding token by token would give: where the freely chosen token keeps to the set,
 * it is also the best of the allowed ones. Where it does not, or writes nothing (a control token, which no grammar allows), the
 * result is null and the caller has to decode that way.
 * `rest` are the tokens of the prompt that are still to be evaluated, at least one.
 */
export async function draftedAnswer(
  model: LlamaModel,
  sequence: PromptedSequence,
  rest: readonly Token[],
  { answers, likely, maxTokens, check }: DraftOptions,
): Promise<{ text: string; tokensOut: number } | null> {
  const textOf = exactText(model);
  const promptEnd = sequence.sequence.nextTokenIndex + rest.length;
  const written: Token[] = [];
  let text = '';
  let open = answers;
  let pending = rest;
  for (;;) {
    const draft = draftFor(model, textOf, written, text, open, likely).slice(
      0,
      Math.max(0, maxTokens - written.length - 1),
    );
    const chosen = await greedyTokens(sequence, pending, draft);
    check();
    for (const [index, token] of chosen.entries()) {
      if (model.isEogToken(token)) return open.includes(text) ? { text, tokensOut: written.length } : null;
      written.push(token);
      const before = text.length;
      text = textOf(written);
      if (text.length <= before) return null;
      open = open.filter((answer) => answer.startsWith(text));
      const [only] = open;
      if (only === undefined) return null;
      const tokensOut =
        open.length > 1 ? written.length : written.length + continuation(model, written, text, only).length;
      // What the token limit cuts off, and where, is for plain decoding to say.
      if (tokensOut >= maxTokens) return null;
      if (open.length === 1) return { text: only, tokensOut };
      if (token !== draft[index]) break;
    }
    await sequence.returnTo(promptEnd + written.length - 1);
    pending = written.slice(-1);
  }
}

/**
 * What tokens say, as the grammar reads it. At the very beginning of a text some vocabularies drop the space that a token
 * brings along; behind a line break they do not.
 */
function exactText(model: LlamaModel): (tokens: readonly Token[]) => string {
  const lineBreak = model.tokenize('\n', false);
  return (tokens) => model.detokenize([...tokens], false, lineBreak);
}

/** Tokens that would continue what is written towards the likeliest answer still open, as far as there is a choice to make. */
function draftFor(
  model: LlamaModel,
  textOf: (tokens: readonly Token[]) => string,
  written: readonly Token[],
  text: string,
  open: readonly string[],
  likely: readonly string[],
): Token[] {
  const target = likely.find((answer) => answer.startsWith(text)) ?? (open[0] as string);
  const tokens = continuation(model, written, text, target);
  let left = open;
  for (let count = 1; count <= tokens.length; count++) {
    const reached = textOf([...written, ...tokens.slice(0, count)]);
    left = left.filter((answer) => answer.startsWith(reached));
    // The token that decides is chosen and need not be evaluated.
    if (left.length <= 1) return tokens.slice(0, count - 1);
  }
  return tokens;
}

/** The rest of `answer` as tokens, the way the model writes it in one go where what is written allows. */
function continuation(model: LlamaModel, written: readonly Token[], text: string, answer: string): Token[] {
  const whole = model.tokenize(answer, false);
  return written.every((token, index) => token === whole[index])
    ? whole.slice(written.length)
    : model.tokenize(answer.slice(text.length), false);
}

/** Evaluates `pending` and `draft`; the tokens the model would choose after the last of `pending` and after each of `draft`. */
async function greedyTokens(
  sequence: PromptedSequence,
  pending: readonly Token[],
  draft: readonly Token[],
): Promise<Token[]> {
  const asked = [...pending.slice(-1), ...draft].map((token): ControlledEvaluateInputItem => [
    token,
    { generateNext: { token: true, options: { temperature: 0 } } },
  ]);
  const results = await sequence.sequence.controlledEvaluate([...pending.slice(0, -1), ...asked]);
  return asked.map((_, index) => {
    const token = results[pending.length - 1 + index]?.next.token;
    if (token === undefined || token === null) throw new Error('The model chose no token.');
    return token;
  });
}
