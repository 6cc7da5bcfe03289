import { describe, expect, it } from 'vitest';
import {
  Failure,
  runConfigSchema,
  type OwnSeeds,
  type SeedAttempt,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { frameworkOf, PausedBeforeStart } from '../../../electron/evolution/index.ts';
import { loadPromptPack } from '../../../electron/library/index.ts';
import type { ChatMessage } from '../../../electron/processes/index.ts';
import { useRunner } from '../real-runner.ts';

const framework = frameworkOf({ name: 'azr' });
const runner = useRunner();
const pack = loadPromptPack('resources/prompts/instruct', 'instruct');

type Asked = { key: string; messages: readonly ChatMessage[]; seed: number };
/** What the policy writes for one request. */
type Writer = (asked: Asked) => string;

const isProblem = ({ messages }: Asked): boolean => messages[1]?.content.includes('```input blocks') ?? false;
const program = (added: number): string =>
  `\`\`\`python\ndef f(x):\n    return x + ${added}\n\`\`\`\n\`\`\`input\n3\n\`\`\``;
const problem = '```input\n1\n```\n```input\n2\n```\n```message\nIt adds something.\n```';
/** A new program for every seed, with inputs and a message for each. */
const willing: Writer = (asked) => (isProblem(asked) ? problem : program(asked.seed % 100_003));

type Options = {
  write?: Writer;
  settings?: Partial<OwnSeeds>;
  taskTypes?: string[];
  earlier?: readonly SeedAttempt[];
  /** Rounds after which a person asks to pause. */
  pauseAfter?: number;
  longestPrompt?: number;
};

/** The tasks that a policy of canned answers begins a run with, and all it wrote. */
async function begin(options: Options = {}) {
  const stored: SeedAttempt[] = [...(options.earlier ?? [])];
  const told: [number, number][] = [];
  const asked: Asked[] = [];
  const config = runConfigSchema.parse({
    policy: { promptPack: 'instruct', maxConcurrent: 3 },
    framework: {
      name: 'azr',
      reader: 'lenient',
      batchSize: 2,
      inductionInputs: 2,
      seeds: 'own',
      ownSeeds: { count: 8, ...options.settings },
      ...(options.taskTypes === undefined ? {} : { taskTypes: options.taskTypes }),
    },
    generation: { maxPromptTokens: options.longestPrompt ?? 100_000 },
  });
  const init = framework.init(config, {
    seeds: () => {
      throw new Error('the policy is to be asked');
    },
    runner: runner(),
    signal: new AbortController().signal,
    onChecked: () => {},
    seeding: {
      weights: {
        countTokens: async (prompts) =>
          prompts.map((item) =>
            'messages' in item ? item.messages.reduce((sum, { content }) => sum + content.length, 0) : 0,
          ),
        commit: async () => {},
        generate: async (_, items, sampling, _signal, onRollout) => {
          expect(sampling.topK).toBe(0);
          for (const item of items as (Asked & (typeof items)[number])[]) {
            asked.push(item);
            onRollout({
              rolloutId: item.key,
              key: item.key,
              index: 0,
              text: (options.write ?? willing)(item),
              finish: 'stop',
              promptTokens: 1,
              newTokens: 9,
              logpSum: 0,
              logpMean: 0,
              entropyMean: 0,
              version: 0,
              ms: 1,
            });
          }
          return [];
        },
      },
      pack,
      context: '',
      earlier: options.earlier ?? [],
      store: (round) => stored.push(...round),
      isPausing: () => (stored.at(-1)?.round ?? 0) >= (options.pauseAfter ?? Infinity),
      onWritten: (...counts) => told.push(counts),
    },
  });
  const [tasks, failure] = await init.then(
    (made): [TaskRecord[], null] => [made, null],
    (error: Error): [TaskRecord[], Error] => [[], error],
  );
  return { tasks, failure, stored, told, asked };
}

const ofType = (tasks: readonly TaskRecord[], wanted: string): TaskRecord[] =>
  tasks.filter(({ taskType }) => taskType === wanted);

describe('first tasks that the policy writes itself', () => {
  it('begin with the zero triplet, fill the buffers of both triplet types alike, and then become problems', async () => {
    const { tasks, failure, stored, told } = await begin();
    expect(failure).toBeNull();
    for (const taskType of ['abduction', 'deduction', 'induction'])
      expect(ofType(tasks, taskType), taskType).toHaveLength(8);
    const [zero, first] = ofType(tasks, 'deduction');
    expect(zero?.program).toBe('def f(x):\n    return x');
    expect(first).toMatchObject({ id: 'seed/deduction/1', origin: 'own-seed', step: 0, inputs: ['3'] });
    expect(ofType(tasks, 'abduction').map(({ program: text }) => text)).toEqual(
      ofType(tasks, 'deduction').map(({ program: text }) => text),
    );
    // Abduction and deduction are asked for in turn, and each program is asked about in turn.
    const rounds = [...Map.groupBy(stored, ({ round }) => round).values()].map(([one]) => one?.taskType);
    expect(rounds).toEqual(['abduction', 'deduction', 'abduction', 'induction', 'induction', 'induction']);
    // The zero problem is about the zero triplet's program, as the first that the policy writes.
    const about = (taskType: string) => ofType(tasks, taskType).map(({ program: text }) => text);
    expect(about('induction').slice(1)).toEqual(about('deduction').slice(0, 7));
    expect(told[0]).toEqual([2, 16]);
    expect(told.at(-1)).toEqual([16, 16]);
  });

  it('have the outputs of the sandbox, and show the next proposer what is there already', async () => {
    const { tasks, asked } = await begin({ settings: { count: 5 }, taskTypes: ['deduction'] });
    const [, second] = ofType(tasks, 'deduction');
    const added = Number(/\+ (\d+)$/.exec(second?.program ?? '')?.[1]);
    expect(second?.outputs).toEqual([String(3 + added)]);
    expect(asked[0]?.messages[1]?.content).toContain('return x\n');
    expect(asked.slice(3).some(({ messages }) => /return x \+ \d+/.test(messages[1]?.content ?? ''))).toBe(
      true,
    );
    // Without induction nothing is asked for it.
    expect(asked.some(isProblem)).toBe(false);
    expect(ofType(tasks, 'induction')).toHaveLength(1);
  });

  it('are the same however often the writing was paused', async () => {
    const straight = await begin();
    const first = await begin({ pauseAfter: 2 });
    expect(first.failure).toBeInstanceOf(PausedBeforeStart);
    expect(first.failure?.message).toMatch(
      /^Paused while the policy writes its first tasks: 8 of 16 are stored/,
    );
    const second = await begin({ earlier: first.stored, pauseAfter: 4 });
    expect(second.failure).toBeInstanceOf(PausedBeforeStart);
    const third = await begin({ earlier: second.stored });
    expect(third.tasks).toEqual(straight.tasks);
    expect(third.stored).toEqual(straight.stored);
    expect(third.asked.length).toBeLessThan(straight.asked.length);
  });

  it('count once where the policy repeats a program, and need no form', async () => {
    const bare = (added: number): string => `I thought of this.\n${program(added)}\nThat is all.`;
    const { tasks, stored } = await begin({
      settings: { count: 3 },
      taskTypes: ['deduction'],
      write: ({ seed }) => bare(seed % 2),
    });
    expect(new Set(ofType(tasks, 'deduction').map(({ program: text }) => text)).size).toBe(3);
    expect(stored.some(({ reason, task }) => reason === 'duplicate' && task === null)).toBe(true);
  });

  it('are asked for without references where these make the question too long', async () => {
    const { asked: usual } = await begin({ settings: { count: 3 }, taskTypes: ['deduction'] });
    const lengths = usual.map(({ messages }) =>
      messages.reduce((sum, { content }) => sum + content.length, 0),
    );
    const { asked, failure } = await begin({
      settings: { count: 3 },
      taskTypes: ['deduction'],
      longestPrompt: Math.min(...lengths) - 1,
    });
    expect(failure).toBeNull();
    expect(asked[0]?.messages[1]?.content).not.toContain('return x');
  });

  it('stop the run with reasons and examples where hardly any text becomes one', async () => {
    const { failure, stored } = await begin({ write: () => 'def f is a function.' });
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ kind: 'badTask', exitCode: 2 });
    expect(failure?.message).toMatch(/^Of 33 texts .* 0 could be used, less than the share of 0\.05 in/);
    expect(failure?.message).toContain('33 × The answer has no code block that defines a function.');
    expect(failure?.message).toContain('(no-program) “def f is a function.”');
    expect(failure?.message).toContain('policy.promptPack, now instruct');
    expect(stored).toHaveLength(33);
  });

  it('stop the run where the texts that may be asked for are used up', async () => {
    let count = 0;
    const { failure } = await begin({
      settings: { attempts: 6 },
      write: (asked) => ((count += 1) % 3 === 0 ? willing(asked) : 'No.'),
    });
    expect(failure?.message).toMatch(/asked 6 times .* allows no more, and 2 of the 8 that/);
  });
});
