import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ThreadChoice, threadCounts } from '../../../../electron/processes/supervisor/cores.ts';
import { endedByWatchdog, Watchdog } from '../../../../electron/processes/supervisor/watchdog.ts';

const WATCHDOG = new URL('../../../../electron/processes/supervisor/watchdog.ts', import.meta.url).href;

afterEach(() => {
  vi.useRealTimers();
});

describe('A watchdog over native code', () => {
  const hang = (dog: Watchdog): void => void dog.guard(() => new Promise(() => {}));

  it('leaves the first evaluations two minutes, and later ones as long as a multiple of the longest', async () => {
    vi.useFakeTimers();
    const ended: number[] = [];
    const dog = new Watchdog((ms) => ended.push(ms));
    await dog.guard(async (tick) => {
      for (let index = 0; index < 3; index++) {
        await vi.advanceTimersByTimeAsync(4000);
        tick();
      }
    });
    expect(ended).toEqual([]);
    hang(dog);
    await vi.advanceTimersByTimeAsync(47_000);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(ended).toEqual([48_000]);
    const fresh = new Watchdog((ms) => ended.push(ms));
    hang(fresh);
    await vi.advanceTimersByTimeAsync(119_000);
    expect(ended).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(ended).toHaveLength(2);
  });

  it('leaves a process whose threads wait for a core ten times as long, and one that hangs no longer', async () => {
    vi.useFakeTimers();
    const ended: number[] = [];
    let [waited, share] = [0, 0.9];
    const dog = new Watchdog(
      (ms) => ended.push(ms),
      () => waited,
    );
    const pass = async (ms: number): Promise<void> => {
      for (let at = 0; at < ms; at += 1000) {
        await vi.advanceTimersByTimeAsync(1000);
        waited += share * 1000;
      }
    };
    hang(dog);
    await pass(1_190_000);
    expect(ended).toEqual([]);
    await pass(11_000);
    expect(ended).toEqual([1_200_000]);
    share = 0.1;
    hang(dog);
    await pass(121_000);
    expect(ended).toEqual([1_200_000, 120_000]);
  });

  it.runIf(process.platform === 'linux')(
    'knows how long a thread waited where a core is shared',
    async () => {
      vi.useRealTimers();
      const rival = spawn('taskset', ['-c', '0', process.execPath, '-e', 'for(;;);'], { stdio: 'ignore' });
      try {
        const asked = spawnSync(
          'taskset',
          [
            '-c',
            '0',
            process.execPath,
            '--input-type=module-typescript',
            '-e',
            `import { longestWaitMs } from ${JSON.stringify(WATCHDOG)};
           const before = longestWaitMs();
           for (const end = performance.now() + 600; performance.now() < end; );
           process.stdout.write(String(longestWaitMs() - before));`,
          ],
          { encoding: 'utf8' },
        );
        expect(Number(asked.stdout)).toBeGreaterThan(60);
      } finally {
        rival.kill('SIGKILL');
      }
    },
  );

  it('never waits less than 20 s and does not bark when the work is over', async () => {
    vi.useFakeTimers();
    const ended: number[] = [];
    const dog = new Watchdog((ms) => ended.push(ms));
    await dog.guard(async (tick) => {
      for (let index = 0; index < 5; index++) tick();
    });
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(ended).toEqual([]);
    hang(dog);
    await vi.advanceTimersByTimeAsync(21_000);
    expect(ended).toEqual([20_000]);
  });

  it('is recognised by the signal or the exit code it ends with', () => {
    expect(endedByWatchdog({ code: null, signal: 'SIGALRM' })).toBe(true);
    expect(endedByWatchdog({ code: 75, signal: null })).toBe(true);
    expect(endedByWatchdog({ code: null, signal: 'SIGKILL' })).toBe(false);
    expect(endedByWatchdog({ code: 1, signal: null })).toBe(false);
  });
});

describe('The number of threads', () => {
  it('is chosen among powers of two, and for a single row, whose numbers depend on it, not at all', () => {
    expect(threadCounts(8, 1, 6)).toEqual([1, 2, 4, 6]);
    expect(threadCounts(8, 3, 2)).toEqual([1, 2, 3]);
    expect(threadCounts(1, 2, 6)).toEqual([2]);
  });

  it('is the one that was the fastest, tried again now and then', async () => {
    const applied: number[] = [];
    const choice = new ThreadChoice(threadCounts(8, 1, 4), (count) => applied.push(count));
    const work = async (): Promise<void> => {
      await pause(applied.at(-1) === 2 ? 1 : 12);
    };
    for (let index = 0; index < 30; index++) await choice.time('round', 1, work);
    expect(applied.slice(0, 3)).toEqual([1, 2, 4]);
    expect(applied.filter((count) => count === 2).length).toBeGreaterThan(24);
    expect(applied.filter((count) => count !== 2).length).toBeGreaterThan(2);
    expect(choice.best('round')).toMatchObject({ threads: 2 });
    expect(choice.best('prompt')).toBeNull();
  });
});
