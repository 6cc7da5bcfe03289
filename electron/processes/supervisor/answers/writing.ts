import type { LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import type { SupervisorCompletion } from '../../supervisor-wire.ts';

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
export type Limits = { maxTokens: number; stop: string[] };

export function samplerOf({ seed, temperature, topP }: Sampling): SequenceEvaluateOptions {
  return {
    temperature,
    ...(topP === undefined ? { topK: TOP_K, topP: TOP_P } : { topK: ALL_TOKENS, topP }),
    seed: seed % SAMPLER_SEEDS,
    yieldEogToken: true,
  };
}

/** What a model has written of an answer so far, and whether that is all of it. */
export class Writing {
  readonly tokens: Token[] = [];
  readonly #model: LlamaModel;
  readonly #limits: Limits;

  constructor(model: LlamaModel, limits: Limits) {
    this.#model = model;
    this.#limits = limits;
  }

  /** Takes the next token. Returns the answer when it ends there, else null. */
  take(token: Token): Pick<SupervisorCompletion, 'text' | 'tokensOut' | 'stopReason'> | null {
    const ended = (
      text: string,
      stopReason: SupervisorCompletion['stopReason'],
    ): ReturnType<Writing['take']> => ({ text, tokensOut: this.tokens.length, stopReason });
    if (this.#model.isEogToken(token)) return ended(this.#model.detokenize(this.tokens), 'end');
    this.tokens.push(token);
    const cut = this.#cutAtStop();
    if (cut !== null) return ended(cut, 'stop');
    return this.tokens.length >= this.#limits.maxTokens
      ? ended(this.#model.detokenize(this.tokens), 'length')
      : null;
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
