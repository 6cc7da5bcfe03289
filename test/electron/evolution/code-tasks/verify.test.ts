import { describe, expect, it } from 'vitest';
import { azrConfigSchema, type TaskRecord, type Verdict } from '../../../../electron/contract/index.ts';
import { callFailure } from '../../../../electron/evolution/code-tasks/checking/reasons.ts';
import type { RunResult } from '../../../../electron/processes/index.ts';
import {
  isTrue,
  runCalls,
  type JudgingRules,
} from '../../../../electron/evolution/code-tasks/checking/verification.ts';
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

describe('the verdict on several calls of one answer', () => {
  /** A letter per call: r right, w wrong, d dead. */
  function verdictOn(letters: string, judging?: JudgingRules): Verdict {
    const calls = [...letters].map((letter): RunResult['calls'][number] =>
      letter === 'd' ? { status: 'died' } : { status: 'ok', value: ['b', letter === 'r'] },
    );
    const plan = runCalls(
      '',
      [...letters].map(() => ({ args: [] })),
      isTrue,
      judging,
    );
    if (plan.kind === 'decided') throw new Error('Calls have to run.');
    return plan.judge({ level: 'L3', status: 'ok', calls, stdout: '', stderr: '', wallMs: 1, cpuMs: 1 });
  }
  const accuracies = (letters: string, ignoreDied = false): number[] =>
    (['binary', 'any', 'accuracy'] as const).map(
      (accuracy) => verdictOn(letters, { accuracy, ignoreDied }).accuracy,
    );

  it('is right only where all are, however many of them that is, unless the rule pays a part', () => {
    expect(accuracies('rrrr')).toEqual([1, 1, 1]);
    expect(accuracies('rwrw')).toEqual([0, 1, 1 / 2]);
    expect(accuracies('wrrr')).toEqual([0, 1, 3 / 4]);
    expect(accuracies('wwww')).toEqual([0, 0, 0]);
  });

  it('counts calls that gave nothing as wrong, or leaves them out as the original does', () => {
    expect(accuracies('rrd')).toEqual([0, 1, 2 / 3]);
    expect(verdictOn('rrd')).toMatchObject({ outcome: 'failed', reason: 'died', accuracy: 0 });
    expect(accuracies('rrd', true)).toEqual([1, 1, 1]);
    expect(accuracies('rwd', true)).toEqual([0, 1, 1 / 2]);
  });

  it('is wrong where no call gave anything, although none is left that was wrong', () => {
    expect(accuracies('ddd', true)).toEqual([0, 0, 0]);
    expect(verdictOn('dd', { accuracy: 'binary', ignoreDied: true })).toMatchObject({
      outcome: 'failed',
      reason: 'died',
    });
  });

  it('tells a call that was never made from one that came back, and blames what did not end', () => {
    const of = (status: RunResult['status'], ...calls: RunResult['calls']): (string | null)[] =>
      [0, 1].map((index) => callFailure({ status, calls }, index));
    expect(of('ok', { status: 'ok' })).toEqual([null, 'not-run']);
    expect(of('ok', { status: 'ok' }, { status: 'notRun' })).toEqual([null, 'not-run']);
    expect(of('ok', { status: 'timeout' }, { status: 'notRun' })).toEqual(['timeout', 'not-run']);
    expect(of('timeout')).toEqual(['timeout', 'timeout']);
    expect(of('badFrame')).toEqual(['died', 'died']);
  });
});
