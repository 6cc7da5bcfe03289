import { describe, expect, it } from 'vitest';
import { azrConfigSchema, type TaskRecord } from '../../../electron/contract/index.ts';
import { planVerification } from '../../../electron/evolution/azr/index.ts';
import { runPlans } from '../../../electron/evolution/run-plans.ts';
import { useRunner } from '../real-runner.ts';

const runner = useRunner();
const rules = azrConfigSchema.parse({});
const limits = { cpuSeconds: 1, wallSeconds: 1.5 };
const task = (program: string, output: string): TaskRecord & { taskType: 'abduction' } => ({
  id: 't', taskType: 'abduction', step: 0, origin: 'seed', rolloutId: null, program, inputs: ['0'], outputs: [output], message: null, imports: [], solveRate: null,
});

describe('verifying several answers to one program', () => {
  it('runs them in one job and keeps the verdicts apart', async () => {
    const doubling = task('def f(x):\n    return x * 2', '6');
    const plans = ['3', '4', 'not a literal', "'a'"].map((answer) => planVerification(doubling, answer, rules));
    const verdicts = await runPlans(runner(), plans, rules, limits);
    expect(verdicts.map(({ outcome, reason }) => reason ?? outcome)).toEqual(['passed', 'wrong-value', 'not-a-literal', 'wrong-value']);
  });

  it('an answer that hangs does not fail the answers behind it', async () => {
    const hanging = task('def f(x):\n    while x == 1:\n        pass\n    return x', '2');
    const plans = ['1', '2', '3'].map((answer) => planVerification(hanging, answer, rules));
    const verdicts = await runPlans(runner(), plans, rules, limits);
    expect(verdicts.map(({ outcome, reason }) => reason ?? outcome)).toEqual(['timeout', 'passed', 'wrong-value']);
  });
});
