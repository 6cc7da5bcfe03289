import { describe, expect, it } from 'vitest';
import { azrConfigSchema, type TaskRecord } from '../../../../electron/contract/index.ts';
import { planVerification, verify } from '../../../../electron/evolution/code-tasks/scoring.ts';

import { useRunner } from '../../real-runner.ts';

const runner = useRunner();
const rules = azrConfigSchema.parse({ name: 'azr' });
const limits = { cpuSeconds: 1, wallSeconds: 1.5 };
const task = (program: string, output: string): TaskRecord & { taskType: 'abduction' } => ({
  id: 't',
  taskType: 'abduction',
  step: 0,
  origin: 'seed',
  rolloutId: null,
  program,
  inputs: ['0'],
  outputs: [output],
  message: null,
  imports: [],
  solveRate: null,
});

describe('verifying several answers to one program', () => {
  it('gives each its own verdict', async () => {
    const doubling = task('def f(x):\n    return x * 2', '6');
    const plans = ['3', '4', 'not a literal', "'a'"].map((answer) =>
      planVerification(doubling, answer, rules),
    );
    const verdicts = await verify(runner(), plans, limits);
    expect(verdicts.map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      'passed',
      'wrong-value',
      'not-a-literal',
      'wrong-value',
    ]);
  });

  it('a program that remembers its calls cannot make one answer change the verdict on another', async () => {
    const counting = task('SEEN = set()\ndef f(x):\n    SEEN.add(x)\n    return len(SEEN)', '1');
    const plans = ['5', '6', '7'].map((answer) => planVerification(counting, answer, rules));
    expect((await verify(runner(), plans, limits)).map(({ outcome }) => outcome)).toEqual([
      'passed',
      'passed',
      'passed',
    ]);
  });

  it('an answer that hangs does not fail the answers behind it', async () => {
    const hanging = task('def f(x):\n    while x == 1:\n        pass\n    return x', '2');
    const plans = ['1', '2', '3'].map((answer) => planVerification(hanging, answer, rules));
    const verdicts = await verify(runner(), plans, limits);
    expect(verdicts.map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      'timeout',
      'passed',
      'wrong-value',
    ]);
  });
});
