import { describe, expect, it } from 'vitest';
import { azrConfigSchema, taskRecordSchema } from '../../../../electron/contract/index.ts';
import {
  judgeProposal,
  prepareProposal,
  type ValidationRules,
} from '../../../../electron/evolution/code-tasks/checking/proposals.ts';
import { planVerification } from '../../../../electron/evolution/code-tasks/scoring.ts';
import { seedRecordSchema, seedTasks } from '../../../../electron/evolution/code-tasks/seeds.ts';
import { definitionOf } from '../../../../electron/evolution/code-tasks/task-types/registry.ts';
import { useRunner } from '../../real-runner.ts';

/** AZR's code_e: the gold is the name of the exception a call raises, as the real sandbox tells it. */
const runner = useRunner();
const azr = azrConfigSchema.parse({ name: 'azr' });
const STRICT: ValidationRules = { ...azr, literalStyle: 'compact' };
const COMPAT: ValidationRules = { ...STRICT, validator: 'azr-compat' };
const LIMITS = { cpuSeconds: 1, wallSeconds: 20 };
const type = definitionOf('error');
const lines = (...parts: string[]): string => parts.join('\n');

/** The gold of a proposal, or why it is no task. */
async function gold(program: string, input: string, rules: ValidationRules = STRICT): Promise<string> {
  const [facts] = await runner().parse([program]);
  const preparation = prepareProposal({ program, inputs: [input], message: null }, type, facts!, rules);
  if (!preparation.ok) return preparation.reason;
  const { program: source, entry, calls } = preparation.prepared;
  const validation = judgeProposal(
    preparation.prepared,
    await runner().check({ program: source, entry, calls, limits: LIMITS }),
    rules,
    new Set(),
  );
  return validation.ok ? validation.task.outputs.join() : validation.reason;
}

describe('the gold of an error task', () => {
  it.each([
    ['the class of what is raised', lines('def f(x):', ' return 1//x'), '0', 'ZeroDivisionError'],
    ['that of a subclass, not of its base', lines('def f(x):', ' return {}[x]'), "'a'", 'KeyError'],
    [
      'a class of the program',
      lines('class Spent(Exception): pass', 'def f(x):', ' raise Spent(x)'),
      '1',
      'Spent',
    ],
    ['no error when the call returns', lines('def f(x):', ' return x+1'), '1', 'NoError'],
    ['no error when it returns None', lines('def f(x):', ' y=x'), '1', 'NoError'],
    [
      'an exception that is caught is none',
      lines('def f(x):', ' try:', '  return 1//x', ' except ZeroDivisionError:', '  return 0'),
      '0',
      'NoError',
    ],
    ['a wrong number of arguments', lines('def f(x):', ' return x'), '1,2', 'TypeError'],
    ['SystemExit too', lines('def f(x):', ' raise SystemExit'), '1', 'SystemExit'],
  ])('is %s', async (_, program, input, expected) => {
    expect(await gold(program, input)).toBe(expected);
    expect(await gold(program, input, COMPAT)).toBe(expected);
  });

  it.each([
    [
      'an exception that comes and goes',
      lines('calls=[]', 'def f(x):', ' calls.append(x)', ' return 1//(len(calls)-1)'),
      '1',
      'non-deterministic',
    ],
    [
      'another exception under another hash seed',
      lines('def f(x):', " raise type('E'+str(abs(hash('q'))),(Exception,),{})"),
      '1',
      'non-deterministic',
    ],
    [
      'an exception of the module body, before the call',
      lines('y=1//0', 'def f(x):', ' return x'),
      '1',
      'raised',
    ],
    ['a program that never ends', lines('def f(x):', ' while True: pass'), '1', 'timeout'],
    ["a memory error, which is the machine's", lines('def f(x):', ' raise MemoryError'), '1', 'memory'],
    ['a value that cannot be handed over', lines('def f(x):', ' return object()'), '1', 'unsupported-value'],
    [
      'a class that calls itself NoError',
      lines('class NoError(Exception): pass', 'def f(x):', ' raise NoError'),
      '1',
      'not-comparable',
    ],
    [
      'a class whose name is no name',
      lines('def f(x):', " raise type('1 2',(Exception,),{})"),
      '1',
      'not-comparable',
    ],
    ['broken syntax', 'def f(x) return x', '1', 'syntax-error'],
    ['a banned module', lines('import os', 'def f(x):', ' return x'), '1', 'banned-module'],
  ])('there is none for %s', async (_, program, input, reason) =>
    expect(await gold(program, input)).toBe(reason),
  );

  it('of the starting tasks is what they say, in both writing styles, with raising and calm programs in equal parts', async () => {
    const rows = Array.from({ length: 9 }, (_, index) => ({
      id: `t${index}`,
      kind: 'triplet' as const,
      program: `def f(x):\n return x+${index}`,
      input: '1',
      output: String(index + 1),
    }));
    for (const style of ['compact', 'repr'] as const) {
      const tasks = seedTasks(rows, style, ['error'])
        .filter(({ taskType }) => taskType === 'error')
        .map((task) => taskRecordSchema.parse(task));
      expect(
        await Promise.all(
          tasks.map(({ program, inputs }) =>
            gold(program, inputs[0] ?? '', { ...STRICT, literalStyle: style }),
          ),
        ),
      ).toEqual(tasks.map(({ outputs }) => outputs[0]));
      expect(tasks.filter(({ outputs }) => outputs[0] === 'NoError').length * 2).toBe(tasks.length);
    }
  });
});

describe('starting tasks', () => {
  it('are there only for a run that asks for the type', () => {
    expect(seedTasks([], 'compact').some(({ taskType }) => taskType === 'error')).toBe(false);
    expect(seedTasks([], 'compact', ['error']).some(({ taskType }) => taskType === 'error')).toBe(true);
    expect(azr.taskTypes).not.toContain('error');
  });
  it('come from rows of their own kind when a file has some', () => {
    const row = seedRecordSchema.parse({
      id: 'e',
      kind: 'error',
      program: 'def f(x):\n return x[9]',
      input: '[]',
      output: 'IndexError',
    });
    expect(type.seeds([row], 'compact')).toEqual([
      { program: 'def f(x):\n return x[9]', inputs: ['[]'], outputs: ['IndexError'], message: null },
    ]);
  });
});

describe('an answer', () => {
  const verdictOn = (
    answer: string | null,
    verifier: 'strict' | 'azr-compat' = 'strict',
    output = 'ValueError',
  ): string => {
    const plan = planVerification(
      { taskType: 'error', program: 'def f(x):\n return int(x)', inputs: ["'a'"], outputs: [output] },
      answer,
      { verifier, inductionReward: 'binary' },
    );
    return plan.kind === 'run' ? 'would run' : (plan.verdict.reason ?? plan.verdict.outcome);
  };
  it.each([
    ['ValueError', 'passed'],
    ['valueerror', 'passed'],
    ['ValueError: invalid literal', 'passed'],
    ['  ValueError because', 'passed'],
    ['```output\nValueError\n```', 'passed'],
    ['TypeError', 'wrong-value'],
    ['NoError', 'wrong-value'],
    ['Value', 'wrong-value'],
    ["'ValueError'", 'wrong-value'],
    ['it is a ValueError', 'wrong-value'],
    ['', 'no-answer'],
    [null, 'no-answer'],
  ])('%j is judged by its first word: %s', (answer, expected) => expect(verdictOn(answer)).toBe(expected));

  it('in a block is no answer for the original', () =>
    expect(verdictOn('```output\nValueError\n```', 'azr-compat')).toBe('wrong-value'));
  it('of NoError is right when nothing is raised', () =>
    expect(verdictOn('noerror', 'strict', 'NoError')).toBe('passed'));
});
