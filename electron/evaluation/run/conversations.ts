import { rolloutSeed } from '../../core/index.ts';
import type * as safety from '../safety/index.ts';
import { under } from '../running/graded-suite.ts';
import { Bounded } from './concurrency.ts';
import { ItemWriter, type Entry, type EvalRun } from './eval-run.ts';

/** Conversations held at once: within one each question waits for the answer before. */
const HELD_AT_ONCE = 8;

/** Holds and grades the missing conversations of a suite. One that is cut off is held again from its beginning. */
export async function holdConversations(
  work: EvalRun,
  chunk: readonly Entry[],
  there: ReadonlyMap<number, boolean>,
): Promise<void> {
  const { store, id, suite, plan, protocol, tools, signal } = work;
  if (plan.protocol.samples !== 1)
    throw new RangeError(`The suite "${suite.name}" holds conversations, of which there is one an item.`);
  const writer = new ItemWriter(store, id);
  const held = new Bounded(HELD_AT_ONCE);
  for (const { index, item } of chunk) {
    if (there.get(index) === true) continue;
    held.add(async () => {
      signal.throwIfAborted();
      const { ask, newTokens } = answererOf(work, item.id);
      const { asked, text, grade } = await suite.converse!(item, ask, protocol, tools);
      await writer.put({
        ordinal: index,
        itemId: item.id,
        sample: 0,
        asked,
        target: suite.target(item),
        text,
        newTokens: newTokens(),
        grade,
      });
      work.onGraded();
    });
  }
  await held.settled();
}

/** Answers conversation after conversation; the noise depends on the evaluation's seed, the item and the turn. */
function answererOf(
  { sampler, protocol, plan, context, signal }: EvalRun,
  itemId: string,
): { ask: safety.Answerer; newTokens: () => number } {
  let tokens = 0;
  return {
    newTokens: () => tokens,
    async ask(messages, { key }) {
      const { temperature, topP, maxNewTokens } = protocol;
      const [answer] = await sampler.sample(under(context, messages), 1, {
        seed: rolloutSeed(plan.seed, 'conversation', itemId, key),
        temperature,
        topP,
        maxNewTokens,
        signal,
      });
      tokens += answer?.newTokens ?? 0;
      return answer?.text ?? '';
    },
  };
}
