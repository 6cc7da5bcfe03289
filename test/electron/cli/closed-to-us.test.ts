import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { fillRun } from '../store/support/in-lab.ts';
import { steadyClock } from '../store/support/make-records.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, '../../..');
/** Root may read everything, so the program is run as an ordinary user then. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const AS_USER = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

const scratch = mkdtempSync(join(tmpdir(), 'anchor-closed-'));
const model = join(scratch, 'model');
const made = join(scratch, 'made');

const giveAway = (path: string): void => {
  if (!isRoot) return;
  for (const name of ['.', ...readdirSync(path, { recursive: true, encoding: 'utf8' })])
    chownSync(join(path, name), NOBODY, NOBODY);
};

beforeAll(async () => {
  chmodSync(scratch, 0o755);
  const lab = await openLab(made, { now: steadyClock() });
  fillRun(lab, 'a', 1);
  await lab.backup(join(made, 'backups', 'old.sqlite'));
  lab.close();
  mkdirSync(join(made, 'runs/a/checkpoints'), { recursive: true });
  cpSync(join(ROOT, 'resources/models/policy'), model, { recursive: true });
  giveAway(model);
});
afterAll(() => {
  for (const name of readdirSync(scratch, { recursive: true, encoding: 'utf8' }))
    chmodSync(join(scratch, name), 0o700);
  rmSync(scratch, { recursive: true, force: true });
});

/** What command lines in one lab come to while something in it, or elsewhere, is closed to whoever calls them. */
function saidWhile(closed: string, lines: string[][]): { code: number; stderr: string; stdout: string }[] {
  const lab = join(scratch, `lab-${readdirSync(scratch).length}`);
  cpSync(made, lab, { recursive: true });
  giveAway(lab);
  const path = closed.startsWith('/') ? closed : join(lab, closed);
  chmodSync(path, 0);
  const [command = '', ...args] = [
    ...AS_USER,
    process.execPath,
    join(import.meta.dirname, 'call-lines.ts'),
    JSON.stringify(lines.map((line) => ['--lab', lab, ...line])),
  ];
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: ROOT });
  chmodSync(path, 0o700);
  expect(stderr).not.toMatch(/\n\s+at /);
  return JSON.parse(stdout) as ReturnType<typeof saidWhile>;
}

const RUN = ['run', '--set', 'steps=1', '--set', 'supervision.reviewer=rubric', '--set'];

describe('what its owner closed', () => {
  it.each<[string, string, string[][], RegExp]>([
    [
      'the database',
      DATABASE_FILE,
      [['runs'], ['dataset', 'list'], ['doctor'], ['resume', 'a']],
      /lab\.sqlite/,
    ],
    ['the folder of runs', 'runs', [['runs'], ['doctor']], /\/runs may not be read by this user/],
    [
      'a model',
      model,
      [
        ['import', model],
        [...RUN, `policy.model=${model}`],
        ['eval', '--model', model, '--suites', 'toy-refusal'],
      ],
      /\/model may not be read by this user/,
    ],
    ['the folder of backups', 'backups', [['backup'], ['backup', '--list']], /\/backups\b/],
  ])('is said in one sentence: %s', (_what, closed, lines, sentence) => {
    for (const [at, { code, stderr }] of saidWhile(closed, lines).entries()) {
      const said = stderr.split('\n').filter((line) => line.startsWith('anchor: '));
      expect(said, `${lines[at]?.join(' ')}: ${stderr}`).toHaveLength(1);
      expect(said[0]).toMatch(sentence);
      expect(said[0]).not.toMatch(/should not have happened|unexpectedly|EACCES:/);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect([1, 2]).toContain(code);
    }
  });

  it('is said by a check of the lab', () => {
    const [{ code, stdout, stderr }] = saidWhile(DATABASE_FILE, [['check']]) as [
      { code: number; stdout: string; stderr: string },
    ];
    // It was not looked at, so nothing is said to be damaged.
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(/lab\.sqlite may not be read by this user; correct its permissions/);
    expect(stdout + stderr).not.toMatch(/should not have happened|EACCES/);
  });
});
