import type {
  CustomBatchingPrioritizationStrategy,
  EvaluationPriority,
  LlamaContextSequence,
  LlamaGrammarEvaluationState,
  LlamaModel,
  Token,
} from 'node-llama-cpp';
import type { SupervisorCompletion } from '../supervisor-wire.ts';
import { throwIfCancelled, tooLate } from './generation.ts';
import {
  type Limits,
  PartialAnswer,
  type Prompt,
  PromptedSequence,
  samplerOf,
  type Sampling,
} from './sequence.ts';
import type { ThreadChoice } from './cores.ts';
import type { Watchdog } from './watchdog.ts';

export type RowRequest = Sampling &
  Limits & {
    prompt: Prompt;
    /** Makes a state of the grammar that has seen nothing yet; null for free text. */
    grammar: (() => LlamaGrammarEvaluationState) | null;
    /** Of computing: what its rounds and its prompt took, not what it waited; null for no limit. */
    timeoutMs: number | null;
    /** It may take so many times what the measured speed lets expect, where that is more than timeoutMs. */
    patience?: number;
    /** Nobody is seated beside it, because it was there when native code hung. */
    alone: boolean;
    signal: AbortSignal;
  };

type Seated = {
  request: RowRequest;
  writing: PartialAnswer;
  usefulMs: number;
  /** Infinity for no limit. */
  limitMs: number;
  resolve: (completion: SupervisorCompletion) => void;
  reject: (error: unknown) => void;
};
type Waiting = Omit<Seated, 'writing' | 'usefulMs' | 'limitMs'>;

/**
 * Puts a round's tokens into the batch in the order of its rows, however their requests came in. A batch whose sequences are in another
 * order is put right by llama.cpp at the first access to its outputs; several rows are sampled at once, in threads of their own, and
 * one that looks meanwhile is given the numbers of another. For every context that rows are made of.
 */
export const inOrderOfRows: CustomBatchingPrioritizationStrategy = ({ items, size }) => {
  let left = size;
  return items
    .toSorted((a, b) => a.evaluationPriority - b.evaluationPriority)
    .flatMap((item) => {
      const processAmount = Math.min(item.tokens.length, left);
      left -= processAmount;
      return processAmount > 0 ? [{ item, processAmount }] : [];
    });
};

/** An empty row's tokens are thrown away; it begins anew before they fill its part of the context. */
const IDLE_TOKENS = 48;

/**
 * Answers written side by side, one token of each a round. A round always has the same number of rows: empty ones are filled up with a
 * token nobody reads. In rounds of one size and order a row's numbers depend on its own tokens alone, bit for bit (the kernels of llama.cpp
 * are chosen by the number of rows, and every sequence has a cache of its own), so an answer is a function of its prompt whoever
 * sits beside it, and requests may come and go as they like. Prompts are evaluated one at a time, each alone over the beginning that
 * its row has kept.
 */
export class AnswerRows {
  readonly #model: LlamaModel;
  readonly #rows: Row[];
  readonly #waiting: Waiting[] = [];
  readonly #inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #watchdog: Watchdog;
  readonly #threads: ThreadChoice;
  #running = false;

  /** @param inTurn runs native work when nothing else of this context is at work. */
  constructor(
    model: LlamaModel,
    sequences: readonly LlamaContextSequence[],
    { watchdog, threads }: { watchdog: Watchdog; threads: ThreadChoice },
    inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  ) {
    this.#model = model;
    this.#rows = sequences.map((sequence, index) => new Row(model, sequence, index));
    this.#watchdog = watchdog;
    this.#threads = threads;
    this.#inTurn = inTurn;
  }

  write(request: RowRequest): Promise<SupervisorCompletion> {
    const { promise, resolve, reject } = Promise.withResolvers<SupervisorCompletion>();
    this.#waiting.push({ request, resolve, reject });
    if (!this.#running) {
      this.#running = true;
      void this.#run().catch((error: unknown) => this.#failAll(error));
    }
    return promise;
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0 || this.#seated().length > 0) {
        for (let row = this.#freeRow(); row !== null; row = this.#freeRow()) {
          const next = this.#waiting.shift() as Waiting;
          const free = row;
          await this.#inTurn(() => this.#seat(free, next));
        }
        if (this.#seated().length > 0) await this.#inTurn(() => this.#round());
      }
    } finally {
      this.#running = false;
    }
  }

  #seated(): Row[] {
    return this.#rows.filter(({ seated }) => seated !== null);
  }

  /** Where the next request may sit; null when it has to wait or when there is none. */
  #freeRow(): Row | null {
    const [next] = this.#waiting;
    const seated = this.#seated();
    const apart = next?.request.alone === true || seated.some((row) => row.seated?.request.alone === true);
    if (next === undefined || (apart && seated.length > 0)) return null;
    // The row that has kept the beginning of this prompt need not evaluate it again.
    const free = this.#rows.filter((row) => row.seated === null);
    return free.find(({ sequence }) => sequence.keeps(next.request.prompt)) ?? free[0] ?? null;
  }

  async #seat(row: Row, { request, resolve, reject }: Waiting): Promise<void> {
    const started = performance.now();
    const promptTokens = row.sequence.left(request.prompt);
    try {
      throwIfCancelled(request.signal);
      await this.#watchdog.guard((tick) =>
        this.#threads.time('prompt', promptTokens, () =>
          row.begin(request, () => {
            tick();
            throwIfCancelled(request.signal);
          }),
        ),
      );
      const usefulMs = performance.now() - started;
      const writing = new PartialAnswer(this.#model, request);
      const { timeoutMs, patience, maxTokens } = request;
      const limitMs =
        timeoutMs === null
          ? Infinity
          : this.#threads.limitMs({ timeoutMs, patience }, { prompt: promptTokens, answer: maxTokens });
      row.seated = { request, writing, usefulMs, limitMs, resolve, reject };
    } catch (error) {
      await row.leave();
      reject(error);
    }
  }

  async #round(): Promise<void> {
    const started = performance.now();
    for (const row of this.#rows) if (row.seated === null) await row.idle();
    const next = await this.#watchdog.guard(async (tick) => {
      const tokens = await this.#threads.time('round', 1, () =>
        Promise.all(this.#rows.map((row) => row.next())),
      );
      tick();
      return tokens;
    });
    const seated = this.#seated();
    const share = (performance.now() - started) / seated.length;
    for (const [index, row] of this.#rows.entries()) {
      if (row.seated === null) continue;
      row.seated.usefulMs += share;
      await this.#take(row, row.seated, next[index] as Token);
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    }); // the batch before is put away by then
  }

  async #take(row: Row, seated: Seated, token: Token): Promise<void> {
    const { request, writing, usefulMs, limitMs } = seated;
    try {
      throwIfCancelled(request.signal);
      const end = writing.add(token);
      if (end === null && usefulMs > limitMs) throw tooLate(limitMs);
      if (end === null) return;
      await row.leave();
      seated.resolve({ ...end, tokensIn: request.prompt.tokens.length, milliseconds: usefulMs });
    } catch (error) {
      await row.leave();
      seated.reject(error);
    }
  }

  #failAll(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    for (const row of this.#seated()) {
      row.seated?.reject(error);
      row.seated = null;
    }
  }
}

/** One sequence of the context, with the answer that is written in it or with nothing that matters. */
class Row {
  readonly sequence: PromptedSequence;
  seated: Seated | null = null;
  readonly #filler: Token;
  /** The library names five priorities and compares numbers. */
  readonly #place: EvaluationPriority;
  #tokens: AsyncGenerator<Token, void> | null = null;
  #idleTokens = 0;

  /** @param index rises with the sequences' own numbers */
  constructor(model: LlamaModel, sequence: LlamaContextSequence, index: number) {
    this.#place = (index + 1) as EvaluationPriority;
    this.sequence = new PromptedSequence(sequence);
    this.#filler = model.tokenize('\n', false)[0] as Token;
  }

  async begin({ prompt, grammar, ...sampling }: RowRequest, check: () => void): Promise<void> {
    await this.leave();
    const rest = await this.sequence.begin(prompt, check);
    const { sequence } = this.sequence;
    if (rest.length > 1) await sequence.evaluateWithoutGeneratingNewTokens(rest.slice(0, -1));
    check();
    this.#tokens = sequence.evaluate(rest.slice(-1), {
      ...samplerOf(sampling),
      evaluationPriority: this.#place,
      grammarEvaluationState: grammar?.(),
    });
  }

  /** Makes sure that there is a token to be computed and thrown away. */
  async idle(): Promise<void> {
    if (this.#tokens !== null && this.#idleTokens < IDLE_TOKENS) return;
    await this.leave();
    await this.sequence.returnToKept();
    this.#tokens = this.sequence.sequence.evaluate([this.#filler], {
      temperature: 0,
      evaluationPriority: this.#place,
      yieldEogToken: true,
    });
  }

  async next(): Promise<Token | null> {
    if (this.seated === null) this.#idleTokens++;
    const { value } = (await this.#tokens?.next()) ?? {};
    return value ?? null;
  }

  async leave(): Promise<void> {
    const tokens = this.#tokens;
    this.#tokens = null;
    this.seated = null;
    this.#idleTokens = 0;
    await tokens?.return();
  }
}
