import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { processStartTicks } from '../../../electron/store/opening/lock.ts';
import { DATABASE_FILE, openLab, type Lab } from '../../../electron/store/index.ts';
import { startChild } from './support/children.ts';
import { failureOf } from './support/failures.ts';
import { inTempFolder, makeConfig, steadyClock } from './support/make-records.ts';

const open = (folder: string): Promise<Lab> => openLab(folder, { now: steadyClock() });
const addRun = (lab: Lab, id: string): void =>
  void lab.createRun({ id, config: makeConfig(), folder: `runs/${id}` });
const runsOf = (lab: Lab): string[] =>
  lab
    .allRuns()
    .map(({ id }) => id)
    .toSorted();

/** A lab with a run, in which something happens to its files before the next record. */
const inUse = (
  happens: (folder: string, file: string) => void,
  then: (lab: Lab, folder: string) => unknown,
) =>
  inTempFolder(async (root) => {
    const folder = join(root, 'lab');
    const lab = await open(folder);
    addRun(lab, 'before');
    happens(folder, join(folder, DATABASE_FILE));
    await then(lab, folder);
    lab.close();
  });

describe('a database that is taken away from a program that works with it', () => {
  const takenAway: [how: string, take: (folder: string, file: string) => void][] = [
    ['deleted with its log', (_, file) => ['', '-wal', '-shm'].forEach((end) => rmSync(`${file}${end}`))],
    ['moved away', (_, file) => renameSync(file, `${file}.old`)],
    [
      'replaced by a copy',
      (_, file) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
  ];
  it.each(takenAway)('%s: nothing more is stored, and what was stored is in a copy', (_how, take) =>
    inUse(take, async (lab, folder) => {
      const failure = await failureOf(() => addRun(lab, 'after'));
      expect(failure.kind).toBe('labReplaced');
      const [copy = ''] = readdirSync(join(folder, 'backups'));
      expect(failure.message).toBe(
        `The lab database ${join(folder, DATABASE_FILE)} was deleted or replaced while it was in use, so nothing more is stored. ` +
          `All that was stored before is in ${join(folder, 'backups', copy)}: put it in the place of the database, then resume.`,
      );
      // It says so again, with the same copy.
      expect((await failureOf(() => lab.setRunState('before', 'setting-up', null))).message).toBe(
        failure.message,
      );
      expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);

      const restored = join(folder, '..', 'restored');
      mkdirSync(restored);
      copyFileSync(join(folder, 'backups', copy), join(restored, DATABASE_FILE));
      const again = await open(restored);
      expect(runsOf(again)).toEqual(['before']);
      expect(again.checkIntegrity()).toEqual([]);
      again.close();
    }),
  );

  it('without its log alone: nothing more is stored, and the database holds what was', () =>
    inUse(
      (_, file) => rmSync(`${file}-wal`),
      async (lab, folder) => {
        const failure = await failureOf(() => addRun(lab, 'after'));
        expect(failure.kind).toBe('labReplaced');
        expect(failure.message).toMatch(
          /^The log .*-wal was deleted while the lab was in use\. All that was stored/,
        );
        const copied = join(folder, '..', 'copied');
        mkdirSync(copied);
        copyFileSync(join(folder, DATABASE_FILE), join(copied, DATABASE_FILE));
        const again = await open(copied);
        expect(runsOf(again)).toEqual(['before']);
        again.close();
      },
    ));

  it('renamed with its folder: the open files went along, and records are stored', () =>
    inUse(
      (folder) => renameSync(folder, `${folder}-moved`),
      async (lab, folder) => {
        addRun(lab, 'after');
        renameSync(`${folder}-moved`, folder);
        expect(runsOf(lab)).toEqual(['after', 'before']);
      },
    ));
});

describe('a copy that is put in the place of the database, as the sentences say', () => {
  /** Kills a program at work whose database was deleted, and gives what it had saved. */
  const rescuedFrom = async (folder: string): Promise<string> => {
    const child = startChild('open-and-hold.ts', [folder, 'deleted']);
    const [, copy = ''] = /^saved (.*)$/.exec(await child.line(/^saved /)) ?? [];
    child.process.kill('SIGKILL');
    await child.ended;
    return copy;
  };

  it('opens whole after SIGKILL, though the log of the deleted one lies there still', () =>
    inTempFolder(async (folder) => {
      const copy = await rescuedFrom(folder);
      expect(statSync(join(folder, `${DATABASE_FILE}-wal`)).size).toBeGreaterThan(0);
      copyFileSync(copy, join(folder, DATABASE_FILE));
      const again = await open(folder);
      expect(runsOf(again)).toEqual(['before']);
      expect(again.checkIntegrity()).toEqual([]);
      const [notice = ''] = again.notices();
      const [, aside = ''] = /that log is now (.*) and can be deleted/.exec(notice) ?? [];
      expect(statSync(aside).size).toBeGreaterThan(0);
      addRun(again, 'after');
      again.close();
      const third = await open(folder);
      expect([third.notices(), runsOf(third)]).toEqual([[], ['after', 'before']]);
      third.close();
    }));

  it('opens only once the log of the deleted one is out of the way, and says so where it cannot be moved', () =>
    inTempFolder(async (folder) => {
      copyFileSync(await rescuedFrom(folder), join(folder, DATABASE_FILE));
      const failing = (name: 'renameSync' | 'rmSync', path: string): void => {
        const real = fs[name] as (...of: unknown[]) => void;
        vi.spyOn(fs, name).mockImplementation((...of: unknown[]) => {
          if (of[0] === path) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
          real(...of);
        });
        syncBuiltinESMExports();
      };
      onTestFinished(() => {
        vi.restoreAllMocks();
        syncBuiltinESMExports();
      });
      failing('renameSync', join(folder, `${DATABASE_FILE}-wal`));
      const refused = await failureOf(() => open(folder));
      expect(refused.kind).toBe('cannotOpen');
      expect(refused.message).toMatch(
        /is the log of another database and could not be put .* \(ENOSPC\); free some space/,
      );
      vi.restoreAllMocks();
      failing('rmSync', join(folder, `${DATABASE_FILE}-shm`));
      const again = await open(folder);
      expect([runsOf(again), again.checkIntegrity()]).toEqual([['before'], []]);
      again.close();
    }));

  it('opens whole where nobody saved one and an older backup is taken', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      addRun(lab, 'old');
      await lab.backup(join(folder, 'backups', 'old.sqlite'));
      lab.close();
      await rescuedFrom(folder);
      mkdirSync(join(folder, 'runs/old/checkpoints'), { recursive: true });
      expect((await failureOf(() => open(folder))).message).toMatch(
        /Put the database back, or the newest copy from/,
      );
      copyFileSync(join(folder, 'backups', 'old.sqlite'), join(folder, DATABASE_FILE));
      const again = await open(folder);
      expect([runsOf(again), again.checkIntegrity()]).toEqual([['old'], []]);
      again.close();
    }));

  it('never costs a lab that was killed its own log', () =>
    inTempFolder(async (folder) => {
      const child = startChild('open-and-hold.ts', [folder, 'used']);
      await child.line(/^open$/);
      child.process.kill('SIGKILL');
      await child.ended;
      const again = await open(folder);
      expect([runsOf(again), again.notices()]).toEqual([['before'], []]);
      again.close();
    }));
});

describe('a lab without its lock file', () => {
  it('is still refused to a second program while the first lives, and given once that was killed', () =>
    inTempFolder(async (folder) => {
      const child = startChild('open-and-hold.ts', [folder]);
      await child.line(/^open$/);
      rmSync(join(folder, 'anchor.lock'));
      const failure = await failureOf(() => open(folder));
      expect(failure.kind).toBe('labLocked');
      expect(failure.message).toMatch(new RegExp(`^Process ${child.process.pid} \\(since .*\\) has the lab`));
      // A copy of its database belongs to nobody.
      const copied = join(folder, 'copied');
      mkdirSync(copied);
      copyFileSync(join(folder, DATABASE_FILE), join(copied, DATABASE_FILE));
      (await open(copied)).close();
      child.process.kill('SIGKILL');
      await child.ended;
      (await open(folder)).close();
    }));
});

it('a process that was killed and that nobody waits for does not hold a lab', async () => {
  // The shell becomes a program that never asks how its child ended, as the first process of some containers.
  const keeper = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = (await once(keeper.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(processStartTicks(pid)).not.toBeNull();
    // Until then it is a shell, which would ask.
    await vi.waitFor(() => expect(readFileSync(`/proc/${keeper.pid}/comm`, 'utf8')).toBe('sleep\n'));
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /));
    expect(processStartTicks(pid)).toBeNull();
  } finally {
    keeper.kill('SIGKILL');
  }
});

describe('runs on the disk and a database that does not know them', () => {
  const runFolder = (folder: string, id: string): void =>
    void mkdirSync(join(folder, 'runs', id, 'checkpoints'), { recursive: true });

  it('no lab is made beside them until they are moved away', () =>
    inTempFolder(async (folder) => {
      runFolder(folder, 'run-1');
      const failure = await failureOf(() => open(folder));
      expect(failure.kind).toBe('labReplaced');
      expect(failure.message).toMatch(/holds 1 run, but the lab's database is missing or empty/);
      renameSync(join(folder, 'runs'), join(folder, 'runs-before'));
      (await open(folder)).close();
    }));

  it('are told where the database knows others', () =>
    inTempFolder(async (folder) => {
      const lab = await open(folder);
      addRun(lab, 'known');
      lab.close();
      runFolder(folder, 'known');
      runFolder(folder, 'stranger');
      const again = await open(folder);
      expect(again.opened.unknownRuns).toEqual(['stranger']);
      again.close();
    }));
});

it('a run that changed its state is in the database itself, not in its log alone', () =>
  inTempFolder(async (root) => {
    const lab = await open(join(root, 'lab'));
    addRun(lab, 'a');
    lab.setRunState('a', 'setting-up', null);
    mkdirSync(join(root, 'copied'));
    copyFileSync(join(root, 'lab', DATABASE_FILE), join(root, 'copied', DATABASE_FILE));
    const copied = await open(join(root, 'copied'));
    expect(copied.opened.interruptedRuns).toEqual(['a']);
    copied.close();
    lab.close();
  }));
