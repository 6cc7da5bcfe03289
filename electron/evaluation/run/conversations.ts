import type { AskedMessage, ItemGrade } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { Answerer } from '../safety/hacking/dynamic.ts';
import { under } from '../suites/graded-suite.ts';
import { eachAtOnce } from './at-once.ts';
import { type Entry, type EvalRun, ItemWriter, UNFINISHED, unjudgedFor } from './eval-run.ts';

/** Conversations held at once: within one each question waits for the answer before. */
const HELD_AT_ONCE = 8;

/**
 * Holds and grades the missing conversations of a suite. One that is cut off is held again from its beginning; one that cannot be
 * graded has no verdict, says why and is stored as far as it came.
 */
export async function holdConversations(
  work: EvalRun,
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  there: ReadonlySet<number>,
): Promise<void> {
  const { store, id, suite, plan, signal } = work;
  if (plan.protocol.samples !== 1)
    throw new RangeError(`The suite "${suite.name}" holds conversations, of which there is one an item.`);
  const writer = new ItemWriter(store, id);
  await eachAtOnce(entries, HELD_AT_ONCE, async ({ index, item }) => {
    if (there.has(index)) return;
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
    work.onGraded(rest.grade);
  });
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
