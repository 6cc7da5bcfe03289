import { describe, expect, it } from 'vitest';
import {
  gradeLiveCodeBench,
  type LiveCodeBenchGrade,
} from '../../../../electron/evaluation/code/livecodebench/grade.ts';
import type { LiveCodeBenchProblem } from '../../../../electron/evaluation/code/livecodebench/problem.ts';
import { useRunner } from '../../real-runner.ts';

const runner = useRunner();

const problemOf = (output: string): LiveCodeBenchProblem => ({
  id: 'own_a',
  title: 'Own',
  statement: 'A problem of our own.',
  platform: 'atcoder',
  difficulty: 'easy',
  contestId: 'own',
  contestDate: '2025-01-04T00:00:00',
  starterCode: '',
  functionName: null,
  packedTests: {
    publicTests: JSON.stringify([{ input: '', output, testtype: 'stdin' }]),
    privateTests: '[]',
  },
});

const grade = (program: string, output: string): Promise<LiveCodeBenchGrade> =>
  gradeLiveCodeBench(problemOf(output), program, { runner: runner(), loadAverage: () => 0 });

const TICK_MS = 5;

/** Processor time of this thread between two turns of others, at most: what it costs them on a quiet core, whatever else the machine does. */
async function longestTurn<T>(work: () => Promise<T>): Promise<{ milliseconds: number; result: T }> {
  let [longest, before] = [0, process.threadCpuUsage()];
  const tick = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, user + system);
    before = process.threadCpuUsage();
  };
  const ticking = setInterval(tick, TICK_MS);
  try {
    const result = await work();
    await new Promise((resolve) => setTimeout(resolve, 2 * TICK_MS));
    return { milliseconds: longest / 1000, result };
  } finally {
    clearInterval(ticking);
  }
}

/** What an engine may be deaf for. The cases here take up to 60 ms on a quiet core; without limits they took seconds. */
const MOST_MS = 250;

/** Prints below what is read of one answer, and beyond it; a line end is two characters of a report, a character beyond ASCII six. */
const READ: [string, string, string][] = [
  ['lines', 'print("\\n1" * 4_000_000)', '1'],
  ['spaces between', 'print("x" + " " * 15_000_000 + "x")', 'x x'],
  ['spaces before and behind', 'print(" " * 7_000_000 + "1" + " " * 7_000_000)', '2'],
  ['words', 'print("1 " * 7_000_000)', `${'1 '.repeat(50)}2`],
  ['zeros in a number', 'print("1" + "0" * 15_000_000 + "1")', '1'],
  ['a long exponent', 'print("1e" + "9" * 15_000_000)', '1'],
  ['a long exponent of zeros', 'print("1e" + "0" * 15_000_000)', '1.0'],
  ['digits of another script', 'print("\\u0660" * 2_000_000 + "3")', '3'],
  ['long numbers that are equal', 'print(("\\u0660" * 90_000 + "3 ") * 25)', '3 '.repeat(25)],
];

describe('an output of megabytes', () => {
  it.each(READ)('of %s keeps the engine from nobody', async (_, program, output) => {
    const { milliseconds, result } = await longestTurn(() => grade(program, output));
    expect(result.failure?.error ?? null).toBeNull();
    expect(milliseconds).toBeLessThan(MOST_MS);
  });

  it.each([
    ['lines', 'print("\\n" * 60_000_000)'],
    ['spaces', 'print("x" + " " * 60_000_000 + "x")'],
    ['digits of an exponent', 'print("1e" + "9" * 60_000_000)'],
    ['characters beyond ASCII', 'print("é" * 10_000_000)'],
  ])('that is longer than any answer, of %s, is wrong and not read', async (_, program) => {
    const { milliseconds, result } = await longestTurn(() => grade(program, '1'));
    expect(result).toMatchObject({ results: [-2], flags: ['too-large'], failure: { error: 'output' } });
    expect(milliseconds).toBeLessThan(MOST_MS);
  });

  it('is an answer where that much is expected', async () => {
    const { milliseconds, result } = await longestTurn(() =>
      grade('print("1.0\\n" * 400_000)', '1\n'.repeat(400_000)),
    );
    expect(result.solved).toBe(true);
    expect(milliseconds).toBeLessThan(MOST_MS);
  });
});

describe('a report of as many parts as are read', () => {
  const forged = (parts: number): string =>
    `def f(x): pass\nimport os\nvalue = b'["l",[' + b'["i","0x1"],' * ${parts} + b'["n"]]]'\ntold = b'{"module":null}\\n' + b''.join(b'{"call":%d,"value":%s,"seconds":0}\\n' % (call, value) for call in range(5)) + b'{"end":true}\\n'\nwhile told: told = told[os.write(3, told):]\nos._exit(0)`;
  const told = (parts: number): ReturnType<ReturnType<typeof runner>['grade']> =>
    runner().grade({
      program: forged(parts),
      mode: 'function',
      entry: 'f',
      calls: Array.from({ length: 5 }, () => ({ args: [] })),
      limits: { reportBytes: 16 * 1024 * 1024 },
    });

  it('keeps the engine from nobody', async () => {
    const { milliseconds, result } = await longestTurn(() => told(65_000));
    expect(result.status).toBe('ok');
    expect(milliseconds).toBeLessThan(MOST_MS);
  });

  it('is not read where it has more', async () => {
    expect(await told(70_000)).toMatchObject({ status: 'output' });
  });
});
