import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startSupervisor, startTrainer } from '../../../electron/processes/index.ts';
import { AT_ONCE, FIXTURES, HandClock, PYTHON, scratch } from './support.ts';

const folder = scratch();
const logFile = join(folder, 'forgetful.log');

/** A program that answers `hello` only, whatever it is started with. */
function forgetful(role: 'supervisor' | number): string {
  const file = join(folder, `forgetful-${role}`);
  const program = join(FIXTURES, 'forgetful.py');
  writeFileSync(file, `#!/bin/sh\nexec '${PYTHON}' '${program}' ${role}\n`, { mode: 0o755 });
  return file;
}

/** Turns the clock while the process beats, up to so many of its seconds; resolves with what it came to. */
async function withinSeconds(
  clock: HandClock,
  seconds: number,
  asked: Promise<unknown>,
  step = 2,
): Promise<string | null> {
  const came: { to: string | null } = { to: null };
  asked.then(
    () => (came.to = 'answered'),
    (error: Error) => (came.to = error.message),
  );
  for (let turned = 0; turned < seconds && came.to === null; turned += step) {
    clock.turn(1000 * step);
    await sleep(25);
  }
  return came.to;
}

async function askTrainer(known: number): Promise<{ clock: HandClock; asked: Promise<unknown> }> {
  const clock = new HandClock();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const trainer = await startTrainer({
    python: forgetful(known),
    moduleDir: folder,
    runDir: folder,
    spoolDir: folder,
    logFile,
    clock,
    backoff: AT_ONCE,
    signal: end.signal,
  });
  const asked = trainer.countTokens([{ prompt: 'x' }]);
  asked.catch(() => {});
  return { clock, asked };
}

it('a request that the trainer no longer counts is lost within half a minute', async () => {
  const { clock, asked } = await askTrainer(0);
  expect(await withinSeconds(clock, 30, asked)).toMatch(/^The trainer lives but no longer knows a request/);
});

it('a request that it counts is waited for', async () => {
  const { clock, asked } = await askTrainer(1);
  expect(await withinSeconds(clock, 120, asked)).toBeNull();
});

it('a supervisor that beats and never says that a model is loaded is given up after half an hour', async () => {
  const clock = new HandClock();
  const supervisor = await startSupervisor({ node: forgetful('supervisor'), logFile, clock });
  const asked = supervisor.load({ path: '/model.gguf', contextSize: 512, threads: 1 });
  expect(await withinSeconds(clock, 1700, asked, 100)).toBeNull();
  expect(supervisor.pid).toBeGreaterThan(0);
  await withinSeconds(clock, 200, asked, 100);
  // Its end is known a moment after it was struck.
  await vi.waitFor(() => expect(() => supervisor.pid).toThrow('was stopped with SIGKILL'), 10_000);
  await Promise.all([supervisor.close(), asked.catch(() => {})]);
});
