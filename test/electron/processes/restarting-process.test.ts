import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_SILENCE, systemClock } from '../../../electron/processes/child/timing.ts';
import { childEnvironment } from '../../../electron/processes/child/program.ts';
import { JSON_RPC } from '../../../electron/processes/child/json-rpc.ts';
import {
  type ProcessState,
  RestartingProcess,
  retryOnLoss,
  Turns,
} from '../../../electron/processes/child/restarting-process.ts';
import { ManagedChild } from '../../../electron/processes/child/managed-child.ts';
import { AT_ONCE, FIXTURES, isAlive, PYTHON, scratch, until } from './support.ts';

type Started = {
  restarting: RestartingProcess;
  states: ProcessState[];
  pauses: number[];
  starts: () => number;
};

/** A restarting of scripted children; `behaviour` tells what the nth life does, `handshake` what its handshake asks. */
function restartingChild(
  options: {
    behaviour?: (life: number) => string;
    handshake?: string;
    command?: string;
    backoff?: (restart: number) => number;
  } = {},
): Started {
  const folder = scratch();
  const states: ProcessState[] = [];
  const pauses: number[] = [];
  let lives = 0;
  const restarting = new RestartingProcess({
    name: 'runner',
    clock: systemClock,
    onState: (state) => states.push(state),
    backoff: (restart) => {
      pauses.push(restart);
      return (options.backoff ?? AT_ONCE)(restart);
    },
    start: () => {
      lives++;
      return ManagedChild.start(
        {
          name: 'runner',
          command: options.command ?? PYTHON,
          args: [join(FIXTURES, 'scripted_child.py'), options.behaviour?.(lives) ?? 'normal'],
          env: childEnvironment({}),
          channel: 'stdio',
          dialect: JSON_RPC,
          maxLineBytes: 1024,
          logFile: join(folder, 'runner.log'),
          handshakeTimeoutMs: 20_000,
          silence: DEFAULT_SILENCE,
          clock: systemClock,
          onEvent: () => {},
        },
        async (child) => {
          await child.call(options.handshake ?? 'hello', {}).result;
        },
      );
    },
  });
  onTestFinished(() => restarting.close());
  return { restarting, states, pauses, starts: () => lives };
}

describe('keeping a process', () => {
  it('starts another after a loss and tells each change with its reason', async () => {
    const { restarting, states, pauses } = restartingChild();
    const first = await restarting.start();
    process.kill(first.pid ?? 0, 'SIGKILL');
    await first.ended;
    const second = await restarting.ensureRunning();
    expect(second.pid).not.toBe(first.pid);
    expect(states.map(({ state }) => state)).toEqual(['running', 'down', 'restarting', 'running']);
    expect(states[2]).toMatchObject({ reason: expect.stringContaining('killed from outside') });
    expect(pauses).toEqual([1]);
  });

  it('shares one start among all who ask at the same time', async () => {
    const { restarting, starts } = restartingChild();
    const first = await restarting.start();
    first.kill();
    await first.ended;
    const asked = await Promise.all([
      restarting.ensureRunning(),
      restarting.ensureRunning(),
      restarting.restart(),
      restarting.ensureRunning(),
    ]);
    expect(new Set(asked).size).toBe(1);
    expect(starts()).toBe(2);
  });

  it('lets a request that a restart interrupts run on the new process', async () => {
    const { restarting, starts } = restartingChild();
    await restarting.start();
    const work = retryOnLoss(
      restarting,
      'runner',
      'echo',
      async (child) => child.call('sleep', { seconds: 0.3, value: 'done' }).result,
    );
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    await restarting.restart();
    expect(await work).toMatchObject({ echo: 'done' });
    expect(starts()).toBe(2);
  });

  it('gives up after five restarts in vain and says what went wrong', async () => {
    const { restarting, pauses, states } = restartingChild({
      behaviour: (life) => (life === 1 ? 'normal' : 'crash-at-start'),
    });
    const first = await restarting.start();
    first.kill();
    await expect(restarting.ensureRunning()).rejects.toMatchObject({
      kind: 'crashLoop',
      message: expect.stringMatching(
        /lost 6 times within ten minutes and is not started again\. .*exit code 3.*no such module/,
      ),
    });
    expect(pauses).toEqual([1, 2, 3, 4, 5]);
    expect(states.at(-1)).toMatchObject({ state: 'down' });
  });

  it('does not repeat a first start that fails, nor one that time cannot heal', async () => {
    const broken = restartingChild({ behaviour: () => 'crash-at-start' });
    await expect(broken.restarting.start()).rejects.toThrow(/exit code 3/);
    expect(broken.starts()).toBe(1);
    const missing = restartingChild({ command: '/nowhere/python' });
    await expect(missing.restarting.ensureRunning()).rejects.toMatchObject({ kind: 'processUnavailable' });
    expect(missing.starts()).toBe(1);
  });

  it('gives a request up that every process dies of', async () => {
    const { restarting } = restartingChild();
    await restarting.start();
    const deadly = retryOnLoss(
      restarting,
      'runner',
      'run job',
      async (child) => child.call('die', { signal: 'SIGSEGV' }).result,
    );
    await expect(deadly).rejects.toMatchObject({
      kind: 'requestKillsProcess',
      message: expect.stringMatching(/lost 4 times during the same run job\. .*SIGSEGV/),
    });
  });

  it('lays a loss at the door of the request that brings it about, and lets its neighbours go on', async () => {
    const { restarting, starts } = restartingChild();
    await restarting.start();
    const turns = new Turns();
    const ask = (method: string, params: object): Promise<unknown> =>
      retryOnLoss(
        restarting,
        'runner',
        'grade job',
        async (child) => child.call(method, params).result,
        turns,
      );
    // Three killers, one after the other: nine losses, where six would be the end of a process that is to blame.
    for (let round = 0; round < 3; round += 1) {
      const honest = [1, 2, 3].map((value) => ask('sleep', { seconds: 0.2, value }));
      const deadly = ask('die', { signal: 'SIGSEGV' });
      await expect(deadly).rejects.toMatchObject({
        kind: 'requestKillsProcess',
        message: expect.stringMatching(
          /lost 3 times during the same grade job, 2 times with nothing else to do/,
        ),
      });
      expect(await Promise.all(honest)).toMatchObject([{ echo: 1 }, { echo: 2 }, { echo: 3 }]);
    }
    expect(await ask('echo', { value: 'after' })).toMatchObject({ echo: 'after' });
    expect(starts()).toBe(10);
  });

  it('is to blame itself when request after request loses it', async () => {
    const { restarting } = restartingChild();
    await restarting.start();
    const turns = new Turns();
    const kinds: string[] = [];
    for (let request = 0; request < 12 && kinds.at(-1) !== 'crashLoop'; request += 1)
      await retryOnLoss(
        restarting,
        'runner',
        'grade job',
        async (child) => child.call('die', { code: 3 }).result,
        turns,
      ).catch(({ kind }: { kind: string }) => kinds.push(kind));
    expect(kinds.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'requestKillsProcess'));
    expect(kinds.at(-1)).toBe('crashLoop');
  });

  it('closes at once, even in the middle of a pause, and then takes no more requests', async () => {
    const { restarting, states } = restartingChild({ backoff: () => 60_000 });
    const first = await restarting.start();
    first.kill();
    const waiting = restarting.ensureRunning();
    const outcome = expect(waiting).rejects.toMatchObject({ kind: 'closed' });
    await until('it pauses', () => states.some(({ state }) => state === 'restarting'));
    const started = performance.now();
    await restarting.close();
    await outcome;
    expect(performance.now() - started).toBeLessThan(5000);
    expect(isAlive(first.pid ?? 0)).toBe(false);
    await expect(restarting.ensureRunning()).rejects.toMatchObject({ kind: 'closed' });
  });
});
