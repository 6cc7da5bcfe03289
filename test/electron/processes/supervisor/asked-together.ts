import {
  getLlama,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import { feedApart, generateBatch } from '../../../../electron/processes/supervisor/generation.ts';

/** A model loaded for a few questions asked together. */
export type Together = {
  model: LlamaModel;
  context: LlamaContext;
  sequences: LlamaContextSequence[];
  dispose: () => Promise<void>;
};

export async function loadTogether(modelPath: string, together: number, threads: number): Promise<Together> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    maxThreads: threads,
    progressLogs: false,
    logger: () => {},
  });
  const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: 512,
    sequences: together,
    threads,
    batchSize: 512,
  });
  const sequences = Array.from({ length: together }, () => context.getSequence());
  return { model, context, sequences, dispose: () => llama.dispose() };
}

/** Prompts of different length, none the beginning of another. */
export const questionsOf = (model: LlamaModel, count: number, batch: number): Token[][] =>
  Array.from({ length: count }, (_, index) => {
    const words = Array.from(
      { length: 3 + ((index * 7 + batch * 3) % 23) },
      (__, word) => `w${word * (index + 2)}`,
    );
    return model.tokenize(
      `Question ${batch}.${index}: ${words.join(' ')}. Say what follows ${index * 31}:`,
      true,
    );
  });

/** The greedy answers of `maxTokens` tokens to questions asked together. */
export async function greedyAnswers(
  { model, sequences }: Together,
  questions: readonly Token[][],
  maxTokens: number,
): Promise<string[]> {
  const completions = await generateBatch(
    model,
    sequences,
    questions.map((tokens) => ({ tokens, seed: 0, temperature: 0, maxTokens, stop: [] })),
    () => {},
  );
  return completions.map(({ text }) => text);
}

/** The probabilities of each question's first token, by token; the questions asked together. */
export async function firstProbabilities(
  { sequences }: Together,
  questions: readonly Token[][],
): Promise<ReadonlyMap<Token, number>[]> {
  const last = await feedApart(
    sequences,
    questions.map((tokens) => ({ tokens })),
    () => {},
  );
  const streams = questions.map((_, index) =>
    (sequences[index] as LlamaContextSequence).evaluateWithMetadata(
      [last[index] as Token],
      { probabilities: true },
      { temperature: 0 },
    ),
  );
  const first = await Promise.all(streams.map((stream) => stream.next()));
  for (const stream of streams) await stream.return();
  return first.map(({ value }) => (value as { probabilities: Map<Token, number> }).probabilities);
}

/** KL divergence in nats; what one of them does not list counts as 1e-9. */
export function divergence(p: ReadonlyMap<Token, number>, q: ReadonlyMap<Token, number>): number {
  let sum = 0;
  for (const [token, share] of p)
    if (share > 0) sum += share * Math.log(share / Math.max(q.get(token) ?? 0, 1e-9));
  return sum;
}
