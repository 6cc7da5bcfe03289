import {
  ProcessFailure,
  type ChatMessage,
  type SupervisorClient,
  type SupervisorCompletion,
} from '../processes/index.ts';
import {
  cutAtStops,
  sampleSeveral,
  type Sample,
  type SampleOptions,
  type SampleRequest,
  type SamplingLimits,
  type WatchedSampler,
  type WatchedToken,
} from './port.ts';

/** The process takes 32 bits. */
const SEED_RANGE = 2 ** 32;
const MOST_STOPS = 16;
/** An answer takes at most this share of the window, so that the question has room too. */
const ANSWER_SHARE = 0.75;
/** For each row that writes, another request waits in the process, so that none is ever empty. */
const WAITING_PER_ROW = 1;

/** How a GGUF model was loaded to answer. */
export type GgufRows = {
  /** Tokens of prompt and answer together. */
  contextTokens: number;
  /** Answers written side by side. */
  rows: number;
  /** Tokens of one passage over and over that end an answer. */
  loopTokens: number;
};

/** A GGUF model that answers. A lost process is started again by its client, for its answers depend on model and request alone. */
export class GgufSampler implements WatchedSampler {
  readonly #client: SupervisorClient;
  readonly #loaded: GgufRows;

  constructor(client: SupervisorClient, loaded: GgufRows) {
    this.#client = client;
    this.#loaded = loaded;
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
    const failed = new AbortController();
    const ending = AbortSignal.any([signal, failed.signal]);
    // Among several at work the one that ends the process cannot be told, so each is asked once more by itself.
    const suspects: SampleRequest[] = [];
    const queue = requests.values();
    const ask = async (): Promise<void> => {
      for (const request of queue) {
        ending.throwIfAborted();
        const sample = await this.#answer(request, limits, 'together', ending);
        if (sample === null) suspects.push(request);
        else onSample(sample);
      }
    };
    const asking = Array.from({ length: this.#loaded.rows * (1 + WAITING_PER_ROW) }, () =>
      ask().catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    );
    await Promise.allSettled(asking);
    signal.throwIfAborted();
    await Promise.all(asking);
    for (const request of suspects)
      onSample((await this.#answer(request, limits, 'alone', signal)) ?? unanswered(request.key, 'error'));
  }

  async watch(
    request: SampleRequest,
    limits: SamplingLimits,
    alternatives: number,
    onToken: (token: WatchedToken) => void,
    signal: AbortSignal,
  ): Promise<Sample> {
    const { text, tokensOut, stopReason } = await this.#complete(request, limits, signal, {
      alternatives,
      onToken,
    });
    const finish = stopReason === 'length' || stopReason === 'loop' ? stopReason : 'stop';
    return { key: request.key, text, newTokens: tokensOut, finish };
  }

  #complete(
    { messages, raw, stops, seed }: SampleRequest,
    { temperature, topP, maxNewTokens, contextTokens = this.#loaded.contextTokens }: SamplingLimits,
    signal: AbortSignal,
    how: { side: 'together' | 'alone' } | { alternatives: number; onToken: (token: WatchedToken) => void },
  ): Promise<SupervisorCompletion> {
    const request = {
      ...(raw ? { prompt: messages[0]?.content ?? '' } : { messages }),
      seed: seed % SEED_RANGE,
      ...(stops.length === 0 ? {} : { stop: stops.slice(0, MOST_STOPS) }),
      maxTokens: Math.min(maxNewTokens, Math.floor(contextTokens * ANSWER_SHARE)),
      contextSize: contextTokens,
      temperature,
      topP,
      loopTokens: this.#loaded.loopTokens,
    };
    return 'side' in how
      ? this.#client.complete({ ...request, ...how }, signal)
      : this.#client.complete({ ...request, alternatives: how.alternatives }, signal, how.onToken);
  }

  /** Null when the process was lost over it again and again. */
  async #answer(
    request: SampleRequest,
    limits: SamplingLimits,
    side: 'together' | 'alone',
    signal: AbortSignal,
  ): Promise<Sample | null> {
    const { key, stops } = request;
    try {
      const { text, tokensOut, stopReason } = await this.#complete(request, limits, signal, { side });
      const finish = stopReason === 'length' || stopReason === 'loop' ? stopReason : 'stop';
      return { key, text: cutAtStops(text, stops), newTokens: tokensOut, finish };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ProcessFailure)) throw error;
      if (error.kind === 'promptTooLong') return unanswered(key, 'too-long');
      if (error.kind === 'requestKillsProcess' || error.kind === 'hung') return null;
      throw error;
    }
  }
}

const unanswered = (key: string, finish: 'too-long' | 'error'): Sample => ({
  key,
  text: '',
  newTokens: 0,
  finish,
});
