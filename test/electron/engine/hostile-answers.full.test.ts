// @module-tag full
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { TrainerClient } from '../../../electron/processes/trainer-client.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
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

/** The real trainer, whose rollouts tell these texts in turn. */
let next = 0;
beforeAll(() => {
  const generate = TrainerClient.prototype.generate;
  vi.spyOn(TrainerClient.prototype, 'generate').mockImplementation(function (
    this: TrainerClient,
    asked,
    options,
  ) {
    return generate.call(this, asked, {
      ...options,
      onRollout: (rollout) =>
        options?.onRollout?.({ ...rollout, text: ANSWERS[next++ % ANSWERS.length] as string }),
    });
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

describe('answers that are made to stop what reads them', () => {
  it.each([
    ['toy-deduction', ANSWERS.length],
    ['toy-abduction', ANSWERS.length],
    ['toy-induction', ANSWERS.length],
    ['toy-memory', ANSWERS.length],
    ['reward-hacking-dynamic', 1],
  ])('cost one item each in an evaluation of %s', async (suite, limit) => {
    next = 0;
    const job = await lab.verbs.evaluations.start({ subjects: ['embedded'], suites: [suite], limit });
    expect((await lab.ended(job)).problem).toBeNull();
    const summary = (await lab.verbs.evaluations.summaries()).find(({ plan }) => plan.suite === suite);
    expect(summary).toMatchObject({ state: 'done', graded: limit });
    expect(next).toBeGreaterThanOrEqual(limit);
  });

  it.each(['strict', 'azr-compat'] as const)(
    'cost one rollout each in steps of training (%s)',
    async (validator) => {
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
