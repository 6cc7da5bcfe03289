import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { storedRun } from '../../torture/engine/short-run.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

vi.setConfig({ testTimeout: 300_000 });
useWarmTrainer();

const ANCHOR = join(import.meta.dirname, '../../../electron/cli/anchor.ts');
const ON_TERMINAL = join(import.meta.dirname, '../../support/on_terminal.py');
const PYTHON = 'python3';
const folder = mkdtempSync(join(tmpdir(), 'anchor-terminal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = join(folder, 'run.json');
writeFileSync(
  config,
  JSON.stringify(
    runConfigSchema.parse({
      ...PRESETS.demo,
      steps: 1,
      framework: { name: 'azr', batchSize: 1, estimateSamples: 1, taskTypes: ['deduction'] },
      generation: { maxNewTokens: 24 },
      supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
    }),
  ),
);

/** The run in a lab of that name, as a shell would start it. */
const start = (lab: string, stdio: StdioOptions): ChildProcess =>
  spawn(process.execPath, [ANCHOR, '--lab', join(folder, lab), 'run', '--config', config], { stdio });
const ended = (child: ChildProcess): Promise<{ code: number | null; signal: string | null }> =>
  new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
/** A command on a terminal of its own, which is closed as a line is written to the child, and what was shown there. */
function onTerminal(...args: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn(PYTHON, [ON_TERMINAL, process.execPath, ANCHOR, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (text: Buffer) => (said += text.toString()));
  return { child, said: () => said };
}
const stateOf = (lab: string): string | undefined => storedRun(join(folder, lab))?.state;

describe('a run whose words can no longer be shown goes on to its end', () => {
  it('as both pipes lose their readers', async () => {
    const child = start('pipes', ['ignore', 'pipe', 'pipe']);
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect(await ended(child)).toEqual({ code: 0, signal: null });
    expect(stateOf('pipes')).toBe('done');
  });

  it('as the disk behind standard error is full', { tags: ['full'] }, async () => {
    const full = openSync('/dev/full', 'w');
    expect(await ended(start('full-stderr', ['ignore', 'ignore', full]))).toEqual({ code: 0, signal: null });
    expect(stateOf('full-stderr')).toBe('done');
  });

  it('as the disk behind standard output is full, which is said and told by the exit code', async () => {
    const child = start('full-stdout', ['ignore', openSync('/dev/full', 'w'), 'pipe']);
    let said = '';
    child.stderr?.on('data', (text: Buffer) => (said += text.toString()));
    expect(await ended(child)).toEqual({ code: 1, signal: null });
    expect(stateOf('full-stdout')).toBe('done');
    expect(said.match(/anchor: the result could not be written to standard output: ENOSPC/g)).toHaveLength(1);
    expect(said).not.toMatch(/ at .*\.ts:/);
  });

  it('as its window is closed', { tags: ['full'] }, async () => {
    const child = start('closed', 'ignore');
    while (stateOf('closed') === undefined) await sleep(20);
    child.kill('SIGHUP');
    expect(await ended(child)).toEqual({ code: 0, signal: null });
    expect(stateOf('closed')).toBe('done');
  });

  it('as its terminal is closed', async () => {
    const { child, said } = onTerminal('--lab', join(folder, 'hung-up'), 'run', '--config', config);
    while (stateOf('hung-up') === undefined) await sleep(20);
    child.stdin?.write('close\n');
    await ended(child);
    expect(said()).toMatch(/^ended 0$/m);
    expect(stateOf('hung-up')).toBe('done');
  });

  it('as what started it is killed, which is said, with how to stop it', async () => {
    const said = join(folder, 'said');
    // The program of the right Node is a child of the launcher where the person's own Node is another one.
    const starter = spawn(
      'sh',
      [
        '-c',
        '"$0" "$@" & wait',
        process.execPath,
        ANCHOR,
        '--lab',
        join(folder, 'alone'),
        'run',
        '--config',
        config,
      ],
      { stdio: ['ignore', 'ignore', openSync(said, 'w')] },
    );
    while (stateOf('alone') === undefined) await sleep(20);
    starter.kill('SIGKILL');
    await ended(starter);
    while (stateOf('alone') !== 'done') await sleep(50);
    const told =
      /^anchor: what started this program has ended; the work goes on here, and "kill \d+" stops it\.$/gm;
    expect(readFileSync(said, 'utf8').match(told)).toHaveLength(1);
  });
});

it('a server whose terminal is closed goes on to answer, and ends in good order when it is told to', async () => {
  const { child, said } = onTerminal('--lab', join(folder, 'served'), 'serve');
  const gone = ended(child);
  const found = async (sought: RegExp): Promise<string> => {
    await vi.waitFor(() => expect(said()).toMatch(sought), { timeout: 120_000, interval: 50 });
    return sought.exec(said())?.[1] as string;
  };
  const address = await found(/(http:\/\/127\.0\.0\.1:\d+)\/trpc/);
  const pid = Number(await found(/^pid (\d+)/m));
  child.stdin?.write('close\n');
  // What is said from here on has nowhere to go.
  for (let tries = 0; tries < 5; tries += 1) {
    await sleep(200);
    const [answer] = (await once(get(address), 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBeLessThan(500);
  }
  process.kill(pid, 'SIGTERM');
  await gone;
  expect(said()).toMatch(/^ended 0$/m);
});
