import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useRunner } from '../../real-runner.ts';
import { hasShared, sharedLines } from './support.ts';
import {
  gradeLiveCodeBench,
  type LiveCodeBenchGrade,
} from '../../../../electron/evaluation/code/livecodebench/grade.ts';
import {
  readProblem,
  testsOf,
  type LiveCodeBenchProblem,
} from '../../../../electron/evaluation/code/livecodebench/problem.ts';

const runner = useRunner();
const grade = (
  problem: LiveCodeBenchProblem,
  program: string,
  testSeconds = 6,
  stdinKind?: 'text',
): Promise<LiveCodeBenchGrade> =>
  gradeLiveCodeBench(
    problem,
    program,
    { runner: runner(), loadAverage: () => 0.5 },
    { testSeconds, stdinKind },
  );

/** A problem of our own in the published form. */
function problemOf(
  tests: { input: string; output: string }[],
  functionName: string | null = null,
): LiveCodeBenchProblem {
  const testtype = functionName === null ? 'stdin' : 'functional';
  return readProblem(
    JSON.stringify({
      question_title: 'Own',
      question_content: 'A problem of our own.',
      platform: 'atcoder',
      question_id: 'own_a',
      contest_id: 'own',
      contest_date: '2025-01-04T00:00:00',
      starter_code: '',
      difficulty: 'easy',
      public_test_cases: '[]',
      private_test_cases: JSON.stringify(tests.map((test) => ({ ...test, testtype }))),
      metadata: functionName === null ? '{}' : JSON.stringify({ func_name: functionName }),
    }),
    'The test',
  );
}

const ADD = problemOf([
  { input: '1 2\n', output: '3\n' },
  { input: '10 -4\n', output: '6\n' },
]);
const ECHO = problemOf([{ input: 'a\nb\n\nc', output: 'a b' }]);

describe.skipIf(!hasShared)('the synthetic solutions (in ../shared/data)', () => {
  const problems = new Map(
    hasShared
      ? sharedLines('vectors/lcb_format_synthetic.jsonl')
          .map((line) => readProblem(line, 'A line'))
          .map((problem) => [problem.id, problem])
      : [],
  );
  const solutions = hasShared
    ? sharedLines('vectors/lcb_synthetic_solutions.jsonl').map(
        (line) =>
          JSON.parse(line) as {
            question_id: string;
            code: string;
            why: string;
            upstream_result: unknown[];
            upstream_pass: boolean;
          },
      )
    : [];

  it('come with problems whose packed tests are read', () => {
    expect([...problems.values()].map((problem) => testsOf(problem).length)).toEqual([3, 2, 3, 3, 3, 2]);
    expect(testsOf(problems.get('syn_big')!)[1]!.input.length).toBeGreaterThan(60_000);
  });

  it.each(solutions)(
    '$question_id, $why: the original says $upstream_result',
    async ({ question_id, code, upstream_result, upstream_pass }) => {
      const verdict = await grade(problems.get(question_id)!, code, 2);
      expect({ results: verdict.results, solved: verdict.solved }).toEqual({
        results: upstream_result,
        solved: upstream_pass,
      });
    },
  );
});

describe('a program that reads standard input', () => {
  it.each([
    ['input()', 'a, b = map(int, input().split())\nprint(a + b)'],
    [
      'lines until there are none',
      'import sys\nline = sys.stdin.readline()\nwhile line:\n    print(sum(map(int, line.split())))\n    line = sys.stdin.readline()',
    ],
    [
      'the object that sys.stdin was before',
      'from sys import stdin\nprint(sum(map(int, stdin.readline().split())))',
    ],
    ['builtins.open', 'import builtins\nprint(sum(map(int, builtins.open(0).read().split())))'],
    ['bytes', 'import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))'],
    [
      'names of the prelude without importing them',
      'from math import *\nprint(reduce(add, map(int, input().split())) + floor(0.5) + len(Counter()))',
    ],
    [
      'a thread that is waited for',
      'import threading\ndef main():\n    print(sum(map(int, input().split())))\nt = threading.Thread(target=main)\nt.start()\nt.join()',
    ],
    [
      'deep recursion',
      'def down(n): return n and down(n - 1)\ndown(30000)\nprint(sum(map(int, input().split())))',
    ],
  ])('may do so by %s', async (_, program) => {
    expect(await grade(ADD, program)).toMatchObject({
      solved: true,
      strictlySolved: true,
      results: [true, true],
      failure: null,
      flags: [],
    });
  });

  it('meets an empty line as an empty text and the end as the end of the file, as in the original', async () => {
    expect(await grade(ECHO, 'a = input()\nb = input()\nprint(a, b)')).toMatchObject({ solved: true });
    expect(await grade(ECHO, 'a, b, c, d = input(), input(), input(), input()\nprint(a, b)')).toMatchObject({
      solved: true,
    });
    expect(await grade(ECHO, 'while True: input()')).toMatchObject({
      results: [-4],
      failure: { error: 'EOFError' },
    });
  });

  it('reads its lines one by one where AZR graded it, and may not where LiveCodeBench does', async () => {
    const program = 'import sys\nfor line in sys.stdin:\n    print(sum(map(int, line.split())))';
    expect((await grade(ADD, program)).failure).toMatchObject({ code: -4, error: 'TypeError' });
    expect(await grade(ADD, program, 6, 'text')).toMatchObject({ solved: true });
  });

  it('finds nothing behind an open that the prelude bound before its input came', async () => {
    expect((await grade(ADD, 'print(sum(map(int, open(0).read().split())))')).failure?.output).toBe('0\n');
  });

  it('calls what the judge has taken away', async () => {
    expect((await grade(ADD, 'import os; os.getcwd(); print(3)')).failure).toMatchObject({
      code: -4,
      error: 'TypeError',
    });
    expect((await grade(ADD, 'import joblib; print(3)')).failure?.error).toBe('ModuleNotFoundError');
  });

  it('is marked where it does not wait for a thread of its own', async () => {
    const program =
      'import threading, time\ndef main():\n    time.sleep(0.05)\n    print(sum(map(int, input().split())))\nt = threading.Thread(target=main)\nt.start()';
    expect((await grade(ADD, program)).flags).toEqual(['unjoined-thread']);
    expect(await grade(ADD, `${program}\nt.join()`)).toMatchObject({ solved: true, flags: [] });
  });

  it('may print digits of any script', async () => {
    expect(await grade(ADD, "print('\\u0663' if input() == '1 2' else '\\uff16')")).toMatchObject({
      solved: true,
    });
  });

  it('starts again for every test but keeps what it imported', async () => {
    const program =
      'import collections\nseen = getattr(collections, "seen", 0)\ncollections.seen = seen + 1\na, b = map(int, input().split())\nprint(a + b if seen < 2 else 0)\nassert "visits" not in globals()\nglobal visits\nvisits = 1';
    expect((await grade(ADD, program)).results).toEqual([true, -4]);
  });

  it.each([
    ['no Python at all', 'this is no program', [-4], 'SyntaxError'],
    ['nothing', '', [-4], 'IndentationError'],
    ['an endless loop', 'while True: pass', [-3], 'TimeoutException'],
    ['sleeping', 'import time\ntime.sleep(30)', [-3], 'TimeoutException'],
    ['dividing by zero', 'print(1 / 0)', [-4], 'ZeroDivisionError'],
    ['leaving the process', 'import os\nprint(3)\nos._exit(0)', [-5], 'died'],
    ['closing its output', 'import sys\nprint(3)\nsys.stdout.close()', [-4], 'TypeError'],
  ])('of %s has a code of its own', async (_, program, results, error) => {
    const verdict = await grade(ADD, program, 1);
    expect(verdict.results).toEqual(results);
    expect(verdict.failure?.error ?? null).toBe(error);
  });

  it('that swallows its alarm ends when the whole time is up', async () => {
    const stubborn =
      'import time\nwhile True:\n    try:\n        time.sleep(60)\n    except BaseException: pass';
    expect(await grade(problemOf([{ input: '', output: '1' }]), stubborn, 0.2)).toMatchObject({
      results: [-1],
      failure: { error: 'timeout' },
    });
  });

  it('that ignores its alarm and is right after its time has not solved the problem', async () => {
    // asleep, so that on a busy machine none of it is waiting for a processor
    const late = `import signal, time
signal.signal(signal.SIGALRM, signal.SIG_IGN)
time.sleep(3)
print(sum(map(int, input().split())))`;
    expect(await grade(ADD, late, 1)).toMatchObject({
      solved: false,
      strictlySolved: false,
      results: [-3],
    });
    expect(await grade(ADD, late.replace('sleep(3)', 'sleep(0.2)'), 1)).toMatchObject({ solved: true });
  });

  it('is told what it printed instead', async () => {
    const verdict = await grade(ADD, 'print(3)');
    expect(verdict.failure).toEqual({
      test: 1,
      code: -2,
      error: null,
      input: '10 -4\n',
      expected: '6\n',
      output: '3\n',
    });
  });

  it('may print a megabyte', async () => {
    const long = `${'x'.repeat(999)}\n`.repeat(1000);
    expect(
      await grade(
        problemOf([{ input: '1000', output: long }]),
        'for _ in range(int(input())): print("x" * 999)',
      ),
    ).toMatchObject({ solved: true });
    const wrong = await grade(
      problemOf([{ input: '1000', output: long }]),
      'for _ in range(int(input())): print("y" * 999)',
    );
    expect(wrong.failure?.output?.length).toBeLessThan(330);
  });

  it('is given tests in several batches, and the first failure ends it', async () => {
    const tests = Array.from({ length: 60 }, (_, n) => ({ input: `${n} 1`, output: `${n + 1}` }));
    const program = 'a, b = map(int, input().split())\nprint(a + b + (a == 40))';
    const verdict = await grade(problemOf(tests), program);
    expect(verdict.results).toEqual([...Array.from({ length: 40 }, () => true), -2]);
    expect(verdict.failure?.test).toBe(40);
    expect(verdict.limits).toEqual({ testSeconds: 6, allSeconds: 425 });
  });
});

describe('a method or function', () => {
  const LAST = problemOf([{ input: '[1, 2.0, null]\n"x"', output: '[1, 2.0, null]' }], 'same');
  it.each([
    [
      'of Solution',
      'class Solution:\n    def same(self, items: List[int], name: str):\n        return items',
    ],
    ['of the module', 'def same(items, name): return items'],
    ['that returns a tuple', 'def same(items, name): return tuple(items)'],
    ['with equal numbers of other types', 'def same(items, name): return [True, 2, None]'],
  ])('%s passes', async (_, program) => {
    expect(await grade(LAST, program)).toMatchObject({ solved: true, strictlySolved: true });
  });

  it.each([
    ['an inner tuple', 'def same(items, name): return [tuple(items)]', [false]],
    ['another value', 'def same(items, name): return name', [false]],
    ['too few parameters', 'def same(items): return items', [-4]],
    [
      'a Solution that cannot be made',
      'class Solution:\n    def __init__(self, x): pass\n    def same(self, a, b): return a',
      [-4],
    ],
    ['leaving by SystemExit', 'import sys\ndef same(a, b): sys.exit(0)', [-5]],
    ['leaving on import', 'import sys\nsys.exit(0)', [-5]],
  ])('with %s does not', async (_, program, results) => {
    expect((await grade(LAST, program)).results).toEqual(results);
  });

  it.each([
    ['[9, 8.5, None, True]', '[9, 8.5, None, True]'],
    ['0.1 + 0.2', '0.30000000000000004'],
    ['Counter("aab")', "Counter({'a': 2, 'b': 1})"],
    ['[object()]', '[<object object>]'],
    ['10 ** 7000', '<too large to be shown>'],
    ['list(range(200))', `[${[...Array(38).keys()].join(', ')}`],
  ])('that returned %s is shown it as Python writes it', async (value, shown) => {
    const { failure } = await grade(LAST, `def same(items, name): return ${value}`);
    expect(failure?.output?.startsWith(shown)).toBe(true);
    expect(failure?.expected).toBe('[1, 2.0, None]');
  });

  it('fails where the tests are no JSON, as in the original', async () => {
    const broken = problemOf(
      [
        { input: '1', output: 'NaN' },
        { input: '1', output: 'abc' },
      ],
      'same',
    );
    expect(await grade(broken, 'def same(x): return x')).toMatchObject({
      results: [-4],
      failure: { test: 1, error: 'JSONDecodeError' },
    });
  });

  it('that returns something equal to everything is caught beside the compatible verdict', async () => {
    const program =
      'class All:\n    def __eq__(self, other): return True\ndef same(items, name): return All()';
    expect(await grade(LAST, program)).toMatchObject({
      solved: true,
      strictlySolved: false,
      flags: ['forged-equality'],
    });
  });
});

describe('private tests', () => {
  const packed = (pickle: Buffer): LiveCodeBenchProblem => ({
    ...ADD,
    packedTests: { publicTests: '[]', privateTests: deflateSync(pickle).toString('base64') },
  });
  it('that are no packed text stop the grading before anything is run', async () => {
    await expect(grade(packed(Buffer.from('cos\nsystem\n.')), 'print(1)')).rejects.toThrow(
      /refused at byte 0: opcode 0x63/,
    );
  });
});
