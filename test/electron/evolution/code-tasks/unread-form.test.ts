import { describe, expect, it } from 'vitest';
import {
  runConfigSchema,
  type AzrConfig,
  type CodeTaskType,
  type TaskRecord,
} from '../../../../electron/contract/index.ts';
import {
  beginCodeTasks,
  scoreProposal,
  scoreSolution,
  solutionReward,
  type CodeTaskRequest,
  type CodeTaskState,
  type ScoredCodeTask,
} from '../../../../electron/evolution/code-tasks/scoring.ts';
import { selfPlay } from '../../../../electron/evolution/frameworks/azr/index.ts';
import type { RunState, StepContext } from '../../../../electron/evolution/loop/run-state.ts';
import { loadPromptPack } from '../../../../electron/library/index.ts';
import type { Rollout } from '../../../../electron/processes/index.ts';
import { useRunner } from '../../real-runner.ts';

/** Where the original's reward manager and a sound reading part ways; each case is asked of both. */
type Run = RunState<AzrConfig, CodeTaskState>;
const runner = useRunner();
const pack = loadPromptPack('resources/prompts/full', 'full');
const MOST = 1000;

function runOf(
  rules: 'strict' | 'azr-compat',
  changes: Partial<AzrConfig> = {},
  tasks: TaskRecord[] = [],
): Run {
  const config = runConfigSchema.parse({
    policy: { promptPack: 'full' },
    framework: { name: 'azr', validator: rules, verifier: rules, estimateSamples: 2, ...changes },
    generation: { maxPromptTokens: MOST },
  });
  const framework = config.framework as AzrConfig;
  return {
    config: { ...config, framework },
    step: 1,
    context: { step: 1, hash: '', text: '', tokens: 0, lines: [], removed: [] },
    state: beginCodeTasks(framework, tasks),
    previousHash: '',
  };
}

const rollout = (text: string, index = 0): Rollout => ({
  rolloutId: `r${index}`,
  key: 'k',
  index,
  text,
  finish: 'stop',
  promptTokens: 10,
  newTokens: 10,
  logpSum: -1,
  logpMean: -0.1,
  entropyMean: 0.1,
  version: 0,
  ms: 1,
});

/** Weights that answer nothing but how long a prompt is: `tokens` each. */
function environment(tokens = 10): StepContext {
  const weights = {
    countTokens: async (prompts: readonly unknown[]) => prompts.map(() => tokens),
    generate: async (_: string, items: readonly { key: string; n: number }[]) =>
      items.flatMap(({ key, n }) =>
        Array.from({ length: n }, (_unused, index) => ({ ...rollout('<answer>5</answer>', index), key })),
      ),
  };
  return {
    weights: () => weights,
    runner: runner(),
    pack,
    signal: new AbortController().signal,
  } as unknown as StepContext;
}

const request = (purpose: 'propose' | 'solve', taskType: CodeTaskType, task: TaskRecord | null) =>
  ({
    id: `1/${purpose}/0`,
    batch: purpose === 'propose' ? 'gen_code_o' : 'pred_code_f',
    index: 0,
    purpose,
    role: purpose === 'propose' ? 'proposer' : 'solver',
    taskType,
    taskId: task?.id ?? null,
    attempt: 1,
    group: null,
    prompt: { system: '', user: '' },
    seed: 1,
    detail: { taskType, task, references: [], given: null },
  }) as CodeTaskRequest;

const PROPOSAL = '```python\ndef f(x):\n    return x + 1\n```\n```input\n4\n```';
const proposal = (text: string, run: Run): Promise<ScoredCodeTask> =>
  scoreProposal(run, environment(), request('propose', 'deduction', null), rollout(text));

describe('a proposal whose program is valid and whose form is broken', () => {
  const outcome = async (rules: 'strict' | 'azr-compat', reader?: AzrConfig['reader'], text = PROPOSAL) => {
    const run = runOf(rules, reader === undefined ? {} : { reader });
    const scored = await proposal(`<answer>${text}</answer>`, run);
    const { values, records } = await selfPlay.measure(run, environment(), [scored], () => {});
    const kept = selfPlay.tasks([], [scored], values);
    return {
      formatOk: scored.response.formatOk,
      reward: selfPlay.rewards(run, [scored], values),
      estimates: records.length,
      kept: kept.map(({ outputs, solveRate }) => ({ outputs, solveRate })),
    };
  };

  it('is paid as a broken form and kept, estimated, under azr-compat, as in the original', async () => {
    expect(await outcome('azr-compat')).toEqual({
      formatOk: false,
      reward: [-1],
      estimates: 2,
      kept: [{ outputs: ['5'], solveRate: 1 }],
    });
  });

  it('is thrown away under strict', async () => {
    expect(await outcome('strict')).toEqual({ formatOk: false, reward: [-1], estimates: 0, kept: [] });
  });

  it('is kept by the reader that is named and not by the validator', async () => {
    expect(await outcome('strict', 'azr-compat')).toEqual(await outcome('azr-compat'));
    expect(await outcome('azr-compat', 'strict')).toEqual(await outcome('strict'));
  });

  it('is thrown away by the lenient reader where its input is copied from the form', async () => {
    const [, input = ''] = pack.examples('propose-deduction');
    const program = '```python\ndef f(first, second):\n    return first\n```';
    const copied = `${program}\n\`\`\`input\n${input}\n\`\`\``;
    expect(await outcome('azr-compat', 'lenient', copied)).toMatchObject({ formatOk: false, kept: [] });
  });
});

describe('a proposal whose task stands in the buffer of its type', () => {
  const known: TaskRecord = {
    id: 't0/deduction/0',
    taskType: 'deduction',
    step: 0,
    origin: 'seed',
    rolloutId: null,
    program: 'def f(x):\n    return x + 1',
    inputs: ['4'],
    outputs: ['5'],
    message: null,
    imports: [],
    solveRate: null,
  };
  const reasonOf = async (rejectDuplicates: boolean, tasks: TaskRecord[]): Promise<string | null> => {
    const text = `<think>A sum.</think><answer>${PROPOSAL}</answer>`;
    return (await proposal(text, runOf('strict', { rejectDuplicates }, tasks))).verdict.reason;
  };

  it('is refused where a run refuses them, and taken where it does not or where another type has it', async () => {
    expect(await reasonOf(true, [known])).toBe('duplicate');
    expect(await reasonOf(false, [known])).toBeNull();
    expect(await reasonOf(true, [{ ...known, taskType: 'abduction' }])).toBeNull();
  });
});

describe('a task that is too long to be asked', () => {
  const keptOf = async (rules: 'strict' | 'azr-compat', tokens: number) => {
    const run = runOf(rules);
    const scored = await proposal(`<think>A sum.</think><answer>${PROPOSAL}</answer>`, run);
    const { values } = await selfPlay.measure(run, environment(tokens), [scored], () => {});
    return selfPlay.tasks([], [scored], values).map(({ solveRate }) => solveRate);
  };

  it('enters no buffer under azr-compat, as in the original', async () => {
    expect(await keptOf('azr-compat', MOST + 1)).toEqual([]);
    expect(await keptOf('azr-compat', MOST)).toEqual([1]);
  });

  it('counts as unsolved under strict', async () => {
    expect(await keptOf('strict', MOST + 1)).toEqual([0]);
  });
});

describe('an answer to an induction task without a block', () => {
  const task: TaskRecord = {
    id: 't',
    taskType: 'induction',
    step: 0,
    origin: 'seed',
    rolloutId: null,
    program: 'def f(x):\n    return x + 1',
    inputs: ['1', '2'],
    outputs: ['2', '3'],
    message: 'Add one.',
    imports: [],
    solveRate: null,
  };
  const rewardOf = async (rules: 'strict' | 'azr-compat', answer: string) => {
    const text = `<think>One more.</think><answer>${answer}</answer>`;
    const scored = await scoreSolution(
      runOf(rules),
      environment(),
      request('solve', 'induction', task),
      rollout(text),
    );
    return [solutionReward(scored), scored.verdict.reason];
  };

  it('is paid as a broken form under azr-compat, as in the original, and as a wrong answer under strict', async () => {
    expect(await rewardOf('azr-compat', 'I add one.')).toEqual([-1, 'no-program']);
    expect(await rewardOf('strict', 'I add one.')).toEqual([-0.5, 'no-program']);
  });

  it('is a wrong answer under both where it has a block that holds the wrong program', async () => {
    const wrong = '```python\ndef f(x):\n    return x\n```';
    for (const rules of ['azr-compat', 'strict'] as const)
      expect(await rewardOf(rules, wrong), rules).toEqual([-0.5, 'wrong-value']);
  });
});
