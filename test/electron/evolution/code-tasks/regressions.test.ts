import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { azrConfigSchema, type CodeTaskType, type Verdict } from '../../../../electron/contract/index.ts';
import { startRunner, type RunnerClient } from '../../../../electron/processes/index.ts';
import { taskKey } from '../../../../electron/evolution/code-tasks/buffers.ts';
import {
  judgeProposal,
  prepareProposal,
  type Validation,
  type ValidationRules,
} from '../../../../electron/evolution/code-tasks/checking/proposals.ts';
import { type VerificationRules } from '../../../../electron/evolution/code-tasks/checking/verification.ts';
import { planVerification } from '../../../../electron/evolution/code-tasks/scoring.ts';
import { definitionOf } from '../../../../electron/evolution/code-tasks/task-types/registry.ts';

/**
 * The faults known of the original (its determinism check, its multi-line inputs, its truncation, its pasted answers, its
 * renaming), each as it is decided in strict mode and, where it differs, in compatible mode. Programs run in the real sandbox.
 */
let runner: RunnerClient;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'anchor-azr-'));
  runner = await startRunner({
    python: '.venv/bin/python',
    brokerPath: 'native/runner/broker.py',
    level: 'auto',
    workers: 1,
    logFile: join(folder, 'runner.log'),
  });
}, 120_000);
afterAll(async () => {
  await runner?.close();
  rmSync(folder, { recursive: true, force: true });
});

const azr = azrConfigSchema.parse({ name: 'azr' });
const STRICT: ValidationRules = { ...azr, literalStyle: 'repr' };
const COMPAT: ValidationRules = { ...STRICT, validator: 'azr-compat' };
/** Hangs are ended by processor time; the clock is generous, since a busy machine must not turn a benign program into one. */
const LIMITS = { cpuSeconds: 1, wallSeconds: 20 };
const lines = (...parts: string[]): string => parts.join('\n');

async function validate(
  program: string,
  input: string,
  rules: ValidationRules,
  existing: ReadonlySet<string> = new Set(),
): Promise<Validation> {
  const [facts] = await runner.parse([program]);
  const preparation = prepareProposal(
    { program, inputs: [input], message: null },
    definitionOf('deduction'),
    facts!,
    rules,
  );
  if (!preparation.ok) return preparation;
  const { program: source, entry, calls } = preparation.prepared;
  return judgeProposal(
    preparation.prepared,
    await runner.check({ program: source, entry, calls, limits: LIMITS }),
    rules,
    existing,
  );
}

/** The gold a proposal got, or the reason it was refused. */
async function gold(program: string, input: string, rules: ValidationRules): Promise<string> {
  const validation = await validate(program, input, rules);
  return validation.ok ? validation.task.outputs.join() : validation.reason;
}

describe('validation', () => {
  const ECHO = 'def f(x):\n return x';
  it.each<[string, string, string, string, string]>([
    ['a value', ECHO, "[1, 'a']", "[1, 'a']", "[1, 'a']"],
    [
      'a state between calls',
      lines('calls = []', 'def f(x):', ' calls.append(x)', ' return len(calls)'),
      '1',
      'non-deterministic',
      '',
    ],
    [
      'the order of a set of strings',
      lines('def f(x):', ' return list(set(x))'),
      "['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']",
      'non-deterministic',
      '',
    ],
    [
      'an exception whose name lacks Error',
      lines('class Bad(Exception): pass', 'def f(x):', ' raise Bad()'),
      '1',
      'raised',
      '',
    ],
    ['StopIteration', lines('def f(x):', ' return next(iter([]))'), '1', 'raised', ''],
    ['an ordinary exception', lines('def f(x):', ' return 1 // x'), '0', 'raised', 'raised'],
    ['NaN', lines('def f(x):', " return float('nan')"), '1', 'not-comparable', ''],
    ['None', lines('def f(x):', ' x + 1'), '1', 'empty-output', 'None'],
    ['an object', lines('def f(x):', ' return object()'), '1', 'unsupported-value', 'unsupported-value'],
    ['an endless loop', lines('def f(x):', ' while True: pass'), '1', 'timeout', 'timeout'],
    ['broken syntax', 'def f(x) return x', '1', 'syntax-error', 'syntax-error'],
    ['an input of several lines', lines('def f(x):', ' return sum(x)'), '[1,\n 2,\n 3]', '6', '6'],
    ['an input that is computed', ECHO, 'list(range(3))', 'not-a-literal', '[0, 1, 2]'],
    ['an input that closes the call', ECHO, '1) + f(2', 'not-a-literal', '3'],
    [
      'process_input(',
      lines('def f(x):', ' process_input = abs', ' return process_input(x)'),
      '-1',
      '1',
      'banned-call',
    ],
    [
      '__import__',
      lines('def f(x):', " return __import__('random').__name__"),
      '1',
      'banned-call',
      "'random'",
    ],
    [
      'a nested function',
      lines('def f(x):', ' def g(y):', '  return y', ' return g(x)'),
      '1',
      'several-functions',
      'several-functions',
    ],
    [
      'a class with a method',
      lines('class A:', ' def m(self):', '  return 1', 'def f(x):', ' return A().m()'),
      '1',
      'several-functions',
      'several-functions',
    ],
    [
      'def in a docstring',
      lines('def f(x):', ' """', ' def not_real(y):', ' """', ' return x'),
      '1',
      '1',
      'several-functions',
    ],
    ['a method named like the function', lines('def get(d):', ' return d.get(1)'), '{1: 2}', '2', 'raised'],
    [
      'recursion under another name',
      lines('def fact(n):', ' return 1 if n < 2 else n * fact(n - 1)'),
      '5',
      '120',
      '120',
    ],
    ['the word py as the first line', 'py\ndef f(x):\n return x', '1', 'raised', 'raised'],
    ['no parameters', 'def f():\n return 1', '', 'no-parameters', '1'],
    ['an input of nothing', ECHO, '', 'no-input', 'raised'],
  ])('%s', async (_, program, input, strict, compat) => {
    expect(await gold(program, input, STRICT)).toBe(strict);
    expect(await gold(program, input, COMPAT)).toBe(compat);
  });

  it('a banned module is refused, below a dotted ban too, where the original never matches', async () => {
    const program = lines('from os.path import join', 'def f(x):', " return join(x, 'b')");
    const rules = { bannedModules: ['os.path'] };
    expect(await gold(program, "'a'", { ...STRICT, ...rules })).toBe('banned-module');
    expect(await gold(program, "'a'", { ...COMPAT, ...rules })).toBe("'a/b'");
  });

  it('an output over the limit is refused; the original stores its two ends as if they were the value', async () => {
    const program = lines('def f(n):', " return 'ab' * n");
    expect(await gold(program, '199', STRICT)).toBe(`'${'ab'.repeat(199)}'`);
    expect(await gold(program, '200', STRICT)).toBe('too-long');
    const cut = await gold(program, '500', COMPAT);
    expect(cut).toHaveLength(403);
    expect(cut).toMatch(/^'(ab)+a?\.\.\.b?(ab)*'$/);
  });

  it('multi-line and oddly spaced inputs are stored in one line, in the style of the pack', async () => {
    const validation = await validate(lines('def f(x, y):', ' return x + [y]'), "[1,\n 2],   'a'", {
      ...STRICT,
      literalStyle: 'compact',
    });
    expect(validation).toMatchObject({ ok: true, task: { inputs: ["[1,2],'a'"], outputs: ["[1,2,'a']"] } });
  });

  it('of a task with several inputs, each has the value that the program gives for it', async () => {
    const program = lines('def f(x):', ' return x * x');
    const [facts] = await runner.parse([program]);
    const proposal = { program, inputs: ['2', '3', '5'], message: 'A message.' };
    const preparation = prepareProposal(proposal, definitionOf('induction'), facts!, STRICT);
    if (!preparation.ok) throw new Error(preparation.reason);
    const { entry, calls } = preparation.prepared;
    const check = await runner.check({ program, entry, calls, limits: LIMITS });
    expect(judgeProposal(preparation.prepared, check, STRICT, new Set())).toMatchObject({
      ok: true,
      task: { inputs: ['2', '3', '5'], outputs: ['4', '9', '25'], message: 'A message.' },
    });
  });

  it('a task that exists is refused only when duplicates are', async () => {
    const existing = new Set([
      taskKey('deduction', { program: `${'def f(x):'}  \n return x\n`, inputs: ['1'] }),
    ]);
    expect((await validate('def f(x):\n return x', '1', STRICT, existing)).ok).toBe(true);
    expect(
      await validate('def f(x):\n return x', ' 1', { ...STRICT, rejectDuplicates: true }, existing),
    ).toEqual({ ok: false, reason: 'duplicate' });
  });
});

type Task = { taskType: CodeTaskType; program: string; inputs: string[]; outputs: string[] };

async function verify(
  task: Task,
  answer: string | null,
  rules: Partial<VerificationRules> = {},
): Promise<Verdict> {
  const all: VerificationRules = { verifier: 'strict', inductionReward: 'binary', ...rules };
  const plan = planVerification(task, answer, all);
  return plan.kind === 'decided'
    ? plan.verdict
    : plan.judge(await runner.run({ ...plan.job, limits: LIMITS }));
}

async function reasons(task: Task, answer: string): Promise<[string | null, string | null]> {
  return [
    (await verify(task, answer)).reason,
    (await verify(task, answer, { verifier: 'azr-compat' })).reason,
  ];
}

describe('verification', () => {
  const sum: Task = {
    taskType: 'abduction',
    program: 'def f(x):\n return sum(x)',
    inputs: ['[1, 2]'],
    outputs: ['3'],
  };
  const OUTPUT = (output: string): Task => ({
    taskType: 'deduction',
    program: 'def f(x):\n return x',
    inputs: ['0'],
    outputs: [output],
  });

  it.each<[string, Task, string, string | null, string | null]>([
    ['any input that gives the output', sum, '```input\n[0, 3]\n```', null, null],
    ['another input', sum, '[1]', 'wrong-value', 'wrong-value'],
    ['an input of several lines', sum, '[1,\n 2]', null, 'syntax-error'],
    ['an input that is computed', sum, 'range(3)', 'not-a-literal', null],
    ['an answer that closes the call', sum, '[]) or (True', 'not-a-literal', null],
    ['an answer that hides the comparison', sum, '[]) == f([]) or 3 == int(3', 'not-a-literal', null],
    ['an input the program fails on', sum, "['a']", 'raised', 'raised'],
    ['1.0 where the gold is 1', OUTPUT('1'), '1.0', 'wrong-type', null],
    ['True where the gold is 1', OUTPUT('1'), 'True', 'wrong-type', null],
    ['an expression as the answer', OUTPUT('[1, 2]'), 'list(range(1, 3))', 'not-a-literal', null],
    ['a list where the gold is a tuple', OUTPUT('(1, 2)'), '[1, 2]', 'wrong-value', 'wrong-value'],
    ['a tuple without parentheses', OUTPUT('(1, 2)'), '1, 2', null, null],
    ['a set in another order', OUTPUT("{'a', 'b'}"), "{'b', 'a'}", null, null],
    ['a literal in a python block', OUTPUT('5'), '```python\n5\n```', null, 'syntax-error'],
    ['infinity', OUTPUT('inf'), 'inf', null, 'raised'],
    [
      'an object that equals everything',
      OUTPUT('5'),
      "type('E', (), {'__eq__': lambda s, o: True})()",
      'not-a-literal',
      null,
    ],
    ['a value of several lines', OUTPUT('[1, 2]'), '```output\n[1,\n 2]\n```', null, null],
  ])('%s', async (_, task, answer, strict, compat) => {
    expect(await reasons(task, answer)).toEqual([strict, compat]);
  });

  it('no answer at all runs nothing', async () => {
    expect(await verify(sum, null)).toEqual({
      outcome: 'failed',
      reason: 'no-answer',
      accuracy: 0,
      sandboxLevel: null,
    });
  });

  it('an empty gold is never matched, whatever is answered', async () => {
    for (const answer of ['', '3', 'None', "''"])
      expect((await verify({ ...sum, outputs: [''] }, answer, { verifier: 'azr-compat' })).outcome).toBe(
        'failed',
      );
  });

  const double: Task = {
    taskType: 'induction',
    program: 'import math\ndef f(x):\n return 2*x',
    inputs: ['1', '2', '3', '4', '5'],
    outputs: ['2', '4', '6', '8', '10'],
  };
  it('an induced function must be right on every hidden pair, and on these alone', async () => {
    expect(await verify(double, '```python\ndef f(x):\n return x + x\n```')).toMatchObject({
      outcome: 'passed',
      accuracy: 1,
      sandboxLevel: expect.stringMatching(/^L[23]$/),
    });
    expect(await verify(double, '```python\ndef f(x):\n return {3: 6, 4: 8, 5: 10}[x]\n```')).toMatchObject({
      outcome: 'passed',
    });
    expect(await verify(double, '```python\ndef f(x):\n return {1: 2, 2: 4, 3: 6}[x]\n```')).toMatchObject({
      outcome: 'failed',
      reason: 'raised',
      accuracy: 0,
    });
  });
  it('partly right functions pay as the rule says', async () => {
    const answer = '```python\ndef f(x):\n return 6\n```';
    expect((await verify(double, answer)).accuracy).toBe(0);
    expect((await verify(double, answer, { inductionReward: 'accuracy' })).accuracy).toBeCloseTo(1 / 3, 12);
    expect((await verify(double, answer, { inductionReward: 'any' })).accuracy).toBe(1);
  });
  it('a float result passes only under the compatible verifier, which also lends the imports of the task', async () => {
    const answer = '```python\ndef f(x):\n return math.floor(x) * 2.0\n```';
    expect((await verify(double, answer)).reason).toBe('raised');
    expect((await verify(double, answer, { verifier: 'azr-compat' })).outcome).toBe('passed');
    expect((await verify(double, '```python\ndef f(x):\n return 2.0*x\n```')).reason).toBe('wrong-type');
  });
  it('a hang in one hidden call does not undo the calls before it', async () => {
    const answer = '```python\ndef f(x):\n while x == 5: pass\n return 2*x\n```';
    expect(await verify(double, answer, { inductionReward: 'accuracy' })).toMatchObject({
      outcome: 'failed',
      reason: 'timeout',
      accuracy: 2 / 3,
    });
  });
});
