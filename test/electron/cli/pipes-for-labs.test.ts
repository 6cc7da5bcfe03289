import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const PATIENCE_MS = 60_000;
const scratch = mkdtempSync(join(tmpdir(), 'anchor-pipes-'));
const sound = join(scratch, 'sound');
beforeAll(async () => (await openLab(sound, { now: () => new Date() })).close());
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A lab in which a pipe has the name of one of its files. */
function withPipe(name: string): string {
  const lab = join(scratch, `lab-${readdirSync(scratch).length}`);
  cpSync(sound, lab, { recursive: true });
  rmSync(join(lab, name), { force: true });
  mkdirSync(lab, { recursive: true });
  execFileSync('mkfifo', [join(lab, name)]);
  return lab;
}

/** In a process of its own, which is killed where it waits for the pipe: nothing else would end it. */
async function called(lines: string[][]): Promise<{ code: number; stdout: string; stderr: string }[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'call-lines.ts'), JSON.stringify(lines)]);
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const signal = await new Promise((resolve) => void child.on('close', (_, by) => resolve(by)));
  clearTimeout(patience);
  expect(signal, `One of ${JSON.stringify(lines)} waited for the pipe.`).toBeNull();
  return JSON.parse(said) as Awaited<ReturnType<typeof called>>;
}

const WHAT_IT_IS = /is a device, a pipe or a socket/;

describe('a pipe in the place of a database', () => {
  it('is no backup: restoring, salvaging and checking it each end at once with one sentence', async () => {
    const pipe = join(withPipe(DATABASE_FILE), DATABASE_FILE);
    const to = join(scratch, 'made');
    const results = await called([
      ['--lab', sound, 'restore', pipe, '--to', to],
      ['--lab', sound, 'restore', pipe, '--to', to, '--salvage'],
      ['--lab', sound, 'check', pipe],
    ]);
    for (const { code, stdout, stderr } of results) {
      expect(code).toBeGreaterThan(0);
      expect(stdout + stderr).toMatch(WHAT_IT_IS);
    }
  });

  it.each([DATABASE_FILE, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`, 'anchor.lock'])(
    'as %s of a lab is refused by whoever opens or checks it',
    async (name) => {
      const lab = withPipe(name);
      const lines = [
        ['--lab', lab, 'runs'],
        ...(name === 'anchor.lock' ? [] : [['check', lab, '--lab', sound]]),
      ];
      for (const { code, stdout, stderr } of await called(lines)) {
        expect(code).toBe(1);
        expect(stdout + stderr).toContain(join(lab, name));
        expect(stdout + stderr).toMatch(WHAT_IT_IS);
      }
    },
  );
});
