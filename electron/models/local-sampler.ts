import { Failure } from '../contract/index.ts';
import {
  ProcessFailure,
  type ChatMessage,
  type DrawnToken,
  type PromptItem,
  type TrainerClient,
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

/** Of one request to the trainer. */
const REQUEST_CHARACTERS = 2_000_000;

/** What whoever uses the weights in a trainer process sees of the process. */
export type TrainerProcess = {
  client: TrainerClient;
  /** Which of the weight sets that the process holds is meant. */
  weights: string;
  /**
   * Repeats `action` on a fresh process when the present one is lost. What the process holds is loaded again first.
   * @throws Failure `trainerLost` after the fourth loss.
   */
  repeatOnLoss: <T>(
    operation: string,
    action: () => Promise<T>,
    onRecovery: (operation: string, why: string) => void,
  ) => Promise<T>;
  /** Says how these weights are loaded again when the process is lost; null where none are loaded any more. */
  hold: (reload: (() => Promise<unknown>) | null) => void;
};

/**
 * Answers of the weights that a trainer process holds. Requests share the trainer's continuous batch, in which a row is computed the
 * same with and without neighbours. Losing the process repeats the requests at hand, which gives the same answers.
 */
export class LocalSampler implements WatchedSampler {
  protected readonly process: TrainerProcess;
  protected readonly onRecovery: (operation: string, why: string) => void;
  #calls = 0;

  /** @param onRecovery called when a lost process makes an operation start over. */
  constructor(process: TrainerProcess, onRecovery: (operation: string, why: string) => void = () => {}) {
    this.process = process;
    this.onRecovery = onRecovery;
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
    for (const part of partsOf(requests)) {
      const open = new Map(part.map((one) => [one.key, one]));
      const answered = (sample: Sample): void => {
        if (open.delete(sample.key)) onSample(sample);
      };
      await this.repeat('answers', async () => {
        while (open.size > 0) {
          signal.throwIfAborted();
          try {
            await this.#generate([...open.values()], limits, answered, signal);
          } catch (error) {
            const tooLong = keysTooLong(error);
            if (tooLong.length === 0) throw error;
            for (const key of tooLong) answered({ key, text: '', newTokens: 0, finish: 'too-long' });
          }
          signal.throwIfAborted();
        }
      });
    }
  }

  async watch(
    request: SampleRequest,
    limits: SamplingLimits,
    alternatives: number,
    onToken: (token: WatchedToken) => void,
    signal: AbortSignal,
  ): Promise<Sample> {
    let answer: Sample | null = null;
    await this.repeat('an answer', async () => {
      signal.throwIfAborted();
      await this.#generate([request], limits, (sample) => (answer = sample), signal, {
        alternatives,
        onToken: (told) =>
          onToken({
            position: told.position,
            text: told.text,
            probability: Math.exp(told.logp),
            alternatives: told.alternatives.map(({ text, logp }) => ({ text, probability: Math.exp(logp) })),
          }),
      });
    });
    signal.throwIfAborted();
    if (answer === null) throw new Failure('badAnswer', 'The trainer ended a request without its answer.');
    return answer;
  }

  protected repeat<T>(operation: string, action: () => Promise<T>): Promise<T> {
    return this.process.repeatOnLoss(operation, action, this.onRecovery);
  }

  async #generate(
    requests: readonly SampleRequest[],
    { temperature, topP, maxNewTokens, contextTokens }: SamplingLimits,
    answered: (sample: Sample) => void,
    signal: AbortSignal,
    watched?: { alternatives: number; onToken: (token: DrawnToken) => void },
  ): Promise<void> {
    const stops = new Map(requests.map((one) => [one.key, one.stops]));
    const stop = [...new Set([...stops.values()].flat())];
    await this.process.client.generate(
      {
        policy: this.process.weights,
        opKey: `eval-${(this.#calls += 1)}`,
        keep: false,
        items: requests.map(({ key, messages, raw, seed }) => ({
          key,
          seed,
          ...promptOf(raw, messages),
          ...(watched === undefined ? {} : { alternatives: watched.alternatives }),
        })),
        sampling: {
          temperature,
          topP,
          topK: 0,
          maxNewTokens,
          ...(contextTokens === undefined ? {} : { maxSeqTokens: contextTokens }),
          ...(stop.length === 0 ? {} : { stop }),
        },
      },
      {
        signal,
        ...(watched === undefined ? {} : { onToken: watched.onToken }),
        onRollout: ({ key, text, newTokens, finish }) => {
          if (finish !== 'cancel')
            answered({ key, text: cutAtStops(text, stops.get(key) ?? []), newTokens, finish });
        },
      },
    );
  }
}

function promptOf(raw: SampleRequest['raw'], messages: readonly ChatMessage[]): PromptItem {
  const text = messages[0]?.content ?? '';
  if (raw === 'plain') return { plain: text };
  return raw ? { prompt: text } : { messages };
}

function* partsOf(requests: readonly SampleRequest[]): Generator<SampleRequest[]> {
  let [part, characters]: [SampleRequest[], number] = [[], 0];
  for (const one of requests) {
    const length = one.messages.reduce((sum, { content }) => sum + content.length, 0);
    if (part.length > 0 && characters + length > REQUEST_CHARACTERS) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(one);
    characters += length;
  }
  if (part.length > 0) yield part;
}

/** The trainer names the prompts that are too long before it answers any. */
function keysTooLong(error: unknown): string[] {
  if (!(error instanceof ProcessFailure) || error.kind !== 'promptTooLong') return [];
  const { keys } = (error.detail ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0) throw new Failure('promptTooLong', error.message);
  return keys.map(String);
}
