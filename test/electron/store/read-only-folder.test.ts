import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecords } from '../../../electron/engine/open-records.ts';
import { openLab } from '../../../electron/store/index.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { smallDisk } from './support/full-disk.ts';
import { fillRun } from './support/in-lab.ts';
import { inTempFolder, makeCommit, steadyClock } from './support/make-records.ts';

const IS_ROOT = process.getuid?.() === 0;

/** Two labs of three steps on a disk that can only be read: one that was closed, one as a crash leaves it, with its last step in the log. */
async function onReadOnlyDisk(use: (labs: Record<'closed' | 'crashed', string>) => Promise<void>) {
  await inTempFolder(async (root) => {
    const disk = smallDisk(root, '16m');
    try {
      const labs = { closed: join(disk, 'closed'), crashed: join(disk, 'crashed') };
      const lab = await openLab(labs.closed, { now: steadyClock() });
      fillRun(lab, 'a', 2);
      lab.commitStep('a', makeCommit(3));
      cpSync(labs.closed, labs.crashed, { recursive: true });
      rmSync(join(labs.crashed, 'lab.sqlite-shm'), { force: true });
      lab.close();
      execFileSync('mount', ['-o', 'remount,ro', disk]);
      await use(labs);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
}

describe('a folder that cannot be written', () => {
  it.skipIf(!IS_ROOT)(
    'is read as it stands, with what its log holds, and nothing of that stays elsewhere (needs root to mount a disk)',
    () =>
      onReadOnlyDisk(async (labs) => {
        const copies = (): string[] =>
          readdirSync(tmpdir()).filter((name) => name.startsWith('anchor-read-'));
        const before = copies();
        for (const folder of Object.values(labs)) {
          const read = await openRecords(folder, { now: steadyClock() });
          expect(read.getRun('a')?.committedSteps).toBe(3);
          expect(read.getStep('a', 3)?.step).toBe(3);
          expect(() => read.setSetting('app.x', 1)).toThrow(/can only be read/);
          expect((await read.examine()).damage).toEqual([]);
          read.close();
          const listed = await callAnchor('runs', '--lab', folder);
          expect(listed).toMatchObject({ code: 0, stderr: '' });
          expect(listed.stdout).toContain('run a');
        }
        expect(copies()).toEqual(before);
      }),
  );

  it.skipIf(!IS_ROOT)(
    'is checked like any other: only what is missing in it is damage (needs root to mount a disk)',
    () =>
      onReadOnlyDisk(async (labs) => {
        for (const folder of Object.values(labs)) {
          const check = await callAnchor('check', '--lab', folder);
          expect(check.stderr).toBe('');
          expect(check.stdout).toMatch(
            /^.* is damaged:\n( {2}files: runs\/a\/.* is missing\.\n)+ {2}a .*\n$/,
          );
        }
      }),
  );

  it.skipIf(!IS_ROOT)(
    'is not called damaged where there is no room for the copy that is read (needs root to mount a disk)',
    () =>
      onReadOnlyDisk(async ({ closed }) => {
        const small = join(closed, '../..', 'small');
        mkdirSync(small);
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]);
        const { TMPDIR } = process.env;
        process.env['TMPDIR'] = small;
        try {
          const check = await callAnchor('check', '--lab', closed);
          expect(check).toMatchObject({ code: 1, stdout: '' });
          expect(check.stderr).toMatch(/^anchor: Nothing can be written in .* has no room; .* TMPDIR\.\n$/);
        } finally {
          if (TMPDIR === undefined) delete process.env['TMPDIR'];
          else process.env['TMPDIR'] = TMPDIR;
          execFileSync('umount', [small]);
        }
      }),
  );
});
