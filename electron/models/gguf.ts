import { ProcessFailure, type ChatMessage, type SupervisorClient } from '../processes/index.ts';
import {
  cutAtStops,
  sampleSeveral,
  type Sample,
  type SampleOptions,
  type Sampler,
  type SampleRequest,
  type SamplingLimits,
} from './port.ts';

/** The process takes 32 bits. */
const SEED_RANGE = 2 ** 32;
const MOST_STOPS = 16;
/** An answer takes at most this share of the window, so that the question has room too. */
const ANSWER_SHARE = 0.75;

/** A GGUF model that answers. A lost process is started again by its client, for its answers depend on model and request alone. */
export class GgufSampler implements Sampler {
  readonly batchSize: number;
  readonly #client: SupervisorClient;
  readonly #contextTokens: number;

  /** @param loaded how: `contextTokens` of prompt and answer together, and how many requests it takes as one batch */
  constructor(client: SupervisorClient, loaded: { contextTokens: number; batchSize: number }) {
    this.#client = client;
    this.batchSize = loaded.batchSize;
    this.#contextTokens = loaded.contextTokens;
  }

  sample(messages: readonly ChatMessage[], n: number, options: SampleOptions): Promise<Sample[]> {
    return sampleSeveral(this, messages, n, options);
  }

  async sampleEach(
    requests: readonly SampleRequest[],
    limits: SamplingLimits,
    onSample: (sample: Sample) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (let at = 0; at < requests.length; at += this.batchSize) {
      signal.throwIfAborted();
      (await this.#sampleBatch(requests.slice(at, at + this.batchSize), limits, signal)).forEach(onSample);
    }
  }

  async #sampleBatch(
    batch: readonly SampleRequest[],
    limits: SamplingLimits,
    signal: AbortSignal,
  ): Promise<Sample[]> {
    const { temperature, topP, maxNewTokens } = limits;
    const maxTokens = Math.min(maxNewTokens, Math.floor(this.#contextTokens * ANSWER_SHARE));
    const questions = batch.map(({ messages, raw, stops, seed }) => ({
      ...(raw ? { prompt: messages[0]?.content ?? '' } : { messages }),
      seed: seed % SEED_RANGE,
      ...(stops.length === 0 ? {} : { stop: stops.slice(0, MOST_STOPS) }),
    }));
    try {
      const completions = await this.#client.completeTogether(
        { questions, maxTokens, temperature, topP },
        signal,
      );
      return batch.map(({ key, stops }, index) => {
        const completion = completions[index] ?? null;
        if (completion === null) return { key, text: '', newTokens: 0, finish: 'too-long' };
        return {
          key,
          text: cutAtStops(completion.text, stops),
          newTokens: completion.tokensOut,
          finish: completion.stopReason === 'length' ? 'length' : 'stop',
        };
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProcessFailure) || error.kind !== 'requestKillsProcess') throw error;
      // A request that ends the process whenever it is asked costs its neighbours nothing: each is asked alone.
      if (batch.length === 1)
        return batch.map(({ key }) => ({ key, text: '', newTokens: 0, finish: 'error' }));
      const alone: Sample[] = [];
      for (const one of batch) alone.push(...(await this.#sampleBatch([one], limits, signal)));
      return alone;
    }
  }
}
