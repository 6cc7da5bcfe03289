import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Job } from '../../../electron/contract/index.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { permissions } from '../../../electron/machine/doctor.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import type { MadeLab } from '../../support/made-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { APPLICATION, openEngine } from './in-engine.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const IS_ROOT = process.getuid?.() === 0;
const [NOBODY, SOMEBODY, TOGETHER] = [65534, 65533, 65532];
const scratch = mkdtempSync(join(tmpdir(), 'anchor-owner-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Paths in a folder, itself included, whose permissions let others in; of a link it is said what it is itself. */
function openIn(folder: string, bits = 0o077): string[] {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return [folder, ...below].filter((path) => {
    const found = lstatSync(path);
    return !found.isSymbolicLink() && (found.mode & bits) !== 0;
  });
}

/** Runs a program as another user of this machine, with that one's own group and those named. */
const as = (uid: number, groups: readonly number[], ...command: string[]) =>
  spawnSync(
    'setpriv',
    [
      `--reuid=${uid}`,
      `--regid=${uid}`,
      groups.length > 0 ? `--groups=${groups.join()}` : '--clear-groups',
      ...command,
    ],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: scratch } },
  );

let made: MadeLab;
beforeAll(async () => {
  made = await copyPreparedLab(join(scratch, 'lab'));
});

describe('a lab made and used without a mask', () => {
  const exported = join(scratch, 'exported');
  const restored = join(scratch, 'restored');
  let engine: Engine;
  beforeAll(async () => {
    process.umask(0o000);
    engine = await openEngine(made.folder);
    const verbs = createRouter(engine).createCaller({});
    const done = async (job: Job): Promise<void> =>
      expect(await engine.jobs.ended(job.id)).toMatchObject({ state: 'done', problem: null });
    const model = join(scratch, 'model');
    cpSync(join(APPLICATION, 'resources/models/policy'), model, { recursive: true });
    for (const path of openIn(model, 0)) chmodSync(path, 0o777);
    await done(await verbs.library.import({ path: model, name: 'mine', how: 'copy' }));
    await done(
      await verbs.library.import({
        path: join(APPLICATION, 'resources/suites/seeds.jsonl'),
        name: 'seeds',
        how: 'copy',
      }),
    );
    await done(await verbs.lab.backUp());
    const [backup] = await verbs.lab.backups();
    await done(await verbs.lab.restore({ from: backup!.name, to: restored, withRuns: true }));
    await done(engine.exportRun(made.supervised, exported, ['safetensors', 'gguf']));
    await done(engine.exportRun(made.alone, join(made.folder, 'exports', made.alone), []));
    engine.audits.writeCsv(made.audit);
    await engine.sample.open();
    await verbs.airgap.exportEvidence();
  });
  afterAll(() => engine.close());

  it('leaves nothing that another user may read: database, log, lock, runs, copies, backups, exports', () => {
    expect(openIn(made.folder)).toEqual([]);
    expect(readdirSync(made.folder)).toEqual(
      expect.arrayContaining([
        'anchor.lock',
        'audits',
        'backups',
        'datasets',
        'exports',
        'lab.sqlite',
        'lab.sqlite-wal',
        'logs',
        'models',
        'runs',
      ]),
    );
  });

  it('keeps to its owner what it writes elsewhere: an export, and a lab restored from a backup', () => {
    expect(openIn(exported)).toEqual([]);
    expect(openIn(restored)).toEqual([]);
  });

  it.skipIf(!IS_ROOT)(
    'is closed to another user, even if its folder itself were not (needs root to be one)',
    () => {
      expect(as(NOBODY, [], 'ls', made.folder).status).not.toBe(0);
      chmodSync(scratch, 0o755);
      chmodSync(made.folder, 0o755);
      const { stdout } = as(NOBODY, [], 'find', made.folder, '-readable', '-print');
      chmodSync(made.folder, 0o700);
      chmodSync(scratch, 0o700);
      expect(stdout).toBe(`${made.folder}\n`);
    },
  );
});

describe('a lab of an earlier version, readable by all', () => {
  it('is closed when it is opened, said once, and nothing outside of it is touched', async () => {
    const { folder } = made;
    const outside = join(scratch, 'outside');
    writeFileSync(outside, '', { mode: 0o644 });
    chmodSync(outside, 0o644);
    for (const path of openIn(folder, 0o700)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    symlinkSync(outside, join(folder, 'runs', 'link'));
    // What a backup keeps of checkpoints are second names of the same files.
    const { size } = new Set(openIn(folder).map((path) => lstatSync(path).ino));
    const said = `Other users of this machine could read the lab ${folder}: ${size} files and folders are its owner's alone now.\n`;
    expect((await callAnchor('--lab', folder, 'runs')).stderr).toBe(said);
    expect(openIn(folder)).toEqual([]);
    expect(statSync(outside).mode & 0o777).toBe(0o644);
    expect((await callAnchor('--lab', folder, 'runs')).stderr).toBe('');
  });

  it('that lies among other things leaves those and their folder as they are', async () => {
    const folder = join(scratch, 'home');
    await (await openEngine(folder)).close();
    mkdirSync(join(folder, 'pictures'));
    for (const path of openIn(folder, 0o700)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    await callAnchor('--lab', folder, 'runs');
    expect(openIn(folder)).toEqual([folder, join(folder, 'pictures')]);
  });

  it.skipIf(!IS_ROOT)(
    'says what it cannot close, and is opened all the same (needs root for a file that cannot be changed)',
    async () => {
      const folder = join(scratch, 'stuck');
      await (await openEngine(folder)).close();
      const stuck = join(folder, 'runs', 'stuck');
      writeFileSync(stuck, '');
      chmodSync(stuck, 0o644);
      execFileSync('mount', ['--bind', stuck, stuck]);
      try {
        execFileSync('mount', ['-o', 'remount,bind,ro', stuck]);
        const engine = await openEngine(folder);
        await engine.close();
        expect(engine.lab.access.told).toBeNull(); // the database says that all was done
        expect(permissions(engine.lab)).toMatchObject({
          ok: false,
          detail: `1 file or folder of the lab ${folder} can be read by other users and could not be changed (the first: ${stuck}); as their owner, run "chmod -R go-rwx" on it, or move the lab to a disk that keeps permissions.`,
        });
      } finally {
        execFileSync('umount', [stuck]);
      }
    },
  );
});

describe('a lab folder that is shared', () => {
  const anchor = (uid: number, lab: string) =>
    as(uid, [TOGETHER], process.execPath, join(APPLICATION, 'electron/cli/anchor.ts'), '--lab', lab, 'runs');

  it.skipIf(!IS_ROOT)(
    'by its setgid bit is open to its group, each of which can write, and to nobody else (needs root to be two users)',
    () => {
      chmodSync(scratch, 0o755);
      const folder = join(scratch, 'shared');
      mkdirSync(folder);
      chownSync(folder, NOBODY, TOGETHER);
      chmodSync(folder, 0o2770);
      for (const uid of [NOBODY, SOMEBODY, NOBODY]) {
        const { status, stderr } = anchor(uid, folder);
        expect(stderr).toBe('');
        expect(status).toBe(0);
      }
      expect(openIn(folder, 0o007)).toEqual([]);
      const shut = openIn(folder, 0o7777).filter((path) => (statSync(path).mode & 0o060) !== 0o060);
      expect(shut).toEqual([]);
      expect(as(SOMEBODY - 5, [], 'ls', folder).status).not.toBe(0);
    },
  );

  it.skipIf(!IS_ROOT)('of another user stays as that one made it (needs root to be two users)', async () => {
    const folder = join(scratch, 'theirs');
    mkdirSync(folder);
    chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o755);
    process.umask(0o022);
    const engine = await openEngine(folder);
    try {
      expect(statSync(folder).mode & 0o777).toBe(0o755);
      expect(statSync(join(folder, 'lab.sqlite')).mode & 0o777).toBe(0o644);
      expect(engine.lab.access).toEqual({ readers: 'asMade', told: null, stillOpen: 0 });
    } finally {
      await engine.close();
    }
  });
});
