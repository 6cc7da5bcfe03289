import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../electron/core/index.ts';
import type { RunnerClient } from '../../../electron/processes/index.ts';
import { ProgramTimes } from '../../../electron/evolution/loop/program-times.ts';

/** A sandbox whose programs end when they are told to, as a class with a field that only its own methods see. */
class Sandbox {
  readonly #answer = 'done';
  readonly level = 'L3';
  readonly ends: (() => void)[] = [];
  #work(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ends.push(() => resolve(this.#answer));
    return promise;
  }
  check = (): Promise<string> => this.#work();
  run(): Promise<string> {
    return this.#work();
  }
  parse(): Promise<string> {
    return Promise.reject(new Error('lost'));
  }
}

describe('The times of programs', () => {
  it('count seconds with at least one at work, for the validator and the verifier apart', async () => {
    let now = 0;
    const sandbox = new Sandbox();
    const times = new ProgramTimes(sandbox as unknown as RunnerClient, { monotonicMs: () => now } as Clock);
    const runner = times.runner as unknown as Sandbox;
    expect(times.seconds).toEqual({});
    const first = runner.run();
    now = 1000;
    const second = runner.run();
    const checked = runner.check();
    now = 3000;
    sandbox.ends[0]!();
    expect(await first).toBe('done');
    now = 4000;
    sandbox.ends[2]!();
    await checked;
    sandbox.ends[1]!();
    await second;
    now = 9000;
    const later = runner.run();
    now = 9500;
    sandbox.ends[3]!();
    await later;
    expect(times.seconds).toEqual({ verify: 4.5, validate: 3 });
    expect(runner.level).toBe('L3');
  });

  it('end with a program that fails, and pass its failure on', async () => {
    let now = 0;
    const times = new ProgramTimes(
      new Sandbox() as unknown as RunnerClient,
      { monotonicMs: () => (now += 250) } as Clock,
    );
    await expect(times.runner.parse(['x'])).rejects.toThrow('lost');
    expect(times.seconds).toEqual({ validate: 0.25 });
  });
});
