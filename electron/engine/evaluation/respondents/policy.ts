import { Failure } from '../../../contract/index.ts';
import {
  isProcessLost,
  ProcessFailure,
  type GenerateItem,
  type Loaded,
  type LoadRequest,
  type TrainerClient,
} from '../../../processes/index.ts';
import { cutAtStops, type Asked, type Given, type Respondent } from './respondent.ts';

const ATTEMPTS = 3;
/** Of one request to the trainer. */
const REQUEST_CHARACTERS = 2_000_000;

/**
 * A policy that only answers. Requests of several suites share the trainer's continuous batch, in which a row is computed the same
 * with and without neighbours. Losing the process repeats the questions at hand, which gives the same answers.
 */
export class PolicyRespondent implements Respondent {
  readonly together = 1;
  readonly #trainer: TrainerClient;
  readonly #load: LoadRequest;
  #weightsSha256 = '';
  #requests = 0;
  /** Counts the processes that were loaded, so that two requests that lose one start only one anew. */
  #life = 0;
  #reviving: Promise<void> | null = null;

  constructor(trainer: TrainerClient, load: LoadRequest) {
    this.#trainer = trainer;
    this.#load = load;
  }

  get weightsSha256(): string {
    return this.#weightsSha256;
  }

  async load(): Promise<Loaded> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > 1) await this.#trainer.ensureRunning();
        const loaded = await this.#trainer.load(this.#load);
        this.#weightsSha256 = loaded.weightsSha256;
        return loaded;
      } catch (error) {
        if (!isProcessLost(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async answer(
    asked: readonly Asked[],
    protocol: Parameters<Respondent['answer']>[1],
    onAnswer: (given: Given) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (const part of partsOf(asked)) {
      const open = new Map(part.map((one) => [one.key, one]));
      const given = (answer: Given): void => {
        if (open.delete(answer.key)) onAnswer(answer);
      };
      for (let attempt = 1; open.size > 0; attempt += 1) {
        signal.throwIfAborted();
        const life = this.#life;
        try {
          await this.#generate([...open.values()], protocol, given, signal);
        } catch (error) {
          const tooLong = keysTooLong(error);
          for (const key of tooLong) given({ key, text: '', newTokens: 0, finish: 'too-long' });
          if (tooLong.length > 0) continue;
          if (!isProcessLost(error) || attempt === ATTEMPTS) throw error;
          await this.#revive(life);
        }
        signal.throwIfAborted();
      }
    }
  }

  async #generate(
    asked: readonly Asked[],
    { temperature, topP, maxNewTokens }: Parameters<Respondent['answer']>[1],
    given: (answer: Given) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const stops = new Map(asked.map(({ key, question }) => [key, question.stops]));
    const stop = [...new Set([...stops.values()].flat())];
    await this.#trainer.generate(
      {
        opKey: `eval-${(this.#requests += 1)}`,
        keep: false,
        items: await this.#items(asked),
        sampling: { temperature, topP, topK: 0, maxNewTokens, ...(stop.length === 0 ? {} : { stop }) },
      },
      {
        signal,
        onRollout: ({ key, text, newTokens, finish }) => {
          if (finish !== 'cancel')
            given({ key, text: cutAtStops(text, stops.get(key) ?? []), newTokens, finish });
        },
      },
    );
  }

  /** An answer whose beginning is given is continued from tokens: templates close every turn that they write. */
  async #items(asked: readonly Asked[]): Promise<GenerateItem[]> {
    const begun = asked.filter(
      ({ question }) => !question.raw && question.messages.at(-1)?.role === 'assistant',
    );
    const turns = await this.#trainer.tokenIds(
      begun.map(({ question }) => ({ messages: question.messages.slice(0, -1) })),
    );
    const beginnings = await this.#trainer.tokenIds(
      begun.map(({ question }) => ({ prompt: question.messages.at(-1)?.content ?? '' })),
    );
    const tokens = new Map(
      begun.map(({ key }, index) => [key, joined(turns[index] ?? [], beginnings[index] ?? [])]),
    );
    return asked.map(({ key, question, seed }): GenerateItem => {
      const tokenIds = tokens.get(key);
      if (tokenIds !== undefined) return { key, seed, tokenIds };
      return question.raw
        ? { key, seed, prompt: question.messages[0]?.content ?? '' }
        : { key, seed, messages: question.messages };
    });
  }

  /** Two suites may lose the same process; one of them starts it again for both. */
  async #revive(life: number): Promise<void> {
    if (life !== this.#life) return;
    this.#reviving ??= (async () => {
      await this.#trainer.ensureRunning();
      await this.load();
      this.#life += 1;
    })().finally(() => {
      this.#reviving = null;
    });
    await this.#reviving;
  }
}

/** Some tokenizers begin every text with a marker; in the middle of a conversation it has no place. */
function joined(turns: readonly number[], beginning: readonly number[]): number[] {
  const repeatsMarker = beginning.length > 1 && beginning[0] === turns[0];
  return [...turns, ...(repeatsMarker ? beginning.slice(1) : beginning)];
}

function* partsOf(asked: readonly Asked[]): Generator<Asked[]> {
  let [part, characters]: [Asked[], number] = [[], 0];
  for (const one of asked) {
    const length = one.question.messages.reduce((sum, { content }) => sum + content.length, 0);
    if (part.length > 0 && characters + length > REQUEST_CHARACTERS) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(one);
    characters += length;
  }
  if (part.length > 0) yield part;
}

/** The trainer names the questions that are too long before it answers any. */
function keysTooLong(error: unknown): string[] {
  if (!(error instanceof ProcessFailure) || error.kind !== 'promptTooLong') return [];
  const { keys } = (error.detail ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0) throw new Failure('promptTooLong', error.message);
  return keys.map(String);
}
