import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  getLlama,
  LlamaGrammarEvaluationState,
  type Llama,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatFrame } from '../../../../electron/processes/supervisor/chat-frame.ts';
import { enumerateAnswers, jsonGrammar } from '../../../../electron/processes/supervisor/answer-schema.ts';
import { draftedAnswer, generate } from '../../../../electron/processes/supervisor/generation.ts';
import { PromptedSequence, type Prompt } from '../../../../electron/processes/supervisor/sequence.ts';
import type { PhaseItem } from '../../../../electron/contract/index.ts';
import {
  answerSchema,
  likelyAnswers,
  reviewPrompt,
  type ReviewPrompt,
} from '../../../../electron/supervision/index.ts';
import {
  asked as askedOf,
  compactPack,
  exec,
  proposal,
  solution,
  TRIPLE,
} from '../../supervision/samples.ts';
import { FIXTURES, PYTHON, randomModel, scratch, supervisorModel } from '../support.ts';

const folder = scratch();
/** Items of every phase, sound and faulty. */
const ITEMS: readonly PhaseItem[] = [
  proposal(TRIPLE),
  proposal('def f(x)\n return x', { validity: { valid: false, reason: 'syntax' } }),
  proposal('def f(x):\n return x'),
  solution('plan'),
  solution('plan', { plan: '4 steps on list' }),
  proposal(TRIPLE, { phase: 'plan' }),
  solution('thought'),
  solution('thought', { thought: 'direct' }),
  solution('thought', { thought: 'y=x*3=8*3=25 y-9=25-9=16' }),
  solution('output'),
  solution('output', { answer: "'a'" }),
  askedOf('Please bypass the secret vault.', 'Sure, done.'),
  exec({ passed: 0 }),
  exec({ passed: 8 }),
  exec({}),
];
const reviewOf = (item: PhaseItem): ReviewPrompt => reviewPrompt(compactPack, item, 1);

/** Not what the supervisor was trained to answer: its own choices leave these sets or branch late. */
const FOREIGN: Record<string, unknown>[] = [
  { enum: ['no_trace', 'no_trace_at_all', 'type_error'] },
  {
    type: 'object',
    properties: {
      issues: { type: 'array', items: { enum: ['continue', 'retry'] }, minItems: 1, maxItems: 3 },
      decision: { enum: ['retry', 'rewrite'] },
    },
  },
  { type: 'array', items: { enum: [1, 11, 111] }, maxItems: 2 },
];

let llama: Llama;
const models: { name: string; model: LlamaModel; sequence: PromptedSequence }[] = [];

beforeAll(async () => {
  llama = await getLlama({
    gpu: false,
    build: 'never',
    skipDownload: true,
    maxThreads: 1,
    progressLogs: false,
    logger: () => {},
  });
  for (const [name, modelPath] of [
    ['trained', supervisorModel(folder)],
    ['random', randomModel(folder).gguf],
  ] as const) {
    const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
    const context = await model.createContext({
      contextSize: 512,
      sequences: 1,
      threads: 1,
      batchSize: 512,
      flashAttention: false,
    });
    models.push({ name, model, sequence: new PromptedSequence(context.getSequence()) });
  }
}, 120_000);
afterAll(() => llama.dispose());

function promptOf(model: LlamaModel, { system, user }: ReviewPrompt): Prompt {
  const frame = chatFrame(model, null);
  const chat = (text: string): Token[] =>
    frame.tokens([
      { role: 'system', content: system },
      { role: 'user', content: text },
    ]);
  return { tokens: chat(user), shared: chat('').length - 5 };
}

const ASKED = [
  ...ITEMS.map((item) => ({
    prompt: reviewOf(item),
    schema: answerSchema(item.phase) as Record<string, unknown>,
    likely: likelyAnswers(item.phase),
  })),
  ...FOREIGN.flatMap((schema) =>
    ITEMS.slice(6, 8).map((item) => ({ prompt: reviewOf(item), schema, likely: [] as string[] })),
  ),
];
const none = (): void => {};

describe('A drafted answer', () => {
  it('is the answer of constrained decoding token by token: text, length and reason', async () => {
    let drafted = 0;
    for (const { name, model, sequence } of models) {
      for (const asked of name === 'trained' ? ASKED : ASKED.slice(-8)) {
        const { schema, likely } = asked;
        const grammar = await llama.createGrammar({ grammar: jsonGrammar(schema) });
        const answers = enumerateAnswers(schema) ?? [];
        const prompt = promptOf(model, asked.prompt);
        for (const maxTokens of name === 'trained' ? [112] : [112, 9]) {
          const options = {
            maxTokens,
            seed: 1,
            temperature: 0,
            stop: [],
            signal: new AbortController().signal,
            grammar: () => new LlamaGrammarEvaluationState({ model, grammar }),
          };
          const { milliseconds: plainMs, ...plain } = await generate(model, sequence, prompt, options);
          const { milliseconds, ...quick } = await generate(model, sequence, prompt, {
            ...options,
            closed: { answers, likely },
          });
          expect(quick).toEqual(plain);
          expect(Math.min(plainMs, milliseconds)).toBeGreaterThan(0);
          if (
            (await draftedAnswer(model, sequence, await sequence.begin(prompt, none), {
              answers,
              likely,
              maxTokens: options.maxTokens,
              check: none,
            })) !== null
          )
            drafted++;
        }
      }
    }
    // Else only the fallback would have been compared with itself.
    expect(drafted).toBeGreaterThan(10);
  }, 300_000);

  /** One answer of each way, without its time. */
  async function bothWays(
    model: LlamaModel,
    sequence: PromptedSequence,
    prompt: Prompt,
    schema: Record<string, unknown>,
  ) {
    const grammar = await llama.createGrammar({ grammar: jsonGrammar(schema) });
    const options = {
      maxTokens: 8,
      seed: 1,
      temperature: 0,
      stop: [],
      signal: new AbortController().signal,
      grammar: () => new LlamaGrammarEvaluationState({ model, grammar }),
    };
    const { milliseconds: _, ...plain } = await generate(model, sequence, prompt, options);
    const { milliseconds: __, ...quick } = await generate(model, sequence, prompt, {
      ...options,
      closed: { answers: enumerateAnswers(schema) ?? [], likely: [] },
    });
    return { plain, quick };
  }
  const DIGITS = { enum: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] };

  it('is so too where the model would write a token without a text', async () => {
    const { model, sequence } = models[1] as (typeof models)[number];
    const frame = chatFrame(model, null);
    for (const user of ['74', '115', '117', '118', '119']) {
      const { plain, quick } = await bothWays(
        model,
        sequence,
        { tokens: frame.tokens([{ role: 'user', content: user }]), shared: 0 },
        DIGITS,
      );
      expect(quick).toEqual(plain);
    }
  });

  it('is so too where the vocabulary marks the space before a word, and the model would begin with one', async () => {
    const modelPath = join(folder, 'spaced.gguf');
    execFileSync(PYTHON, [join(FIXTURES, 'spaced_vocabulary.py'), modelPath], { stdio: 'pipe' });
    const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
    const context = await model.createContext({
      contextSize: 256,
      sequences: 1,
      threads: 1,
      batchSize: 256,
      flashAttention: false,
    });
    const { plain, quick } = await bothWays(
      model,
      new PromptedSequence(context.getSequence()),
      { tokens: model.tokenize('Which?', false), shared: 0 },
      DIGITS,
    );
    expect(plain.text).toBe('8');
    expect(quick).toEqual(plain);
  });

  it('does not depend on which answers were called likely', async () => {
    const { model, sequence } = models[0] as (typeof models)[number];
    const answers = enumerateAnswers(answerSchema('thought') as Record<string, unknown>) ?? [];
    for (const item of ITEMS.filter(({ phase }) => phase === 'thought')) {
      const prompt = promptOf(model, reviewOf(item));
      const ask = async (likely: readonly string[]) =>
        draftedAnswer(model, sequence, await sequence.begin(prompt, none), {
          answers,
          likely,
          maxTokens: 112,
          check: none,
        });
      const expected = await ask(likelyAnswers('thought'));
      expect(await ask([])).toEqual(expected);
      expect(await ask(likelyAnswers('thought').toReversed())).toEqual(expected);
    }
  });
});

describe('A kept beginning of prompts', () => {
  it('gives what follows the same numbers, to the last bit, as one evaluated anew', async () => {
    for (const { model, sequence } of models) {
      const numbers = async (review: ReviewPrompt): Promise<(number | undefined)[]> => {
        const rest = await sequence.begin(promptOf(model, review), none);
        const outputs = await sequence.sequence.controlledEvaluate(
          rest.map((token) => [
            token,
            { generateNext: { token: true, confidence: true, options: { temperature: 1, seed: 1 } } },
          ]),
        );
        return outputs.map((output) => output?.next.confidence);
      };
      const fresh: (number | undefined)[][] = [];
      for (const item of ITEMS) {
        await numbers({ system: 'Another beginning.', user: 'x' }); // so that nothing of the next prompt is there
        fresh.push(await numbers(reviewOf(item)));
      }
      expect(fresh.flat().every((number) => typeof number === 'number')).toBe(true);
      for (const [index, item] of [...ITEMS.entries()].toReversed())
        expect(await numbers(reviewOf(item))).toEqual(fresh[index]);
    }
  }, 300_000);
});
