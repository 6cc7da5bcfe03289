import type { LlamaContextSequence, LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import type { SupervisorCompletion } from '../supervisor-wire.ts';

/** Prompt tokens evaluated between two looks at the clock. Fixed, so that the arithmetic is the same each time. */
export const PROMPT_CHUNK = 512;
/**
 * What follows a piece of a long prompt has at least so many tokens. llama.cpp computes the attention of a single token over 512 or more
 * in as many parts as there are threads (ggml-cpu/ops.cpp: use_split_kv_path), so its numbers would depend on how many there are.
 */
const LEAST_LEFT = 3;
const pieceOf = (left: number): number =>
  left > PROMPT_CHUNK ? Math.min(PROMPT_CHUNK, left - LEAST_LEFT) : left;

export type Prompt = {
  tokens: readonly Token[];
  /** How many of the first tokens are the same in many prompts, such as the system's turn; they are evaluated once. */
  shared: number;
};

/**
 * A sequence that keeps the shared beginning of its last prompt. That beginning is always evaluated on its own and never
 * together with what follows, so that the numbers kept are bit for bit those of a fresh evaluation.
 */
export class PromptedSequence {
  readonly sequence: LlamaContextSequence;
  #kept: readonly Token[] = [];

  constructor(sequence: LlamaContextSequence) {
    this.sequence = sequence;
  }

  /**
   * Leaves in the sequence the prompt without its last tokens, at most 512 and at least one, and returns those: the caller
   * evaluates them together with what it asks. `check` is called between chunks and may throw.
   */
  async begin(prompt: Prompt, check: () => void): Promise<readonly Token[]> {
    const { tokens } = prompt;
    const beginning = beginningOf(prompt);
    if (this.keeps(prompt)) await this.returnTo(beginning.length);
    else {
      this.#kept = [];
      await this.sequence.clearHistory();
      for (let left = beginning; left.length > 0; left = left.slice(pieceOf(left.length)))
        await this.#evaluate(left.slice(0, pieceOf(left.length)), check);
      this.#kept = beginning;
    }
    let rest = tokens.slice(beginning.length);
    for (; rest.length > PROMPT_CHUNK; rest = rest.slice(pieceOf(rest.length)))
      await this.#evaluate(rest.slice(0, pieceOf(rest.length)), check);
    return rest;
  }

  /** Whether the shared beginning of this prompt is there already. */
  keeps(prompt: Prompt): boolean {
    const beginning = beginningOf(prompt);
    return (
      beginning.length > 0 &&
      beginning.length === this.#kept.length &&
      beginning.every((token, index) => token === this.#kept[index])
    );
  }

  /** How many tokens of this prompt would have to be evaluated. */
  left(prompt: Prompt): number {
    return prompt.tokens.length - (this.keeps(prompt) ? beginningOf(prompt).length : 0);
  }

  /** Leaves the kept beginning alone in the sequence. */
  async returnToKept(): Promise<void> {
    if (this.sequence.nextTokenIndex > this.#kept.length) await this.returnTo(this.#kept.length);
  }

  /** For whoever uses the sequence besides: what it holds is no prompt of ours any more. */
  forget(): void {
    this.#kept = [];
  }

  /** Forgets everything after the first `length` tokens. */
  async returnTo(length: number): Promise<void> {
    await this.sequence.eraseContextTokenRanges([{ start: length, end: this.sequence.nextTokenIndex }]);
  }

  async #evaluate(tokens: readonly Token[], check: () => void): Promise<void> {
    await this.sequence.evaluateWithoutGeneratingNewTokens([...tokens]);
    check();
  }
}

const beginningOf = ({ tokens, shared }: Prompt): readonly Token[] =>
  tokens.slice(0, Math.min(shared, tokens.length - 1));

/** The sampler takes 32 bits, of which the highest value means "choose one yourself". */
const SAMPLER_SEEDS = 0xffff_ffff;
/** Usual cut of the tail when sampling is not greedy; small judges otherwise wander off. */
const TOP_K = 40;
const TOP_P = 0.95;
const ALL_TOKENS = 0; // llama.cpp's word for a top-k that cuts nothing

export type Sampling = {
  seed: number;
  temperature: number;
  /** As a protocol states it, of any number of tokens; TOP_K and TOP_P when absent. */
  topP?: number;
};
export type Limits = {
  maxTokens: number;
  stop: string[];
  /** So many tokens of one passage over and over end an answer; any number may repeat where this is absent. */
  loopTokens?: number;
};

export function samplerOf({ seed, temperature, topP }: Sampling): SequenceEvaluateOptions {
  return {
    temperature,
    ...(topP === undefined ? { topK: TOP_K, topP: TOP_P } : { topK: ALL_TOKENS, topP }),
    seed: seed % SAMPLER_SEEDS,
    yieldEogToken: true,
  };
}

/** A passage has to come so many times in a row to be a loop. */
const LOOP_PASSAGES = 8;
const LOOK_FOR_LOOP_EVERY = 16;

/** The least p for which every element is the one p places before it; the length where nothing repeats (Knuth, Morris and Pratt). */
export function smallestPeriod(tokens: readonly number[]): number {
  const border = new Array<number>(tokens.length).fill(0);
  for (let index = 1, length = 0; index < tokens.length; index += 1) {
    while (length > 0 && tokens[index] !== tokens[length]) length = border[length - 1] as number;
    if (tokens[index] === tokens[length]) length += 1;
    border[index] = length;
  }
  return tokens.length - (border.at(-1) ?? 0);
}

/** What a model has written of an answer so far, and whether that is all of it. */
export class PartialAnswer {
  readonly tokens: Token[] = [];
  readonly #model: LlamaModel;
  readonly #limits: Limits;

  constructor(model: LlamaModel, limits: Limits) {
    this.#model = model;
    this.#limits = limits;
  }

  /** Takes the next token. Returns the answer when it ends there, else null. */
  add(token: Token): Pick<SupervisorCompletion, 'text' | 'tokensOut' | 'stopReason'> | null {
    const ended = (
      text: string,
      stopReason: SupervisorCompletion['stopReason'],
    ): ReturnType<PartialAnswer['add']> => ({ text, tokensOut: this.tokens.length, stopReason });
    if (this.#model.isEogToken(token)) return ended(this.#model.detokenize(this.tokens), 'end');
    this.tokens.push(token);
    const cut = this.#cutAtStop();
    if (cut !== null) return ended(cut, 'stop');
    if (this.#repeatsItself()) return ended(this.#model.detokenize(this.tokens), 'loop');
    return this.tokens.length >= this.#limits.maxTokens
      ? ended(this.#model.detokenize(this.tokens), 'length')
      : null;
  }

  #repeatsItself(): boolean {
    const { loopTokens } = this.#limits;
    return (
      loopTokens !== undefined &&
      this.tokens.length >= loopTokens &&
      this.tokens.length % LOOK_FOR_LOOP_EVERY === 0 &&
      smallestPeriod(this.tokens.slice(-loopTokens)) <= loopTokens / LOOP_PASSAGES
    );
  }

  /** Text before the first stop string, or null while none has appeared. */
  #cutAtStop(): string | null {
    const { stop } = this.#limits;
    if (stop.length === 0) return null;
    const text = this.#model.detokenize(this.tokens);
    const places = stop.map((word) => text.indexOf(word)).filter((place) => place !== -1);
    return places.length === 0 ? null : text.slice(0, Math.min(...places));
  }
}
