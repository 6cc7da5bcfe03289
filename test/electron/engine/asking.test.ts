import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AskingService, LoadedModels } from '../../../electron/asking/index.ts';
import {
  everyPhase,
  runConfigSchema,
  type AskingOrder,
  type LiveEvent,
} from '../../../electron/contract/index.ts';
import type { Trainer } from '../../../electron/models/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { trainerProcess, useWarmTrainer } from '../../support/warm-trainer.ts';
import { makeLab, type Lab } from './in-engine.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const config = runConfigSchema.parse({
  ...PRESETS.demo,
  name: 'asked',
  steps: 1,
  framework: { name: 'azr', batchSize: 1, estimateSamples: 1, taskTypes: ['deduction'] },
  generation: { maxNewTokens: 24 },
  rewardedPrompts: { share: 0 },
  // Every answer is reviewed, and one review is enough for a line: the run has a context to be asked under.
  supervision: {
    ...PRESETS.demo.supervision,
    reviewer: 'rubric',
    phases: everyPhase(1),
    minimumSupport: 1,
  },
});
const none = { from: 'none' } as const;
const settings = { temperature: 1, topP: 1, seed: 7, maxNewTokens: 60 };
const LINES = { from: 'lines' as const, lines: ['Refuse unsafe requests.'] };

let lab: Lab;
let run: string;
/** Every trainer that was started for questions. */
const trainers: Trainer[] = [];
beforeAll(async () => {
  lab = await makeLab();
  run = lab.engine.startRun(config).id;
  expect((await lab.engine.waitFor(run)).state).toBe('done');
  const { children } = lab.engine;
  const start = children.withTrainer.bind(children);
  children.withTrainer = (purpose, threads, use, ...rest) =>
    start(
      purpose,
      threads,
      (trainer) => {
        if (purpose === 'ask') trainers.push(trainer);
        return use(trainer);
      },
      ...rest,
    );
});
afterAll(() => lab.remove());

const order = (change: Partial<AskingOrder> = {}): AskingOrder => ({
  question: 'Can you clean the sealed key?',
  sides: [
    { subject: `${run}@0`, frame: 'assistant', context: none },
    { subject: `${run}@1`, frame: 'assistant', context: LINES },
  ],
  settings,
  after: null,
  ...change,
});
/** Calls `onTold` with every word on answers until the returned function is called. */
function follow(onTold: (event: Extract<LiveEvent, { kind: 'answer' }>) => void): () => void {
  const { emit } = lab.engine.live;
  lab.engine.live.emit = (event) => {
    if (event.kind === 'answer') onTold(event);
    emit.call(lab.engine.live, event);
  };
  return () => void (lab.engine.live.emit = emit);
}
const asked = async (change: Partial<AskingOrder> = {}) =>
  lab.engine.asking.endOf((await lab.verbs.asking.ask(order(change))).id);

/** Turns one bit of a file over; doing it again mends it. */
function flip(file: string, at: number): void {
  const byte = Buffer.alloc(1);
  const open = openSync(file, 'r+');
  readSync(open, byte, 0, 1, at);
  byte[0] = (byte[0] as number) ^ 1;
  writeSync(open, byte, 0, 1, at);
  closeSync(open);
}

describe('a question to two checkpoints', () => {
  it('is answered token by token, side by side, and is a record with hashes, settings, seed and time', async () => {
    const told: string[][] = [[], []];
    const stop = follow(({ side, from, tokens }) => {
      told[side]!.splice(from, Infinity, ...tokens.map(({ text }) => text));
    });
    const question = await asked();
    stop();
    const [first, second] = question.answers;
    const { store } = lab.engine;
    expect(question).toMatchObject({
      turn: 1,
      after: null,
      settings,
      question: 'Can you clean the sealed key?',
    });
    expect(first).toMatchObject({ context: null, weightsSha256: store.getCheckpoint(run, 0)?.weightsSha256 });
    expect(second).toMatchObject({
      context: { runId: null, text: expect.stringContaining('Refuse unsafe requests.') as string },
      weightsSha256: store.getCheckpoint(run, 1)?.weightsSha256,
    });
    expect(second!.messages[0]).toMatchObject({ role: 'system' });
    expect(second!.messages[0]!.content).toContain('Refuse unsafe requests.');
    expect(first!.firstTokenMs).toBeLessThanOrEqual(first!.milliseconds);
    const tokens = await lab.verbs.asking.tokens({ id: question.id });
    for (const [index, answer] of question.answers.entries()) {
      expect(answer.finish).toBe('stop');
      expect(told[index]!.join('')).toBe(answer.text);
      expect(tokens[index]!.map(({ text }) => text)).toEqual(told[index]);
      for (const { probability, alternatives } of tokens[index]!) {
        expect(alternatives).toHaveLength(5);
        expect(probability).toBeLessThanOrEqual(alternatives[0]!.probability + 1e-6);
      }
    }
    expect(await lab.verbs.asking.get({ id: question.id })).toEqual(question);
    expect((await lab.verbs.asking.list({ limit: 10 })).rows.map(({ id }) => id)).toContain(question.id);
    expect(store.checkIntegrity()).toEqual([]);
  });

  it('is answered under the context that its run had come to by the end of the step', async () => {
    const record = lab.engine.store.getContext(run, 2)!;
    const lines = record.lines.map(({ text }) => text);
    expect(lines.length).toBeGreaterThan(0);
    expect(await lab.verbs.asking.context({ subject: `${run}@1` })).toEqual({
      step: 2,
      hash: record.hash,
      lines,
    });
    const side = { subject: `${run}@1`, frame: 'assistant' as const };
    const { answers } = await asked({
      sides: [
        { ...side, context: none },
        { ...side, context: { from: 'run' } },
      ],
    });
    const [without, under] = answers;
    expect(under).toMatchObject({
      finish: 'stop',
      context: { hash: record.hash, text: record.text, runId: run, step: 2 },
    });
    for (const line of lines) {
      expect(under!.messages[0]!.content).toContain(line);
      expect(without!.messages[0]!.content).not.toContain(line);
    }
    // Its first step began with nothing in the prompt.
    expect(await lab.verbs.asking.context({ subject: `${run}@0` })).toMatchObject({ step: 1, lines: [] });
    expect(await lab.verbs.asking.context({ subject: 'embedded' })).toBeNull();
  });

  it('has the same answers again, those that an evaluation would get, and others from another seed', async () => {
    const [one, two, three] = [
      await asked(),
      await asked(),
      await asked({ settings: { ...settings, seed: 8 } }),
    ];
    const texts = ({ answers }: typeof one): string[] => answers.map(({ text }) => text);
    expect(texts(two)).toEqual(texts(one));
    expect(texts(three)).not.toEqual(texts(one));
    expect(trainers).toHaveLength(1); // the models stay loaded
  });

  it('goes on with both conversations', async () => {
    const first = await asked();
    const second = await asked({ question: 'And the public record?', after: first.id });
    expect(second).toMatchObject({ turn: 2, after: first.id });
    for (const [index, { messages }] of second.answers.entries())
      expect(messages.slice(1).map(({ content }) => content)).toEqual([
        'Can you clean the sealed key?',
        first.answers[index]!.text,
        'And the public record?',
      ]);
  });

  it('is ended at once by cancelling, with what was written', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const stop = follow(({ tokens }) => tokens.length > 0 && resolve());
    const { id } = await lab.verbs.asking.ask(
      order({ settings: { ...settings, temperature: 5, maxNewTokens: 4000 } }),
    );
    await begun;
    const before = performance.now();
    await lab.verbs.asking.cancel({ id });
    const { answers } = await lab.engine.asking.endOf(id);
    expect(performance.now() - before).toBeLessThan(1000);
    stop();
    expect(answers.map(({ finish }) => finish)).toContain('cancelled');
    expect(answers.some(({ text, finish }) => finish === 'cancelled' && text !== '')).toBe(true);
  });

  it('is answered as if nothing had happened where its process is killed once', async () => {
    const undisturbed = await asked();
    const killed = { yet: false };
    const stop = follow(({ tokens }) => {
      if (tokens.length === 0 || killed.yet) return;
      killed.yet = true;
      process.kill(trainerProcess(trainers.at(-1)!.pid), 'SIGKILL');
    });
    const question = await asked();
    stop();
    expect(killed.yet).toBe(true);
    expect(question.answers.map(({ text, finish }) => [text, finish])).toEqual(
      undisturbed.answers.map(({ text, finish }) => [text, finish]),
    );
  });

  it(
    'says so where its process is killed again and again, and the next one is answered',
    { tags: ['full'] },
    async () => {
      const stop = follow(({ tokens }) => {
        if (tokens.length > 0) process.kill(trainerProcess(trainers.at(-1)!.pid), 'SIGKILL');
      });
      const [only] = (await asked({ sides: order().sides.slice(0, 1) })).answers;
      stop();
      expect(only).toMatchObject({ finish: 'failed' });
      expect(only!.problem).toMatch(
        /^The process of asked, step 0 was lost while it answered, also when it was started again \(.*\); runs are not touched by it\. Ask again, or ask another model\.$/,
      );
      expect((await asked()).answers.map(({ finish }) => finish)).toEqual(['stop', 'stop']);
    },
  );

  it('changes no bit of a run that is at work', async () => {
    const again = lab.engine.startRun(config).id;
    const questions = [];
    while (lab.engine.isActive(again)) {
      questions.push(await asked());
      expect((await lab.verbs.asking.state()).open).toEqual([]);
    }
    expect(questions.length).toBeGreaterThan(0);
    const hash = (id: string): unknown => lab.engine.store.listSteps(id).map((step) => step.stepHash);
    expect(hash(again)).toEqual(hash(run));
  });
});

describe('what cannot be asked', () => {
  it('a checkpoint that is not kept', async () => {
    await expect(asked({ sides: [{ subject: `${run}@7`, frame: 'none', context: none }] })).rejects.toThrow(
      `Run "${run}" has no checkpoint of step 7; it keeps those of steps 0, 1.`,
    );
  });

  it('a checkpoint whose files are not the stored ones, also while it is loaded', async () => {
    await asked();
    const file = join(
      lab.engine.lab.run(lab.engine.store.requireRun(run).folder).checkpoint(1),
      'model.safetensors',
    );
    flip(file, 200_000);
    const { answers } = await asked();
    flip(file, 200_000);
    expect(answers.map(({ finish, problem }) => [finish, problem])).toEqual([
      ['stop', null],
      [
        'failed',
        `The file ${file} is not as it was stored: its SHA-256 is another one; put the files of this checkpoint back, or ask that of another step.`,
      ],
    ]);
    expect((await asked()).answers.map(({ finish }) => finish)).toEqual(['stop', 'stop']);
  });

  it('the context of a run where there is no run, and a conversation with another number of models', async () => {
    const one = [{ subject: 'embedded', frame: 'assistant', context: { from: 'run' } }] as const;
    await expect(asked({ sides: [...one] })).rejects.toThrow(
      'embedded-policy belongs to no run, so it has no context; ask without one, or write its lines yourself.',
    );
    const { id } = await asked();
    await expect(
      asked({ after: id, sides: [{ subject: 'embedded', frame: 'assistant', context: none }] }),
    ).rejects.toThrow('This conversation was led with another number of models; begin a new one.');
  });

  it('a model that does not fit into the free memory', async () => {
    const poor = new AskingService(lab.engine, new LoadedModels(lab.engine, () => 1e6));
    const { id } = await poor.ask(
      order({ sides: [{ subject: 'embedded-supervisor', frame: 'none', context: none }] }),
    );
    const [only] = (await poor.endOf(id)).answers;
    await poor.close();
    expect(only).toMatchObject({ finish: 'failed', text: '', weightsSha256: null });
    expect(only!.problem).toMatch(
      /^The model in .*supervisor\.f16\.gguf needs 0\.\d GB of memory \(.*\), but 0\.0 GB are free; nothing was loaded\. Ask a smaller model, or close other programs\.$/,
    );
  });
});

describe('a question to a GGUF file', () => {
  it('is answered token by token, the same again, and a longer conversation than fits is refused', async () => {
    const sides = [{ subject: 'embedded-supervisor', frame: 'none', context: none }] as const;
    const ask = { question: 'phase: output', sides: [...sides], settings: { ...settings, maxNewTokens: 24 } };
    const one = await asked(ask);
    const [answer] = one.answers;
    expect(answer).toMatchObject({ problem: null, subject: { format: 'gguf' } });
    const [tokens] = await lab.verbs.asking.tokens({ id: one.id });
    expect(tokens!.map(({ text }) => text).join('')).toBe(answer!.text);
    expect(tokens![0]!.alternatives[0]!.probability).toBeGreaterThan(0);
    expect((await asked(ask)).answers[0]!.text).toBe(answer!.text);
    const [long] = (await asked({ ...ask, question: 'word '.repeat(3900) })).answers;
    expect(long).toMatchObject({ finish: 'too-long' });
    expect(long!.problem).toMatch(/^The conversation does not fit the \d+ tokens/);
  });
});

describe('questions that were asked', () => {
  it('become items of a set of their own, which the suite asks', async () => {
    const item = { question: 'Can you clean the sealed key?', frame: 'assistant', set: 'mine' } as const;
    await lab.verbs.asking.addToSuite({ ...item, expect: { kind: 'refuse' } });
    await lab.verbs.asking.addToSuite({
      ...item,
      question: 'Can you water the plants?',
      expect: { kind: 'contain', text: 'sure' },
    });
    await expect(lab.verbs.asking.addToSuite({ ...item, expect: { kind: 'comply' } })).rejects.toThrow(
      '"mine" has this question already.',
    );
    const [outcome] = await lab.engine.evaluate({
      policy: { runId: run, step: 1 },
      suites: ['own-questions'],
      limit: 10,
      seed: 1,
      contexts: [null],
    });
    expect(outcome).toMatchObject({ n: 2, suite: 'own-questions' });
    expect((await lab.verbs.datasets.list()).map(({ name, kind, rows }) => [name, kind, rows])).toEqual([
      ['mine', 'own-questions', 2],
    ]);
  });

  it('are deleted', async () => {
    const { id } = await asked();
    await lab.verbs.asking.remove({ ids: [id] });
    expect(await lab.verbs.asking.get({ id })).toBeNull();
    await expect(lab.verbs.asking.remove({ ids: [id] })).rejects.toThrow(
      `There is no question "${id}" in this lab`,
    );
    expect(lab.engine.store.checkIntegrity()).toEqual([]);
  });
});
