import { describe, expect, it } from 'vitest';
import { useRunner } from '../../real-runner.ts';
import { ownTask, scratchFolder, toolsOf } from './support.ts';
import { gradeEvalPlus } from '../../../../electron/evaluation/code/evalplus/grade.ts';
import type { EvalPlusTask } from '../../../../electron/evaluation/code/evalplus/task.ts';

const runner = useRunner();
const folder = scratchFolder();

/** Tasks of our own; the verdicts below are those that the package evalplus gives for them, task for task. */
const TASKS = {
  pairs: ownTask({
    entry: 'pairs',
    id: 'HumanEval/910',
    solution: 'def pairs(xs):\n    return [x + 1 for x in xs]',
    base: [[[1, 2]], [[3]], [[]]],
    plus: [[[5, 6, 7]], [[8, 9]]],
  }),
  mean: ownTask({
    entry: 'mean',
    id: 'HumanEval/911',
    solution: 'def mean(xs):\n    return sum(xs) / len(xs)',
    base: [[[1, 2]], [[4]]],
    plus: [[[1, 2, 4]], [[0, 0]]],
  }),
  is_long: ownTask({
    entry: 'is_long',
    id: 'HumanEval/912',
    solution: 'def is_long(s):\n    return len(s) > 2',
    base: [['abc'], ['a']],
    plus: [['']],
  }),
} satisfies Record<string, EvalPlusTask>;
const PAIRS = 'def right(xs): return [x + 1 for x in xs]\n';
const MEAN = 'def right(xs): return sum(xs) / len(xs)\n';

describe('a program gets the verdicts of the original', () => {
  it.each<[string, keyof typeof TASKS, string, string]>([
    ['a tuple for a list', 'pairs', `${PAIRS}def pairs(xs): return tuple(right(xs))`, 'fail fail'],
    [
      'a subclass of list',
      'pairs',
      `${PAIRS}class Row(list): pass\ndef pairs(xs): return Row(right(xs))`,
      'pass pass',
    ],
    ['a generator', 'pairs', `${PAIRS}def pairs(xs): yield from right(xs)`, 'fail fail'],
    ['floats for ints', 'pairs', `${PAIRS}def pairs(xs): return [float(x) for x in right(xs)]`, 'pass pass'],
    [
      'an error that only plus inputs show',
      'pairs',
      `${PAIRS}def pairs(xs): return right(xs)[:2]`,
      'pass fail',
    ],
    [
      'an argument emptied afterwards',
      'pairs',
      `${PAIRS}def pairs(xs):\n    answer = right(xs)\n    xs.clear()\n    return answer`,
      'pass pass',
    ],
    ['an exit with success', 'pairs', 'def pairs(xs): raise SystemExit(0)', 'fail fail'],
    [
      'the end of the process from the third call on',
      'pairs',
      `${PAIRS}import os\ncalls = []\ndef pairs(xs):\n    calls.append(1)\n    if len(calls) > 2: os._exit(0)\n    return right(xs)`,
      'timeout pass',
    ],
    [
      'a recursion that it catches itself',
      'pairs',
      `${PAIRS}def deep(n): return deep(n + 1)\ndef pairs(xs):\n    try: deep(0)\n    except RecursionError: return right(xs)`,
      'pass pass',
    ],
    [
      'memory that it cannot have, caught',
      'pairs',
      `${PAIRS}def pairs(xs):\n    try: bytearray(6 << 30)\n    except MemoryError: return right(xs)`,
      'pass pass',
    ],
    ['a coroutine', 'pairs', `${PAIRS}async def pairs(xs): return right(xs)`, 'fail fail'],
    [
      'a late import of the future',
      'pairs',
      `${PAIRS}pairs = right\nfrom __future__ import annotations`,
      'fail fail',
    ],
    [
      'an early one',
      'pairs',
      `"""Docstring."""\nfrom __future__ import annotations\n${PAIRS}pairs = right`,
      'pass pass',
    ],
    [
      'an int where the mean is whole',
      'mean',
      `${MEAN}def mean(xs):\n    answer = right(xs)\n    return int(answer) if answer == int(answer) else answer`,
      'pass pass',
    ],
    ['floor division', 'mean', 'def mean(xs): return sum(xs) // len(xs)', 'fail fail'],
    ['an error below the tolerance', 'mean', `${MEAN}def mean(xs): return right(xs) + 5e-7`, 'pass pass'],
    ['an error above it', 'mean', `${MEAN}def mean(xs): return right(xs) + 5e-6`, 'fail fail'],
    [
      'an error below it in another type',
      'mean',
      `${MEAN}class Size(float): pass\ndef mean(xs): return Size(right(xs) + 5e-7)`,
      'fail fail',
    ],
    ['a negative zero', 'mean', `${MEAN}def mean(xs): return right(xs) or -0.0`, 'pass pass'],
    ['not a number', 'mean', 'def mean(xs): return float("nan")', 'fail fail'],
    ['ints for truth values', 'is_long', 'def is_long(s): return int(len(s) > 2)', 'pass pass'],
    ['a truthy answer', 'is_long', 'def is_long(s): return s[2:]', 'fail fail'],
  ])('%s (%s)', async (_, name, program, wanted) => {
    const { base, plus } = await gradeEvalPlus(TASKS[name], program, toolsOf(runner(), folder));
    expect(`${base} ${plus}`).toBe(wanted);
  });

  it.each<[string, string, string]>([
    ['a file', 'open("scratch.txt", "w").close()', 'fail fail'],
    ['the folder it is in', 'import os\nos.getcwd()', 'fail fail'],
    ['a shell', 'import os\nos.system("true")', 'fail fail'],
    ['the limits of its process', 'import resource', 'fail fail'],
    ['standard input', 'try: input()\nexcept OSError: pass', 'pass pass'],
    ['the name of its module', 'assert __name__ != "__main__"', 'pass pass'],
  ])('also when it asks for %s', async (_, statement, wanted) => {
    const { base, plus } = await gradeEvalPlus(
      TASKS.pairs,
      `${PAIRS}pairs = right\n${statement}`,
      toolsOf(runner(), folder),
    );
    expect(`${base} ${plus}`).toBe(wanted);
  });
});
