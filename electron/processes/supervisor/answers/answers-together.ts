import type { LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import type { SupervisorCompletion } from '../../supervisor-wire.ts';
import { samplerOf, Writing, type Limits, type Sampling } from './writing.ts';

export type TogetherPrompt = Sampling & Limits & { tokens: readonly Token[] };

/**
 * Writes the answers to several prompts in lockstep: every round computes the next token of each that has not ended, as one batch.
 * Who else is in a batch changes the last bits of its numbers. Rounds that wait for all make its members, and so the answers, a
 * function of the prompts in their order and of nothing else. `check` is called between rounds and may throw.
 */
export async function answersTogether(
  model: LlamaModel,
  sequences: readonly LlamaContextSequence[],
  prompts: readonly TogetherPrompt[],
  check: () => void,
): Promise<SupervisorCompletion[]> {
  const started = performance.now();
  // The cache places new tokens by what it holds, so it has to hold nothing.
  for (const sequence of sequences) await sequence.clearHistory();
  const answers = prompts.map((prompt, index) => ({
    prompt,
    writing: new Writing(model, prompt),
    tokens: (sequences[index] as LlamaContextSequence).evaluate([...prompt.tokens], samplerOf(prompt)),
    completion: null as SupervisorCompletion | null,
  }));
  try {
    for (let open = answers; open.length > 0; open = open.filter(({ completion }) => completion === null)) {
      check();
      const next = await Promise.all(open.map(({ tokens }) => tokens.next()));
      for (const [index, answer] of open.entries()) {
        const end = answer.writing.take(next[index]?.value as Token);
        if (end !== null)
          answer.completion = {
            ...end,
            tokensIn: answer.prompt.tokens.length,
            milliseconds: performance.now() - started,
          };
      }
      await new Promise((resolve) => {
        setImmediate(resolve);
      }); // the batch before is put away by then
    }
    return answers.map(({ completion }) => completion as SupervisorCompletion);
  } finally {
    for (const { tokens } of answers) await tokens.return();
  }
}
