import {
  getLlama,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import { expect } from 'vitest';
import { AnswerRows, inOrderOfRows } from '../../../../electron/processes/supervisor/answer-rows.ts';
import { ThreadChoice } from '../../../../electron/processes/supervisor/cores.ts';
import { Watchdog } from '../../../../electron/processes/supervisor/watchdog.ts';

const CONTEXT = 512;

export type NextToken = ReadonlyMap<Token, number>;

/** Probabilities of every token as the first of an answer: of each question asked beside the others, and of each asked alone. */
export async function firstTokens(
  modelPath: string,
  questions: readonly string[],
  maxThreads: number,
): Promise<{ together: NextToken[]; alone: NextToken[] }> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    maxThreads,
    logLevel: LlamaLogLevel.error,
  });
  const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
  try {
    const prompts = questions.map((question) => model.tokenize(question, false));
    return { together: await amongRows(model, prompts), alone: await oneByOne(model, prompts) };
  } finally {
    await llama.dispose();
  }
}

/** Kullback-Leibler divergence of `second` from `first`, in nats. */
export function divergence(first: NextToken, second: NextToken): number {
  const LEAST = 1e-12;
  return [...first].reduce(
    (sum, [token, p]) => (p === 0 ? sum : sum + p * Math.log(p / (second.get(token) ?? LEAST))),
    0,
  );
}

async function amongRows(model: LlamaModel, prompts: readonly Token[][]): Promise<NextToken[]> {
  const context = await model.createContext({
    contextSize: CONTEXT,
    sequences: prompts.length,
    threads: model.llama.maxThreads,
    batching: { itemPrioritizationStrategy: inOrderOfRows },
  });
  const seen: NextToken[] = [];
  const rows = new AnswerRows(
    model,
    prompts.map((_, row) => watched(context.getSequence(), (next) => (seen[row] ??= next))),
    { watchdog: new Watchdog(), threads: new ThreadChoice([1], () => {}) },
    (work) => work(),
  );
  await Promise.all(
    prompts.map((tokens) =>
      rows.write({
        prompt: { tokens, shared: 0 },
        seed: 0,
        temperature: 0,
        topP: 1,
        maxTokens: 1,
        stop: [],
        grammar: null,
        timeoutMs: null,
        alone: false,
        signal: new AbortController().signal,
      }),
    ),
  );
  await context.dispose();
  return seen;
}

/** A sequence that tells the probabilities behind every token it generates. */
const watched = (of: LlamaContextSequence, tell: (next: NextToken) => void): LlamaContextSequence =>
  new Proxy(of, {
    get(target, name) {
      if (name === 'evaluate')
        return async function* (...[tokens, options]: Parameters<LlamaContextSequence['evaluate']>) {
          const metadata = { probabilities: true } as const;
          for await (const next of target.evaluateWithMetadata(tokens, metadata, options)) {
            tell(next.probabilities);
            yield next.token;
          }
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

async function oneByOne(model: LlamaModel, prompts: readonly Token[][]): Promise<NextToken[]> {
  const context = await model.createContext({ contextSize: CONTEXT, threads: model.llama.maxThreads });
  const sequence = context.getSequence();
  const all: NextToken[] = [];
  for (const tokens of prompts) {
    await sequence.clearHistory();
    const generateNext = { probabilities: true, options: { temperature: 0 } };
    const last = tokens.at(-1) as Token;
    const results = await sequence.controlledEvaluate([...tokens.slice(0, -1), [last, { generateNext }]]);
    all.push(results.at(-1)?.next.probabilities as NextToken);
  }
  await context.dispose();
  return all;
}

/**
 * Rows of a batch are computed by other kernels than a question alone, which moved no distribution by more than 0.007 nats (Qwen2.5-Coder
 * and SmolLM2 on an Intel Xeon). Another question's first token is far from it.
 */
const ROUNDING = 0.02;

export function expectOwnFirstTokens({
  together,
  alone,
}: {
  together: NextToken[];
  alone: NextToken[];
}): void {
  const nearest = together.map((next) => {
    const from = alone.map((own) => divergence(own, next));
    return from.indexOf(Math.min(...from));
  });
  expect(nearest).toEqual(alone.map((_, question) => question));
  for (const [question, next] of together.entries())
    expect(divergence(alone[question] as NextToken, next), `question ${question}`).toBeLessThan(ROUNDING);
}
