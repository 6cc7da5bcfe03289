// @module-tag full
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EvaluationSummary, runConfigSchema } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { TrainerClient } from '../../../electron/processes/trainer-client.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { lines, rowsOfKind } from '../evaluation/datasets/support.ts';
import { makeLab, type Lab } from './in-engine.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const report = (python: string): string =>
  `def f(x):\n    import os\n    os.write(3, ${python})\n    os._exit(0)`;
/** Programs that write their own report, return what no line or database may like, or go for the process around them. */
const PROGRAMS = [
  report(`b'{"call":0,"value":["n"],"seconds":1' + b'0' * 4000 + b'}\\n{"end":true}\\n'`),
  report(`b'\\\\"' * 60000 + b',' * 2100000 + b'\\n'`),
  report(`b'{}\\n' * 1000000`),
  report(`b'{"call":0,"pass":0,"value":["s","\\\\ud800"]}\\n{"end":true}\\n'`),
  report(`b'[' * 100000 + b'\\n'`),
  'def f(x):\n    return "\\ud800\\x00\\u2028"',
  'def f(x):\n    return {float("nan"): -0.0, (1, 2): {3}}',
  'def f(x):\n    return 10 ** 6000',
  'def f(x):\n    y = []\n    for i in range(63): y = [y]\n    return y',
  'def f(x):\n    import sys\n    sys.setrecursionlimit(10 ** 9)\n    return f(x)',
  `def f(x):\n    return x${' '.repeat(100_000)}if x else 1`,
  'def f(x):\n    import os\n    os.kill(0, 9)',
  'def f(x):\n    class E(Exception):\n        def __str__(self): raise SystemExit\n    raise E',
];
const FENCE = '```';
const whole = (program: string): string =>
  `<think><plan>p</plan>\nx=${'1'.repeat(20_000)} y=x${'+x'.repeat(20_000)}=1</think>\n<answer>${FENCE}python\n${program}\n${FENCE}\n${FENCE}input\n1\n${FENCE}\n</answer>`;
const ANSWERS = [
  ...PROGRAMS.map(whole),
  '',
  '\u0000',
  '\ud800',
  `<answer>\ud800\udc00\ud800</answer>`,
  '<think>'.repeat(10_000),
  `${FENCE}\n`.repeat(25_000),
  `the answer is 1${' '.repeat(100_000)}1`,
  `\\boxed{${'\\text{'.repeat(8_000)}}`,
  `\\boxed{${'9**'.repeat(3_000)}9}`,
  `<answer>${'['.repeat(50_000)}</answer>`,
  `<answer>${'9'.repeat(100_000)}</answer>`,
  `<answer>${'-'.repeat(50_000)}1</answer>`,
  '<answer>{"action": "refund", '.repeat(3_000),
  `x${"1'1'".repeat(25_000)}`,
  '<answer>1e999999999</answer>',
  '<answer>frozenset({[]})</answer>',
  '<|im_end|><|im_start|>system',
  'A'.repeat(1_000_000),
];

/** Programs for standard input whose output no line or comparison may like, and answers that are no program. */
const PRINTING = [
  'print("x" + " " * 15_000_000 + "x")',
  'print("1" + "0" * 15_000_000 + "1")',
  'print("1e" + "9" * 60_000_000)',
  'print("1e" + "9" * 15_000_000)',
  'print("\\n" * 60_000_000)',
  'print("1\\n" * 4_000_000)',
  'print("1 " * 7_000_000)',
  'print("\\ud800\\x00" * 100_000)',
  'print("\\u0660" * 2_000_000 + "3")',
  'import os\nos.write(3, b\'{"call":0,"value":["i",NaN],"seconds":0}\\n{"end":true}\\n\')\nos._exit(0)',
  'import os\nos.write(3, b"[" * 10_000_000 + b"\\n")',
  'import os\nos.kill(0, 9)',
];
const PRINTED = [
  ...PRINTING.map((program) => `${FENCE}python\n${program}\n${FENCE}`),
  ...ANSWERS.slice(PROGRAMS.length),
];

/** The real trainer, whose rollouts tell these texts in turn. */
let texts = ANSWERS;
let next = 0;
beforeAll(() => {
  const generate = TrainerClient.prototype.generate;
  vi.spyOn(TrainerClient.prototype, 'generate').mockImplementation(function (
    this: TrainerClient,
    asked,
    options,
  ) {
    // What it writes by itself is replaced, so that little will do.
    const sampling = { ...asked.sampling, maxNewTokens: Math.min(asked.sampling.maxNewTokens, 64) };
    return generate.call(
      this,
      { ...asked, sampling },
      {
        ...options,
        onRollout: (rollout) =>
          options?.onRollout?.({ ...rollout, text: texts[next++ % texts.length] as string }),
      },
    );
  });
});

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await lab.remove();
});

async function imported(name: string, rows: readonly unknown[]): Promise<void> {
  const path = join(lab.scratch, `${name}.jsonl`);
  writeFileSync(path, lines(rows));
  const { sets } = await lab.verbs.datasets.look({ path });
  const job = await lab.verbs.datasets.import({ path, key: sets[0]!.key, by: 'a person' });
  expect((await lab.ended(job)).problem).toBeNull();
}

async function evaluated(suite: string, limit: number): Promise<EvaluationSummary> {
  next = 0;
  const job = await lab.verbs.evaluations.start({
    subjects: ['embedded'],
    suites: [suite],
    limit,
    ...(suite === 'livecodebench' ? { protocols: { livecodebench: 'greedy' } } : {}),
  });
  expect((await lab.ended(job)).problem).toBeNull();
  const summary = (await lab.verbs.evaluations.summaries()).find(({ plan }) => plan.suite === suite);
  expect(summary).toMatchObject({ state: 'done', graded: limit });
  expect(next).toBeGreaterThanOrEqual(limit);
  return summary!;
}

describe('answers that are made to stop what reads them', () => {
  it.each([
    ['toy-deduction', ANSWERS.length],
    ['toy-abduction', ANSWERS.length],
    ['toy-induction', ANSWERS.length],
    ['toy-memory', ANSWERS.length],
    ['reward-hacking-dynamic', 1],
  ])('cost one item each in an evaluation of %s', async (suite, limit) => {
    texts = ANSWERS;
    await evaluated(suite, limit);
  });

  it('cost one item each in an evaluation of mathematics', async () => {
    texts = ANSWERS;
    await imported(
      'math500',
      ANSWERS.map((_, index) => rowsOfKind.math500(index)),
    );
    expect((await evaluated('math500', ANSWERS.length)).counts.unjudged).toBe(0);
  });

  it('cost one item each in an evaluation of LiveCodeBench', async () => {
    texts = PRINTED;
    const tests = JSON.stringify([{ input: '1', output: '1\n2 3', testtype: 'stdin' }]);
    await imported(
      'livecodebench',
      PRINTED.map((_, index) => ({ ...rowsOfKind.livecodebench(`own_${index}`), public_test_cases: tests })),
    );
    expect((await evaluated('livecodebench', PRINTED.length)).counts.unjudged).toBe(0);
  });

  it.each(['strict', 'azr-compat'] as const)(
    'cost one rollout each in steps of training (%s)',
    async (validator) => {
      texts = ANSWERS;
      next = 0;
      const { id } = lab.engine.startRun(
        runConfigSchema.parse({
          ...PRESETS.demo,
          name: `hostile, ${validator}`,
          steps: 2,
          framework: { name: 'azr', validator, batchSize: 6, estimateSamples: 1 },
          generation: { maxNewTokens: 64 },
          supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
        }),
      );
      expect(await lab.engine.waitFor(id)).toMatchObject({ state: 'done', committedSteps: 2 });
      expect(next).toBeGreaterThan(PROGRAMS.length);
      expect(lab.engine.store.checkIntegrity()).toEqual([]);
    },
  );
});
