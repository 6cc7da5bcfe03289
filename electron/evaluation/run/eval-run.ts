import {
  type AskedMessage,
  type EvaluationPlanRecord,
  Failure,
  type FailureKind,
  type ItemGrade,
} from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { Sampler } from '../../models/index.ts';
import type { Lab, StoredItem } from '../../store/index.ts';
import type { Answerer } from '../safety/hacking/dynamic.ts';
import {
  type AnyGradedSuite,
  type GradingTools,
  type ItemPlace,
  type SuiteProtocol,
  under,
} from '../suites/graded-suite.ts';

/** Everything one evaluation needs to be carried out or gone on with. */
export type EvalRun = {
  store: Lab;
  id: string;
  plan: EvaluationPlanRecord;
  suite: AnyGradedSuite;
  protocol: SuiteProtocol;
  place: ItemPlace;
  pack: PromptPack;
  /** Text of the supervision context; empty for the weights alone. */ context: string;
  sampler: Sampler;
  tools: GradingTools;
  signal: AbortSignal;
  time: TimeShare;
  /** Spent before, in milliseconds. */
  spentBefore: number;
  onGenerated: () => void;
  onGraded: () => void;
};

/** An item with its place in the suite, from 0. */
export type Entry = { index: number; item: { id: string } };

/**
 * Stores answers and verdicts as they are made: those of one turn of the event loop together, so that each is on the disk within
 * moments without a transaction of its own.
 */
export class ItemWriter {
  readonly #store: Lab;
  readonly #id: string;
  #waiting: StoredItem[] = [];
  #written: Promise<void> = Promise.resolve();

  constructor(store: Lab, id: string) {
    this.#store = store;
    this.#id = id;
  }

  /** Resolves when it is stored. */
  put(item: StoredItem): Promise<void> {
    this.#waiting.push(item);
    if (this.#waiting.length === 1)
      this.#written = new Promise((resolve, reject) => {
        setImmediate(() => this.#flush(resolve, reject));
      });
    return this.#written;
  }

  #flush(resolve: () => void, reject: (error: unknown) => void): void {
    try {
      const items = this.#waiting;
      this.#waiting = [];
      this.#store.putEvaluationItems(this.#id, items);
      resolve();
    } catch (error) {
      reject(error);
    }
  }
}

/** At most so many at once; the first failure is thrown when all that began have ended. */
export class Bounded {
  readonly #most: number;
  readonly #queue: (() => Promise<void>)[] = [];
  #running = 0;
  #failure: { error: unknown } | null = null;
  #idle = Promise.withResolvers<void>();

  constructor(most: number) {
    this.#most = most;
  }

  add(work: () => Promise<void>): void {
    if (this.#running === 0 && this.#queue.length === 0) this.#idle = Promise.withResolvers();
    this.#queue.push(work);
    this.#next();
  }

  async settled(): Promise<void> {
    if (this.#running > 0 || this.#queue.length > 0) await this.#idle.promise;
    if (this.#failure !== null) throw this.#failure.error;
  }

  #next(): void {
    while (this.#running < this.#most && this.#queue.length > 0) {
      const work = this.#queue.shift() as () => Promise<void>;
      this.#running += 1;
      work()
        .catch((error: unknown) => {
          this.#failure ??= { error };
          this.#queue.length = 0;
        })
        .finally(() => {
          this.#running -= 1;
          if (this.#running === 0 && this.#queue.length === 0) this.#idle.resolve();
          else this.#next();
        });
    }
  }
}

/** Divides the time that passes among the evaluations at work, so that what each took adds up to what all took. */
export class TimeShare {
  readonly #nowMs: () => number;
  readonly #spent = new Map<string, number>();
  readonly #active = new Set<string>();
  #since: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#since = nowMs();
  }

  enter(id: string): void {
    this.#settle();
    this.#active.add(id);
  }

  leave(id: string): void {
    this.#settle();
    this.#active.delete(id);
  }

  /** Milliseconds. */
  of(id: string): number {
    this.#settle();
    return this.#spent.get(id) ?? 0;
  }

  #settle(): void {
    const now = this.#nowMs();
    const part = this.#active.size === 0 ? 0 : (now - this.#since) / this.#active.size;
    for (const id of this.#active) this.#spent.set(id, (this.#spent.get(id) ?? 0) + part);
    this.#since = now;
  }
}

/** What a grade holds beside its outcome where nothing was judged. */
export const NOTHING_JUDGED = { score: null, method: 'none', flags: [], judge: null, details: {} };

/** What is said of an answer that did not come to its end: it met its limit, or repeated itself until it was ended. */
export const UNFINISHED: Readonly<Record<string, string>> = { length: 'cut-off', loop: 'loop' };

/** Faults of one item's own material, and of one answer. */
const ITEM_FAULTS: ReadonlySet<FailureKind> = new Set([
  'badReference',
  'badPickle',
  'badFile',
  'requestKillsProcess',
  'tooLarge',
]);

/**
 * The grade of an item that has no verdict because of this error of grading it, with the reason.
 * @throws the error where it is the fault of no single item.
 */
export function unjudgedFor(error: unknown): ItemGrade {
  // Whatever is no Failure is a fault of the grader that this answer brought out.
  if (error instanceof Failure && !ITEM_FAULTS.has(error.kind)) throw error;
  const reason = error instanceof Failure ? error.kind : 'internal';
  return { outcome: 'unjudged', reason, ...NOTHING_JUDGED, details: { why: (error as Error).message } };
}

/** Conversations held at once: within one each question waits for the answer before. */
const HELD_AT_ONCE = 8;

/**
 * Holds and grades the missing conversations of a suite. One that is cut off is held again from its beginning; one that cannot be
 * graded has no verdict, says why and is stored as far as it came.
 */
export async function holdConversations(
  work: EvalRun,
  chunk: readonly Entry[],
  there: ReadonlyMap<number, boolean>,
): Promise<void> {
  const { store, id, suite, plan, signal } = work;
  if (plan.protocol.samples !== 1)
    throw new RangeError(`The suite "${suite.name}" holds conversations, of which there is one an item.`);
  const writer = new ItemWriter(store, id);
  const held = new Bounded(HELD_AT_ONCE);
  for (const { index, item } of chunk) {
    if (there.get(index) === true) continue;
    held.add(async () => {
      signal.throwIfAborted();
      const { newTokens, ...rest } = await heldConversation(work, item);
      work.onGenerated();
      await writer.put({
        ordinal: index,
        itemId: item.id,
        sample: 0,
        target: suite.target(item),
        newTokens,
        ...rest,
      });
      work.onGraded();
    });
  }
  await held.settled();
}

type Conversation = { asked: AskedMessage[]; text: string; newTokens: number; grade: ItemGrade };

/** @throws what the model throws, and the signal's reason when it is aborted. */
async function heldConversation(
  { sampler, protocol, plan, context, suite, tools, signal }: EvalRun,
  item: Entry['item'],
): Promise<Conversation> {
  const { temperature, topP, maxNewTokens } = protocol;
  let newTokens = 0;
  let first: AskedMessage[] | null = null;
  const answers: string[] = [];
  const unfinished = new Set<string>();
  let lost: { error: unknown } | null = null;
  // The noise depends on the evaluation's seed, the item and the turn.
  const ask: Answerer = async (messages, { key }) => {
    first ??= [...messages];
    try {
      const [answer] = await sampler.sample(under(context, messages), 1, {
        seed: rolloutSeed(plan.seed, 'conversation', item.id, key),
        temperature,
        topP,
        maxNewTokens,
        signal,
      });
      newTokens += answer?.newTokens ?? 0;
      answers.push(answer?.text ?? '');
      const said = UNFINISHED[answer?.finish ?? ''];
      if (said !== undefined) unfinished.add(said);
      return answer?.text ?? '';
    } catch (error) {
      lost ??= { error };
      throw error;
    }
  };
  try {
    const { grade, ...held } = await suite.converse!(item, ask, protocol, tools);
    return { ...held, grade: { ...grade, flags: [...grade.flags, ...unfinished] }, newTokens };
  } catch (error) {
    signal.throwIfAborted();
    if (lost !== null) throw (lost as { error: unknown }).error;
    return { asked: first ?? [], text: answers.join('\n\n'), newTokens, grade: unjudgedFor(error) };
  }
}
