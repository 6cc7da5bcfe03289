import { Failure, type ItemGrade } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { Sample, SampleRequest } from '../../models/index.ts';
import type { StoredEvaluation, StoredItem } from '../../store/index.ts';
import {
  Bounded,
  holdConversations,
  ItemWriter,
  NOTHING_JUDGED,
  UNFINISHED,
  unjudgedFor,
  type Entry,
  type EvalRun,
} from './eval-run.ts';

/** Items in memory at once, and their characters where they are large. */
const CHUNK_ITEMS = 256;
const CHUNK_CHARACTERS = 64 * 1024 * 1024;
/** Verdicts in the making at once; the sandbox has fewer places, and a judge one. */
const GRADED_AT_ONCE = 8;

/**
 * Asks and grades what is missing of an evaluation, stores each as it is done, and ends it with its scores. Cut off at any point,
 * it goes on with what is missing; what is stored is neither changed nor graded again.
 * @throws the signal's reason when it is aborted; a Failure when no answer can be given or graded.
 */
export async function runSuite(work: EvalRun): Promise<StoredEvaluation> {
  const { store, id, plan, suite, time } = work;
  time.enter(id);
  try {
    const there = new Map(store.listEvaluationPlaces(id).map(({ ordinal, graded }) => [ordinal, graded]));
    let read = 0;
    for await (const chunk of chunksOf(work)) {
      read += chunk.length;
      await (suite.converse === undefined
        ? askChunk(work, chunk, there)
        : holdConversations(work, chunk, there));
    }
    if (read !== plan.items)
      throw new Failure(
        'otherItems',
        `The suite "${plan.suite}" has ${read} items now instead of ${plan.items}; its data changed, so this evaluation cannot be finished. Remove it and start a new one.`,
      );
    return store.finishEvaluation(
      id,
      suite.scores(store.listGrades(id), plan.seed),
      work.spentBefore + time.of(id),
    );
  } finally {
    time.leave(id);
  }
}

async function* chunksOf({ suite, place, plan, signal }: EvalRun): AsyncGenerator<Entry[]> {
  let chunk: Entry[] = [];
  let characters = 0;
  let index = 0;
  if (plan.items > 0) {
    for await (const item of suite.read(place, signal)) {
      signal.throwIfAborted();
      chunk.push({ index, item });
      index += 1;
      characters += suite.weight?.(item) ?? 0;
      if (chunk.length === CHUNK_ITEMS || characters >= CHUNK_CHARACTERS) {
        yield chunk;
        [chunk, characters] = [[], 0];
      }
      if (index === plan.items) break;
    }
  }
  if (chunk.length > 0) yield chunk;
}

async function askChunk(
  work: EvalRun,
  chunk: readonly Entry[],
  there: ReadonlyMap<number, boolean>,
): Promise<void> {
  const { store, id, suite, protocol, plan, sampler, signal } = work;
  const writer = new ItemWriter(store, id);
  const grading = new Bounded(GRADED_AT_ONCE);
  const waiting: { item: Entry['item']; answered: StoredItem; finish: string }[] = [];
  const open = new Map<string, Place>();
  const asked: SampleRequest[] = [];
  const places = chunk.flatMap((entry) =>
    Array.from({ length: plan.protocol.samples }, (_, sample): Place => ({
      entry,
      sample,
      ordinal: entry.index * plan.protocol.samples + sample,
    })),
  );
  for (const { entry, ordinal } of places) {
    if (there.get(ordinal) !== false) continue;
    const answered = store.getEvaluationItem(id, ordinal) as StoredItem;
    waiting.push({ item: entry.item, answered, finish: endOf(answered, protocol) });
  }
  for (const place of toBeAsked(places, there, sampler.batchSize)) {
    const { entry, sample, ordinal } = place;
    const key = String(ordinal);
    if (!there.has(ordinal)) open.set(key, place);
    // The noise depends on the seed and the item's place alone, so two models meet the same noise.
    const seed =
      sample === 0
        ? rolloutSeed(plan.seed, 'evaluation', entry.index)
        : rolloutSeed(plan.seed, 'evaluation', entry.index, 'sample', sample);
    asked.push({
      key,
      seed,
      ...suite.ask(entry.item, protocol, { pack: work.pack, context: work.context }),
    });
  }
  const questions = new Map(asked.map((one) => [one.key, [...one.messages]]));
  const grade = (item: Entry['item'], answered: StoredItem, finish: string): void =>
    void grading.add(async () => {
      const verdict = await verdictOn(work, item, answered, finish);
      await writer.put({ ...answered, grade: verdict });
      work.onGraded();
    });
  await sampler
    .sampleEach(
      asked,
      protocol,
      (answer: Sample) => {
        const place = open.get(answer.key);
        if (place === undefined) return; // stored before; asked again only because its batch was
        work.onGenerated();
        const { entry, ordinal, sample } = place;
        const answered: StoredItem = {
          ordinal,
          itemId: entry.item.id,
          sample,
          asked: questions.get(answer.key) ?? [],
          target: suite.target(entry.item),
          text: answer.text,
          newTokens: answer.newTokens,
          grade: null,
          ...(answer.finish === 'loop' ? { ended: answer.finish } : {}),
        };
        if (!suite.timed || answer.finish in NOT_ANSWERED) return grade(entry.item, answered, answer.finish);
        waiting.push({ item: entry.item, answered, finish: answer.finish });
        grading.add(() => writer.put(answered));
      },
      signal,
    )
    .catch(async (error: unknown) => {
      await grading.settled(); // what was answered before is stored first
      throw error;
    });
  await grading.settled();
  // Where time decides a verdict, no answer is written meanwhile.
  for (const { item, answered, finish } of waiting) grade(item, answered, finish);
  await grading.settled();
}

/** One sample of an item; `ordinal` counts them all through the suite. */
type Place = { entry: Entry; ordinal: number; sample: number };

/** Places without an answer, and those whose answers are computed with theirs: `batchSize` in a row, from the chunk's first. */
function toBeAsked(
  places: readonly Place[],
  there: ReadonlyMap<number, boolean>,
  batchSize: number,
): Place[] {
  const batchOf = (index: number): number => Math.floor(index / batchSize);
  const missing = new Set(
    places.flatMap(({ ordinal }, index) => (there.has(ordinal) ? [] : [batchOf(index)])),
  );
  return places.filter((_, index) => missing.has(batchOf(index)));
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
