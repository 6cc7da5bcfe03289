import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, DEFAULT_SILENCE, systemClock } from '../../../electron/processes/child/timing.ts';
import {
  childEnvironment,
  type ChildSpec,
  pythonEnvironment,
} from '../../../electron/processes/child/program.ts';
import { JSON_RPC } from '../../../electron/processes/child/json-rpc.ts';
import { ManagedChild } from '../../../electron/processes/child/managed-child.ts';
import { FIXTURES, HandClock, isAlive, PYTHON, scratch, until } from './support.ts';

type Started = { child: ManagedChild; states: string[]; events: string[]; logFile: string };

function spec(
  behaviour: string,
  clock: Clock,
  more: Partial<ChildSpec> = {},
): { spec: ChildSpec; states: string[]; events: string[] } {
  const states: string[] = [];
  const events: string[] = [];
  return {
    states,
    events,
    spec: {
      name: 'trainer',
      command: PYTHON,
      args: [join(FIXTURES, 'scripted_child.py'), behaviour],
      env: childEnvironment({}),
      channel: 'stdio',
      dialect: JSON_RPC,
      maxLineBytes: 1024 * 1024,
      logFile: join(scratch(), 'logs', 'trainer.log'),
      handshakeTimeoutMs: 20_000,
      silence: DEFAULT_SILENCE,
      clock,
      onEvent: (name) => events.push(name),
      onState: (state) => states.push(state),
      ...more,
    },
  };
}

async function start(
  behaviour: string,
  clock: Clock = systemClock,
  more: Partial<ChildSpec> = {},
): Promise<Started> {
  const made = spec(behaviour, clock, more);
  const child = await ManagedChild.start(made.spec, async (begun) => {
    await begun.call('hello', {}).result;
  });
  onTestFinished(async () => {
    child.kill();
    await child.ended;
  });
  return { child, states: made.states, events: made.events, logFile: made.spec.logFile };
}

describe('starting', () => {
  it('answers requests in a process group of its own, with output kept in the log', async () => {
    const { child, logFile } = await start('prints');
    expect(await child.call('echo', { value: 'ä' }).result).toEqual({ echo: 'ä', pid: child.pid });
    const group = Number(readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2]);
    expect(group).toBe(child.pid);
    await until(
      'the log has both streams',
      () => existsSync(logFile) && /noise on stdout[^]*noise on stderr/.test(readFileSync(logFile, 'utf8')),
    );
    expect(child.outputTail()).toContain('noise on stderr');
  });

  it('inherits a short list of variables and is forced offline', () => {
    const env = { PATH: '/bin', SECRET_TOKEN: 'x', PYTHONPATH: '/elsewhere', HF_TOKEN: 'y' };
    expect(childEnvironment({}, env)).toEqual({ PATH: '/bin', LANG: 'C.UTF-8' });
    const python = pythonEnvironment('/modules', 3);
    expect(python).toMatchObject({
      PYTHONPATH: '/modules',
      HF_HUB_OFFLINE: '1',
      TRANSFORMERS_OFFLINE: '1',
      HF_HUB_DISABLE_TELEMETRY: '1',
      TOKENIZERS_PARALLELISM: 'false',
      OMP_NUM_THREADS: '3',
      OMP_WAIT_POLICY: 'passive',
      PYTHONHASHSEED: '0',
    });
  });

  it('says that a program does not exist', async () => {
    const made = spec('normal', systemClock, { command: '/nowhere/python' });
    await expect(
      ManagedChild.start(made.spec, async (begun) => {
        await begun.call('hello', {}).result;
      }),
    ).rejects.toMatchObject({
      kind: 'processUnavailable',
      message: 'The trainer could not be started: /nowhere/python does not exist. Run the set-up again.',
    });
  });

  it('quotes the last words of a program that ends at once', async () => {
    const made = spec('crash-at-start', systemClock);
    await expect(
      ManagedChild.start(made.spec, async (begun) => {
        await begun.call('hello', {}).result;
      }),
    ).rejects.toThrow(/exit code 3\. Its last words: no such module/);
  });

  it('kills a program that does not answer in time and says where its output is', async () => {
    const clock = new HandClock();
    const made = spec('never-answers', clock);
    const starting = ManagedChild.start(made.spec, async (begun) => {
      await begun.call('hello', {}).result;
    });
    await until(
      'the log exists',
      () => existsSync(made.spec.logFile) && /pid (\d+)/.test(readFileSync(made.spec.logFile, 'utf8')),
    );
    const pid = Number(/pid (\d+)/.exec(readFileSync(made.spec.logFile, 'utf8'))?.[1]);
    clock.turn(20_001);
    await expect(starting).rejects.toMatchObject({
      kind: 'handshake',
      message: expect.stringContaining('did not answer within 20 s'),
    });
    expect(isAlive(pid)).toBe(false);
  });
});

describe('losing a process', () => {
  it.each([
    ['SIGKILL', /killed from outside/],
    ['SIGSEGV', /crashed in native code \(SIGSEGV\)\. Its last words: the last words/],
    ['SIGABRT', /crashed in native code \(SIGABRT\)/],
  ])('rejects every open request when it dies of %s', async (signal, sentence) => {
    const { child, states } = await start('normal');
    const open = [child.call('sleep', { seconds: 30 }).result, child.call('echo', { value: 1 }).result];
    const outcomes = Promise.allSettled(open);
    const { child: other } = await start('normal');
    const dying = other.call('die', { signal }).result;
    await expect(dying).rejects.toMatchObject({ kind: 'processLost', retryable: true });
    await expect(dying).rejects.toThrow(sentence);
    child.kill();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'processLost' } });
    expect(states.at(-1)).toBe('ended');
    await expect(child.call('echo', {}).result).rejects.toMatchObject({ kind: 'processLost' });
  });

  it('ends a process that breaks the protocol and says how', async () => {
    const { child } = await start('normal');
    const asked = child.call('say', {
      text: Buffer.from('Traceback (most recent call last):\n').toString('hex'),
    }).result;
    await expect(asked).rejects.toMatchObject({
      kind: 'processLost',
      message: expect.stringContaining('Traceback'),
    });
    await child.ended;
    expect(isAlive(child.pid ?? 0)).toBe(false);
  });

  it('gives a process up that lives but leaves a request unanswered for its time, counted from the last answer', async () => {
    const { child } = await start('normal');
    const patient = child.call('sleep', { seconds: 0.8 }, { answerWithinMs: 3000 });
    const behind = child.call('sleep', { seconds: 30 }, { answerWithinMs: 1500 });
    await expect(patient.result).resolves.toBeDefined();
    await expect(behind.result).rejects.toMatchObject({
      kind: 'processLost',
      message: expect.stringMatching(/lives but did not answer sleep within 2 s/),
    });
    await child.ended;
    expect(isAlive(child.pid ?? 0)).toBe(false);
  });

  it('keeps an answer that was sent before the end', async () => {
    const { child } = await start('normal');
    const [echo, exit] = await Promise.allSettled([
      child.call('echo', { value: 5 }).result,
      child.call('die', { code: 0 }).result,
    ]);
    expect(echo).toMatchObject({ status: 'fulfilled', value: { echo: 5 } });
    expect(exit).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('ended by itself before it was asked to') },
    });
  });

  it('passes errors of the process on with kind, hint, detail and whether asking again may help', async () => {
    const { child } = await start('normal');
    await expect(child.call('fail', {}).result).rejects.toMatchObject({
      kind: 'diskFull',
      message: 'It cannot be done. Free some space.',
      retryable: true,
      detail: { left: 3 },
      process: 'trainer',
      exitCode: 1,
    });
  });
});

describe('a process that falls silent', () => {
  it('is alive as long as heartbeats come, however long a request takes', async () => {
    const clock = new HandClock();
    const { child, states, events } = await start('normal', clock);
    const slow = child.call('sleep', { seconds: 1 }).result;
    for (let minute = 0; minute < 5; minute++) {
      const heard = events.length;
      await until('another heartbeat', () => events.length > heard);
      clock.turn(29_000);
    }
    await expect(slow).resolves.toBeDefined();
    expect(states).toEqual(['ready']);
  });

  it('is taken for stuck after 30 s, terminated, and its requests are rejected', async () => {
    const clock = new HandClock();
    const { child, states } = await start('normal', clock);
    await child.call('mute', {}).result;
    const open = child.call('sleep', { seconds: 30 }).result;
    const outcome = expect(open).rejects.toMatchObject({
      kind: 'processLost',
      message: expect.stringMatching(/was silent for 3\d s/),
    });
    // A heartbeat may still be in the pipe; real time lets it arrive.
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    clock.turn(29_000);
    expect(child.state).toBe('ready');
    clock.turn(4000);
    await outcome;
    await child.ended;
    expect(states).toEqual(['ready', 'stalled', 'stopping', 'ended']);
  });

  it('has 120 s while something slow is being done', async () => {
    const clock = new HandClock();
    const { child } = await start('normal', clock);
    await child.call('mute', {}).result;
    const loading = child.call('sleep', { seconds: 30 }, { slow: true }).result;
    const outcome = expect(loading).rejects.toMatchObject({ kind: 'processLost' });
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    clock.turn(119_000);
    expect(child.state).toBe('ready');
    clock.turn(4000);
    await outcome;
  });

  it('is noticed when it is stopped by a signal, and SIGKILL ends it where SIGTERM cannot', async () => {
    const clock = new HandClock();
    const { child } = await start('normal', clock);
    process.kill(child.pid ?? 0, 'SIGSTOP');
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    clock.turn(35_000);
    expect(child.state).toBe('stopping');
    expect(isAlive(child.pid ?? 0)).toBe(true);
    clock.turn(10_000);
    const report = await child.ended;
    expect(report.signal).toBe('SIGKILL');
    expect(report.sentence).toBe('The trainer was stopped with SIGKILL.');
  });
});

describe('stopping', () => {
  it('ends by itself when asked to', async () => {
    const { child, states } = await start('normal');
    const report = await child.stop({ method: 'shutdown', params: {} });
    expect(report).toMatchObject({ code: 0, sentence: 'The trainer was stopped.' });
    expect(states).toEqual(['ready', 'stopping', 'ended']);
  });

  it('gets SIGTERM, and SIGKILL 10 s later when it ignores that', async () => {
    const clock = new HandClock();
    const { child } = await start('ignores-sigterm', clock);
    const stopped = child.stop();
    clock.turn(9000);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect(isAlive(child.pid ?? 0)).toBe(true);
    clock.turn(1001);
    expect((await stopped).signal).toBe('SIGKILL');
  });
});
