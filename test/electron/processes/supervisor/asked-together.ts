import { startSupervisor, type SupervisorClient } from '../../../../electron/processes/index.ts';
import { AT_ONCE, scratch } from '../support.ts';

const folder = scratch();
const CONTEXT = 512;

/** A model loaded to answer with so many rows. */
export async function loadRows(path: string, rows: number, threads: number): Promise<SupervisorClient> {
  const client = await startSupervisor({ logFile: `${folder}/asked.log`, backoff: AT_ONCE });
  await client.load({ path, contextSize: CONTEXT, threads, rows });
  return client;
}

/** Questions of different length, none the beginning of another. */
export const questionsOf = (count: number, batch: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const words = Array.from(
      { length: 3 + ((index * 7 + batch * 3) % 23) },
      (__, word) => `w${word * (index + 2)}`,
    );
    return `Question ${batch}.${index}: ${words.join(' ')}. Say what follows ${index * 31}:`;
  });

/** Every other question is sampled, so that the numbers behind a word count and not only which is the largest. */
const answerOf = async (client: SupervisorClient, prompt: string, index: number): Promise<string> =>
  (
    await client.complete({
      prompt,
      seed: index,
      maxTokens: 4,
      temperature: index % 2,
      topP: 1,
      side: 'together',
    })
  ).text;

/** All at once, sent in an order that begins at `first`; in the order of the questions. */
export async function answersTogether(
  client: SupervisorClient,
  questions: readonly string[],
  first = 0,
): Promise<string[]> {
  const order = questions.map((_, index) => (index + first) % questions.length);
  const answers = new Map<number, string>();
  await Promise.all(
    order.map(async (index) => answers.set(index, await answerOf(client, questions[index] as string, index))),
  );
  return questions.map((_, index) => answers.get(index) as string);
}
