import { rolloutSeed } from '../core/index.ts';
import type { Answer } from '../evaluation/index.ts';
import { isProcessLost, type Loaded, type LoadRequest, type TrainerClient } from '../processes/index.ts';

/** Longest traced answer of the held-out items is below 150. */
export const ANSWER_TOKENS = 192;

const ATTEMPTS = 3;

type Questions = Parameters<Answer>[0];
type Answers = Awaited<ReturnType<Answer>>;
type Part = { number: number; questions: Questions; temperature: number; answered: PromiseWithResolvers<Answers> };

/** A policy that only answers. Losing its process repeats the questions at hand, which gives the same answers. */
export class AnsweringPolicy {
  readonly #trainer: TrainerClient;
  readonly #load: LoadRequest;
  readonly #seed: number;
  readonly #signal: AbortSignal | undefined;

  constructor(trainer: TrainerClient, load: LoadRequest, seed: number, signal?: AbortSignal) {
    this.#trainer = trainer;
    this.#load = load;
    this.#seed = seed;
    this.#signal = signal;
  }

  load(): Promise<Loaded> {
    return this.#insist(() => this.#trainer.load(this.#load), false);
  }

  /**
   * Askers for `count` suites, which go to the policy together once all have asked: answers do not depend on each other, and
   * the rows one suite leaves free towards its end answer the next. Each is told as soon as its own answers are complete.
   */
  together(count: number): (part: number) => Answer {
    const parts: Part[] = [];
    return (number) => (questions, temperature) => {
      const answered = Promise.withResolvers<Answers>();
      parts.push({ number, questions, temperature, answered });
      if (parts.length === count) this.#answerAll(parts.toSorted((a, b) => a.number - b.number)).catch((error: unknown) => parts.forEach((part) => part.answered.reject(error)));
      return answered.promise;
    };
  }

  async #answerAll(parts: readonly Part[]): Promise<void> {
    for (const temperature of new Set(parts.map((part) => part.temperature))) {
      await this.#insist(() => this.#answerBatch(parts.filter((part) => part.temperature === temperature), temperature), true);
    }
  }

  /** The noise of an answer depends on the seed and the item's place in its suite alone, so two policies meet the same noise. */
  async #answerBatch(parts: readonly Part[], temperature: number): Promise<void> {
    this.#signal?.throwIfAborted();
    const gathered = new Map(parts.map((part): [string, { part: Part; answers: Answers }] => [String(part.number), { part, answers: new Map() }]));
    const items = parts.flatMap(({ number, questions }) => questions.map(({ key, messages }, index) => ({ key: `${number}/${key}`, messages, seed: rolloutSeed(this.#seed, 'evaluation', index) })));
    for (const { questions, answered } of parts) if (questions.length === 0) answered.resolve(new Map());
    if (items.length === 0) return;
    await this.#trainer.generate({ opKey: 'eval', keep: false, sampling: { temperature, topP: 1, topK: 0, maxNewTokens: ANSWER_TOKENS }, items }, {
      signal: this.#signal,
      onRollout: ({ key, text, newTokens, finish }) => {
        const cut = key.indexOf('/');
        const own = gathered.get(key.slice(0, cut));
        if (own === undefined || finish === 'cancel') return;
        own.answers.set(key.slice(cut + 1), { text, newTokens });
        if (own.answers.size === own.part.questions.length) own.part.answered.resolve(own.answers);
      },
    });
    this.#signal?.throwIfAborted();
  }

  async #insist<T>(action: () => Promise<T>, loaded: boolean): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > 1) {
          await this.#trainer.ensureRunning();
          if (loaded) await this.#trainer.load(this.#load);
        }
        return await action();
      } catch (error) {
        if (!isProcessLost(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }
}
