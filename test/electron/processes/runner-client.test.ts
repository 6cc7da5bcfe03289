import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EncodedValue } from '../../../electron/contract/index.ts';
import { startRunner, type RunJob, type RunnerClient } from '../../../electron/processes/index.ts';
import { AT_ONCE, BROKER, FIXTURES, PYTHON, scratch } from './support.ts';

const folder = scratch();
let runner: RunnerClient;

beforeAll(async () => {
  runner = await startRunner({
    python: PYTHON,
    brokerPath: BROKER,
    level: 'auto',
    workers: 2,
    logFile: join(folder, 'runner.log'),
    backoff: AT_ONCE,
  });
}, 300_000);
afterAll(() => runner.close());

const integer = (value: number): EncodedValue => [
  'i',
  `${value < 0 ? '-' : ''}0x${Math.abs(value).toString(16)}`,
];
const job = (program: string, ...args: EncodedValue[][]): RunJob => ({
  program,
  entry: 'f',
  calls: args.map((one) => ({ args: one })),
});

describe('the runner', () => {
  it('says at which level it runs and that its probes passed', () => {
    expect(runner.hello.executionAllowed).toBe(true);
    expect(runner.hello.level).toMatch(/^L[23]$/);
    expect(runner.hello.selfTest.length).toBeGreaterThanOrEqual(12);
    expect(runner.hello.selfTest.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('runs several calls of one program and brings their values as data', async () => {
    const result = await runner.run(
      job('def f(x):\n    return [x * 2, str(x), None]', [integer(21)], [integer(-1)]),
    );
    expect(result).toMatchObject({ status: 'ok', level: runner.hello.level });
    expect(result.calls.map(({ value }) => value)).toEqual([
      ['l', [integer(42), ['s', '21'], ['n']]],
      ['l', [integer(-2), ['s', '-1'], ['n']]],
    ]);
  });

  it('tells an error by its name, a hang as timeout, and leaves the rest undone', async () => {
    const result = await runner.run({
      ...job(
        'def f(x):\n    if x == 1: return 1 / 0\n    while x == 2: pass\n    return x',
        [integer(1)],
        [integer(2)],
        [integer(3)],
      ),
      limits: { cpuSeconds: 1, wallSeconds: 2 },
    });
    expect(result.calls.map(({ status, error }) => error?.type ?? status)).toEqual([
      'ZeroDivisionError',
      'timeout',
      'notRun',
    ]);
  });

  it('finds what depends on the hash seed', async () => {
    const same = await runner.check(job('def f(x):\n    return sorted({"a", "b", x})', [['s', 'c']]));
    expect(same).toMatchObject({ deterministic: true, differs: [] });
    const other = await runner.check(job('def f(x):\n    return hash(x)', [['s', 'c']]));
    expect(other).toMatchObject({ deterministic: false, differs: [0] });
  });

  it('reads programs without running them, in order', async () => {
    const [good, bad] = await runner.parse([
      'import math\ndef f(x, y):\n    for i in x: y += math.sqrt(i)\n    return y',
      'def (',
    ]);
    expect(good).toMatchObject({
      ok: true,
      imports: ['math'],
      loops: 1,
      callsTo: ['math.sqrt'],
      functions: [{ name: 'f', args: ['x', 'y'], nested: false }],
    });
    expect(bad).toMatchObject({ ok: false, error: { type: 'SyntaxError', line: 1 } });
    expect(await runner.parse([])).toEqual([]);
  });

  it('tests itself again on request and counts its jobs', async () => {
    expect((await runner.selfTest()).executionAllowed).toBe(true);
    expect(await runner.stats()).toMatchObject({ level: runner.hello.level });
  });

  it('names the field of a request that is wrong', async () => {
    await expect(runner.run({ ...job('def f(): pass', []), hashSeed: 1 })).rejects.toMatchObject({
      process: 'runner',
      kind: 'badRequest',
      message: expect.stringContaining('hashSeed'),
    });
  });
});

describe('losing the broker', () => {
  it('is not noticed by twelve jobs under way when it is killed, but for the time', async () => {
    const work = (n: number): RunJob =>
      job('def f(n):\n    total = 0\n    for i in range(300000):\n        total += i * n\n    return total', [
        integer(n),
      ]);
    const undisturbed = await Promise.all(Array.from({ length: 12 }, (_, n) => runner.run(work(n))));
    const pid = runner.pid ?? 0;
    let done = 0;
    const disturbed = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const result = await runner.run(work(n));
        if (++done === 3) process.kill(pid, 'SIGKILL');
        return result;
      }),
    );
    expect(disturbed.map(({ calls }) => calls)).toEqual(undisturbed.map(({ calls }) => calls));
    expect(runner.pid).not.toBe(pid);
  });

  it('is a result of the program that every broker dies of, the same each time, and of nothing beside it', async () => {
    const mortal = await startRunner({
      python: PYTHON,
      brokerPath: join(FIXTURES, 'mortal_broker.py'),
      level: 'unsafe',
      workers: 1,
      logFile: join(folder, 'mortal.log'),
      backoff: AT_ONCE,
    });
    onTestFinished(() => mortal.close());
    const honest = job('def f(x):\n    return x', [integer(7)]);
    const deadly = job('def f(x):\n    return "KILLS_THE_RUNNER"', [integer(1)], [integer(2)]);
    const died = { level: 'unsafe', status: 'died', stdout: '', stderr: '', wallMs: 0, cpuMs: 0 };
    const calls = [{ status: 'died' }, { status: 'notRun' }];
    for (let round = 0; round < 2; round += 1) {
      const [beside, ended] = await Promise.all([mortal.run(honest), mortal.run(deadly)]);
      expect(beside.calls).toEqual([{ status: 'ok', value: integer(7) }]);
      expect(ended).toEqual({ ...died, calls });
    }
    expect(await mortal.check(deadly)).toEqual({ ...died, calls, deterministic: false, differs: [] });
    expect(await mortal.parse([honest.program, deadly.program, 'x = 1'])).toMatchObject([
      { ok: true, functions: [{ name: 'f' }] },
      { ok: false, error: { type: 'ParserStopped' } },
      { ok: true, statements: 1 },
    ]);
  });
});

describe('starting', () => {
  it('says what to do when the broker is not there', async () => {
    const starting = startRunner({
      python: PYTHON,
      brokerPath: join(folder, 'none.py'),
      level: 'auto',
      workers: 1,
      logFile: join(folder, 'none.log'),
    });
    await expect(starting).rejects.toThrow(
      /The runner ended with exit code 2\. Its last words: .*none\.py.*No such file/,
    );
  });
});
