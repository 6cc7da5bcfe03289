import { Failure, type ItemGrade } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { Sample, SampleRequest } from '../../models/index.ts';
import type { StoredEvaluation, StoredItem } from '../../store/index.ts';
import { Bounded, eachAtOnce } from './at-once.ts';
import { holdConversations } from './conversations.ts';
import { ItemWriter, NOTHING_JUDGED, UNFINISHED, unjudgedFor, type Entry, type EvalRun } from './eval-run.ts';

/** Items asked together, and their characters where they are large. */
const CHUNK_ITEMS = 128;
const CHUNK_CHARACTERS = 32 * 1024 * 1024;
/** While the last answers of one chunk are written, the next is asked. */
const CHUNKS_AT_ONCE = 2;
/** Verdicts in the making at once; the sandbox has fewer places, and a judge one. */
const GRADED_AT_ONCE = 8;

/**
 * Asks what is missing of an evaluation and stores each answer as it is made, with its verdict unless that hangs on time. Cut off at any
 * point, it goes on with what is missing; what is stored is not changed.
 * @throws the signal's reason when it is aborted; a Failure when no answer can be given or graded.
 */
export async function askSuite(work: EvalRun): Promise<void> {
  const { store, id, suite, time } = work;
  time.enter(id);
  try {
    const there = new Set(store.listEvaluationPlaces(id).map(({ ordinal }) => ordinal));
    await (suite.converse === undefined
      ? eachAtOnce(chunksOf(work), CHUNKS_AT_ONCE, (chunk) => askChunk(work, chunk, there))
      : holdConversations(work, entriesOf(work), there));
  } finally {
    time.leave(id);
  }
}

/**
 * Grades the answers that have no verdict yet, and ends the evaluation with its scores.
 * @throws the signal's reason when it is aborted; a Failure when no answer can be graded.
 */
export async function finishSuite(work: EvalRun): Promise<StoredEvaluation> {
  const { store, id, plan, suite, time } = work;
  time.enter(id);
  try {
    const waiting = new Set(
      store.listEvaluationPlaces(id).flatMap(({ ordinal, graded }) => (graded ? [] : [ordinal])),
    );
    if (waiting.size > 0) {
      const writer = new ItemWriter(store, id);
      await eachAtOnce(answersOf(work, waiting), GRADED_AT_ONCE, ({ item, answered }) =>
        gradeAndStore(work, writer, item, answered, endOf(answered, work.protocol)),
      );
    }
    return store.finishEvaluation(
      id,
      suite.scores(store.listGradesAsGraded(id), plan.seed),
      work.spentBefore + time.of(id),
    );
  } finally {
    time.leave(id);
  }
}

/** @throws Failure `otherItems` at the end, when there are fewer than were planned. */
async function* entriesOf({ suite, place, plan, signal }: EvalRun): AsyncGenerator<Entry> {
  let index = 0;
  if (plan.items > 0) {
    for await (const item of suite.read(place, signal)) {
      signal.throwIfAborted();
      yield { index, item };
      index += 1;
      if (index === plan.items) break;
    }
  }
  if (index !== plan.items)
    throw new Failure(
      'otherItems',
      `The suite "${plan.suite}" has ${index} items now instead of ${plan.items}; its data changed, so this evaluation cannot be finished. Remove it and start a new one.`,
    );
}

async function* chunksOf(work: EvalRun): AsyncGenerator<Entry[]> {
  let chunk: Entry[] = [];
  let characters = 0;
  for await (const entry of entriesOf(work)) {
    chunk.push(entry);
    characters += work.suite.weight?.(entry.item) ?? 0;
    if (chunk.length === CHUNK_ITEMS || characters >= CHUNK_CHARACTERS) {
      yield chunk;
      [chunk, characters] = [[], 0];
    }
  }
  if (chunk.length > 0) yield chunk;
}

/** Those answers of an evaluation, with the items that they answer. */
async function* answersOf(
  work: EvalRun,
  wanted: ReadonlySet<number>,
): AsyncGenerator<{ item: Entry['item']; answered: StoredItem }> {
  for await (const { item, ordinal } of placesOf(work, entriesOf(work)))
    if (wanted.has(ordinal))
      yield { item, answered: work.store.getEvaluationItem(work.id, ordinal) as StoredItem };
}

/** One sample of an item; `ordinal` counts them all through the suite. */
type Place = Entry & { ordinal: number; sample: number };

async function* placesOf(
  { plan }: EvalRun,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
): AsyncGenerator<Place> {
  const { samples } = plan.protocol;
  for await (const entry of entries)
    for (let sample = 0; sample < samples; sample += 1)
      yield { ...entry, sample, ordinal: entry.index * samples + sample };
}

async function askChunk(work: EvalRun, chunk: readonly Entry[], there: ReadonlySet<number>): Promise<void> {
  const { store, id, suite, protocol, plan, sampler, signal } = work;
  const writer = new ItemWriter(store, id);
  const storing = new Bounded(GRADED_AT_ONCE);
  const open = new Map<string, Place & Pick<SampleRequest, 'messages'>>();
  const asked: SampleRequest[] = [];
  for await (const place of placesOf(work, chunk)) {
    if (there.has(place.ordinal)) continue;
    const { index, item, sample, ordinal } = place;
    // The noise depends on the seed and the item's place alone, so two models meet the same noise.
    const seed =
      sample === 0
        ? rolloutSeed(plan.seed, 'evaluation', index)
        : rolloutSeed(plan.seed, 'evaluation', index, 'sample', sample);
    const key = String(ordinal);
    const question = suite.ask(item, protocol, { pack: work.pack, context: work.context });
    asked.push({ key, seed, ...question });
    open.set(key, { ...place, messages: question.messages });
  }
  await sampler
    .sampleEach(
      asked,
      protocol,
      ({ key, text, newTokens, finish }: Sample) => {
        const { item, ordinal, sample, messages } = open.get(key)!;
        work.onGenerated();
        const answered: StoredItem = {
          ordinal,
          itemId: item.id,
          sample,
          asked: [...messages],
          target: suite.target(item),
          text,
          newTokens,
          grade: null,
          ...(finish === 'loop' ? { ended: finish } : {}),
        };
        const hasVerdict = !suite.timed || finish in NOT_ANSWERED;
        storing.add(() =>
          hasVerdict ? gradeAndStore(work, writer, item, answered, finish) : writer.put(answered),
        );
      },
      signal,
    )
    .catch(async (error: unknown) => {
      await storing.settled(); // what was answered before is stored first
      throw error;
    });
  await storing.settled();
}

async function gradeAndStore(
  work: EvalRun,
  writer: ItemWriter,
  item: Entry['item'],
  answered: StoredItem,
  finish: string,
): Promise<void> {
  const verdict = await verdictOn(work, item, answered, finish);
  await writer.put({ ...answered, grade: verdict });
  work.onGraded(verdict);
}

/** How a stored answer ended: as was noted with it, as its verdict so far says, or as its length tells. */
export function endOf(
  { ended, grade, newTokens }: Pick<StoredItem, 'ended' | 'grade' | 'newTokens'>,
  { maxNewTokens }: Pick<EvalRun['protocol'], 'maxNewTokens'>,
): string {
  const said = Object.keys(UNFINISHED).find((end) => grade?.flags.includes(UNFINISHED[end] as string));
  return ended ?? said ?? (newTokens >= maxNewTokens ? 'length' : 'stop');
}

const NOT_ANSWERED: Readonly<Record<string, string>> = {
  'too-long': 'question-too-long',
  error: 'no-answer',
};

/**
 * The verdict on one answer. An item whose own material is damaged, or whose answer ends what grades it, has none; it says why and costs
 * no other item.
 */
export async function verdictOn(
  { suite, protocol, tools, signal }: Pick<EvalRun, 'suite' | 'protocol' | 'tools' | 'signal'>,
  item: { id: string },
  answered: StoredItem,
  finish: string,
): Promise<ItemGrade> {
  signal.throwIfAborted();
  const unanswered = NOT_ANSWERED[finish];
  if (unanswered !== undefined) return { outcome: 'unanswered', reason: unanswered, ...NOTHING_JUDGED };
  try {
    const grade = await suite.grade(
      item,
      { sample: answered.sample, text: answered.text, finish },
      protocol,
      tools,
    );
    const unfinished = UNFINISHED[finish];
    return unfinished === undefined ? grade : { ...grade, flags: [...grade.flags, unfinished] };
  } catch (error) {
    signal.throwIfAborted();
    return unjudgedFor(error);
  }
}
