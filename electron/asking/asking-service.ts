import {
  ASKED_ALTERNATIVES,
  Failure,
  type AnswerToken,
  type AskedAnswer,
  type AskedQuestion,
  type AskedSide,
  type AskingOrder,
  type FailureKind,
  type OpenQuestion,
} from '../contract/index.ts';
import { resolveSubject, type ResolvedSubject } from '../evaluation/index.ts';
import type { WatchedToken } from '../models/index.ts';
import { keyOf, LoadedModels, type AskedModel } from './loaded-models.ts';
import { putQuestion, sampleRequest, type PutQuestion } from './put-question.ts';
import type { AskingServices } from './services.ts';

/** A window repaints ten times a second; tokens in between travel together. */
const EMIT_EVERY_MS = 80;
/** Questions that may wait for their answers; more would only be forgotten. */
const MOST_OPEN = 4;
/** What a process says that was lost while it answered. */
const LOST: readonly FailureKind[] = [
  'trainerLost',
  'processLost',
  'requestKillsProcess',
  'hung',
  'crashLoop',
];

type Side = { resolved: ResolvedSubject; put: PutQuestion };
type Open = { told: OpenQuestion; stop: AbortController; ended: Promise<AskedQuestion> };

/** Questions that a person asks of one or two models. One is answered after the other; each is a record once its answers have ended. */
export class AskingService {
  readonly #services: AskingServices;
  readonly #models: LoadedModels;
  readonly #open = new Map<string, Open>();
  #last: Promise<unknown> = Promise.resolve();
  #next = 1;

  constructor(services: AskingServices, models = new LoadedModels(services)) {
    this.#services = services;
    this.#models = models;
  }

  /** Questions whose answers have not ended, in the order they were asked. */
  open(): OpenQuestion[] {
    return [...this.#open.values()].map(({ told }) => told);
  }

  /** Loads what will be asked, so that the first answer begins at once. @throws Failure with the reason why it cannot be asked. */
  async prepare(references: readonly string[]): Promise<void> {
    const keys: string[] = [];
    for (const reference of references) {
      const resolved = await resolveSubject(this.#services, reference);
      await this.#models.take(resolved, keys);
      keys.push(keyOf(resolved));
    }
  }

  /** The lines of the context that a checkpoint's run had reached; null for a model of the library, or where there is none yet. */
  async contextOf(reference: string): Promise<{ step: number; hash: string; lines: string[] } | null> {
    const { subject } = await resolveSubject(this.#services, reference);
    if (subject.runId === null || subject.step === null) return null;
    const record = this.#services.storeOf(subject.runId).getContext(subject.runId, subject.step + 1);
    return record === null
      ? null
      : { step: record.step, hash: record.hash, lines: record.lines.map(({ text }) => text) };
  }

  /**
   * Puts a question; `endOf` tells what becomes of it, live events how it goes on.
   * @throws Failure (exit code 2) for what nobody can answer: a checkpoint that was dropped, a context that is not there.
   */
  async ask(order: AskingOrder): Promise<OpenQuestion> {
    if (this.open().filter(({ problem }) => problem === null).length >= MOST_OPEN)
      throw new Failure(
        'tooManyJobs',
        `${MOST_OPEN} questions wait for their answers; wait, or cancel one.`,
        2,
      );
    const { store, clock } = this.#services;
    const before = order.after === null ? null : store.requireAsked(order.after);
    const sides: Side[] = [];
    for (const [index, side] of order.sides.entries())
      sides.push(await this.#side(order, side, before, index));
    const asked = clock.now();
    const id = `ask-${asked.toISOString().replaceAll(/[-:.TZ]/g, '')}-${String(this.#next++).padStart(4, '0')}`;
    const told: OpenQuestion = {
      id,
      turn: (before?.turn ?? 0) + 1,
      after: order.after,
      askedAt: asked.toISOString(),
      question: order.question,
      settings: order.settings,
      sides: sides.map(({ resolved: { subject }, put: { frame, context, messages } }) => ({
        subject,
        frame,
        context,
        messages,
        state: 'waiting',
        tokens: [],
      })),
      problem: null,
    };
    const stop = new AbortController();
    const ended = this.#last.then(() => this.#answer(told, sides, stop.signal));
    this.#last = ended.catch(() => {});
    this.#open.set(id, { told, stop, ended });
    this.#services.emit({ kind: 'changed', what: 'asking', runId: null });
    return told;
  }

  /** Resolves with the question once all of its answers have ended. @throws Failure `unknownQuestion` (exit code 2), or why it was not stored. */
  async endOf(id: string): Promise<AskedQuestion> {
    return (await this.#open.get(id)?.ended) ?? this.#services.store.requireAsked(id);
  }

  /** Ends the answers at once; what was written stays. One that has ended stays as it is. */
  cancel(id: string): void {
    this.#open.get(id)?.stop.abort();
  }

  /** @throws Failure `unknownQuestion` (exit code 2). */
  remove(ids: readonly string[]): void {
    for (const id of ids) {
      const open = this.#open.get(id);
      if (open?.told.problem != null) this.#open.delete(id);
      else this.#services.store.removeAsked(id);
    }
    this.#services.emit({ kind: 'changed', what: 'asking', runId: null });
  }

  async close(): Promise<void> {
    for (const { stop } of this.#open.values()) stop.abort();
    await this.#last;
    await this.#models.close();
  }

  async #side(
    { question, sides }: AskingOrder,
    side: AskedSide,
    before: AskedQuestion | null,
    index: number,
  ): Promise<Side> {
    const resolved = await resolveSubject(this.#services, side.subject);
    const earlier = before?.answers[index] ?? null;
    if (before !== null && (earlier === null || before.answers.length !== sides.length))
      throw new Failure(
        'usage',
        'This conversation was led with another number of models; begin a new one.',
        2,
      );
    return { resolved, put: putQuestion(this.#services, resolved, side, question, earlier) };
  }

  async #answer(told: OpenQuestion, sides: readonly Side[], signal: AbortSignal): Promise<AskedQuestion> {
    const keys = sides.map(({ resolved }) => keyOf(resolved));
    // All are loaded before any answers: a process that answers loads nothing meanwhile.
    const ready: Ready[] = [];
    for (const [index, { resolved }] of sides.entries()) {
      if (!signal.aborted) this.#move(told, index, 'loading');
      ready.push(await settled(aborting(this.#models.take(resolved, keys), signal)));
    }
    const answers = await Promise.all(
      sides.map((side, index) => this.#answerOf(told, side, index, ready[index]!, signal)),
    );
    const { id, turn, after, askedAt, question, settings } = told;
    const asked: AskedQuestion = { id, turn, after, askedAt, question, settings, answers };
    try {
      this.#services.store.putAsked(
        asked,
        told.sides.map(({ tokens }) => tokens),
      );
      this.#open.delete(id);
    } catch (error) {
      told.problem = `The answers were not stored: ${error instanceof Error ? error.message : String(error)}`;
      throw error;
    } finally {
      this.#services.emit({ kind: 'changed', what: 'asking', runId: null });
    }
    return asked;
  }

  async #answerOf(
    told: OpenQuestion,
    { resolved, put }: Side,
    index: number,
    ready: Ready,
    signal: AbortSignal,
  ): Promise<AskedAnswer> {
    const { clock } = this.#services;
    const begun = clock.monotonicMs();
    const { temperature, topP, seed, maxNewTokens } = told.settings;
    const tokens = told.sides[index]!.tokens;
    let firstTokenMs: number | null = null;
    const tell = new Teller(
      (from) => this.#tell(told, index, from),
      () => clock.monotonicMs(),
    );
    const common = {
      subject: resolved.subject,
      weightsSha256: 'value' in ready ? ready.value.weightsSha256 : null,
      frame: put.frame,
      context: put.context,
      messages: put.messages,
    };
    const answer = (
      finish: AskedAnswer['finish'],
      text: string,
      problem: string | null = null,
    ): AskedAnswer => ({
      ...common,
      text,
      newTokens: tokens.length,
      finish,
      problem,
      milliseconds: clock.monotonicMs() - begun,
      firstTokenMs,
    });
    const written = (): string => tokens.map(({ text }) => text).join('');
    try {
      if ('error' in ready) throw ready.error;
      this.#move(told, index, 'answering');
      const { sampler, hasChat, contextTokens } = ready.value;
      const watched = sampler.watch(
        sampleRequest(put, seed, hasChat),
        { temperature, topP, maxNewTokens: Math.min(maxNewTokens, contextTokens - 1) },
        ASKED_ALTERNATIVES,
        (token) => {
          if (signal.aborted) return;
          firstTokenMs ??= clock.monotonicMs() - begun;
          takeToken(tokens, token);
          tell.later(token.position);
        },
        signal,
      );
      const sample = await aborting(watched, signal);
      if (sample.finish === 'too-long') throw tooLong(contextTokens);
      return sample.finish === 'error'
        ? answer('failed', written(), this.#lostSentence(resolved, 'it ends whenever this is asked'))
        : answer(sample.finish, sample.text);
    } catch (error) {
      if (signal.aborted) return answer('cancelled', written());
      if (!(error instanceof Failure))
        return answer('failed', written(), `It failed unexpectedly: ${(error as Error).message}`);
      if (error.kind === 'promptTooLong')
        return answer(
          'too-long',
          written(),
          'value' in ready ? tooLong(ready.value.contextTokens).message : error.message,
        );
      if (!LOST.includes(error.kind)) return answer('failed', written(), error.message);
      await this.#models.drop(resolved).catch(() => {});
      return answer('failed', written(), this.#lostSentence(resolved, error.message));
    } finally {
      tell.now();
      this.#move(told, index, 'ended');
    }
  }

  #lostSentence({ subject: { label } }: ResolvedSubject, why: string): string {
    return `The process of ${label} was lost while it answered, also when it was started again (${why.replace(/\.$/, '')}); runs are not touched by it. Ask again, or ask another model.`;
  }

  #move(told: OpenQuestion, index: number, state: OpenQuestion['sides'][number]['state']): void {
    const side = told.sides[index]!;
    side.state = state;
    this.#services.emit({
      kind: 'answer',
      questionId: told.id,
      side: index,
      state,
      from: side.tokens.length,
      tokens: [],
    });
  }

  #tell({ id, sides }: OpenQuestion, index: number, from: number): void {
    const { state, tokens } = sides[index]!;
    this.#services.emit({
      kind: 'answer',
      questionId: id,
      side: index,
      state,
      from,
      tokens: tokens.slice(from),
    });
  }
}

type Ready = Settled<AskedModel>;
type Settled<T> = { value: T } | { error: unknown };
const settled = <T>(promise: Promise<T>): Promise<Settled<T>> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** Resolves or rejects with the promise, but at once with the signal's reason when that is aborted. */
async function aborting<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {});
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    aborted.catch(() => {});
  }
}

/** A process that was lost tells the same tokens again from the first one on. */
function takeToken(tokens: AnswerToken[], { position, text, probability, alternatives }: WatchedToken): void {
  tokens.length = Math.min(tokens.length, position);
  tokens.push({ text, probability, alternatives: alternatives.map((each) => ({ ...each })) });
}

const tooLong = (contextTokens: number): Failure =>
  new Failure(
    'promptTooLong',
    `The conversation does not fit the ${contextTokens} tokens that this model holds beside an answer; begin a new one, or shorten the context.`,
  );

/** Tells of new tokens, those of a short time together. */
class Teller {
  readonly #tell: (from: number) => void;
  readonly #nowMs: () => number;
  #from: number | null = null;
  #toldMs = -Infinity;

  constructor(tell: (from: number) => void, nowMs: () => number) {
    this.#tell = tell;
    this.#nowMs = nowMs;
  }

  /** A token at this place has come. */
  later(position: number): void {
    this.#from = Math.min(this.#from ?? position, position);
    if (this.#nowMs() - this.#toldMs >= EMIT_EVERY_MS) this.now();
  }

  now(): void {
    if (this.#from !== null) this.#tell(this.#from);
    this.#from = null;
    this.#toldMs = this.#nowMs();
  }
}
