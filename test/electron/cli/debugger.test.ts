import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

const ANCHOR = join(import.meta.dirname, '../../../electron/cli/anchor.ts');

it('a server opens no debugger when it is asked to by a signal, and goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-debugger-'));
  const child = spawn(process.execPath, [ANCHOR, '--lab', join(folder, 'lab'), 'serve', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()));
  const left = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    while (!said.includes('http://127.0.0.1:')) await sleep(50);
    child.kill('SIGUSR1');
    await sleep(1500);
    expect(said).not.toContain('Debugger');
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  } finally {
    child.kill('SIGTERM');
    await left;
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
