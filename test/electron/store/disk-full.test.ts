import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecords } from '../../../electron/engine/open-records.ts';
import { openLab } from '../../../electron/store/index.ts';
import { checkHeader } from '../../../electron/store/opening/database-file.ts';
import { callAnchor } from '../cli/call-anchor.ts';
import { initialContext } from '../../../electron/supervision/index.ts';
import { asksSums, takeSteps, type Script } from '../evolution/rzero/scripted-run.ts';
import { startChild } from './support/children.ts';
import { failureOf } from './support/failures.ts';
import { fillUp, smallDisk } from './support/full-disk.ts';
import { fillRun, placeFixture } from './support/in-lab.ts';
import { inTempFolder, makeCheckpoint, makeCommit, steadyClock } from './support/make-records.ts';

const IS_ROOT = process.getuid?.() === 0;

describe('a full disk', () => {
  it.skipIf(!IS_ROOT)(
    'stops a run with one sentence, keeps every stored step, and the run goes on when there is space (needs root to mount a small disk)',
    () =>
      inTempFolder(async (root) => {
        const disk = smallDisk(root, '6m');
        try {
          const ballast = join(disk, 'ballast');
          writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024));
          const folder = join(disk, 'lab');
          const lab = await openLab(folder, { now: steadyClock() });
          fillRun(lab, 'a', 0);
          let stored = 0;
          const failure = await failureOf(() => {
            for (;;) {
              lab.commitStep('a', makeCommit(stored + 1, 40));
              stored += 1;
            }
          });
          expect(failure.kind).toBe('diskFull');
          expect(failure.message).toMatch(/^The disk that holds .* is full; .* Free some space and go on\.$/);
          expect(stored).toBeGreaterThan(2);
          expect(lab.getRun('a')?.committedSteps).toBe(stored);
          expect(lab.getStep('a', stored + 1)).toBeNull();
          rmSync(ballast);
          expect(lab.commitStep('a', makeCommit(stored + 1, 40)).applied).toBe(true);
          expect(lab.checkIntegrity()).toEqual([]);
          lab.close();
          const again = await openLab(folder, { now: steadyClock() });
          expect(again.getRun('a')?.committedSteps).toBe(stored + 1);
          again.close();
        } finally {
          execFileSync('umount', [disk]);
        }
      }),
  );

  it.skipIf(!IS_ROOT)(
    'stops a run as it labels questions, keeps these, and the labels are stored when there is space (needs root to mount a small disk)',
    () =>
      inTempFolder(async (root) => {
        const disk = smallDisk(root, '64m');
        try {
          // Long workings, so that the labels of a step do not fit into what the log has left.
          const script: Script = (asked) =>
            asked.question === null ? asksSums(asked) : `${'so '.repeat(5_000)}${asksSums(asked)}`;
          const { config, commits } = await takeSteps({}, 6, { script });
          const lab = await openLab(join(disk, 'lab'), { now: steadyClock() });
          lab.createRun({ id: 'a', config, folder: 'runs/a' });
          lab.putInitial('a', {
            context: initialContext(),
            tasks: [],
            checkpoints: ['challenger', 'solver'].map((role) => makeCheckpoint(0, role)),
          });
          const questions = commits.filter(({ step }) => step.stage !== 'label');
          for (const commit of questions) lab.commitStep('a', commit);
          const [labels] = commits.filter(({ step }) => step.stage === 'label');
          const ballast = join(disk, 'ballast');
          fillUp(ballast);
          const failure = await failureOf(() => lab.commitStep('a', labels!));
          expect(failure.kind).toBe('diskFull');
          expect(failure.message).toMatch(/^The disk that holds .* is full; .* Free some space and go on\.$/);
          expect(lab.getRun('a')?.committedSteps).toBe(questions.length);
          rmSync(ballast);
          expect(lab.commitStep('a', labels!).applied).toBe(true);
          expect(lab.labelledTasks('a', 'labelled')).toHaveLength(labels!.tasks.length);
          lab.close();
        } finally {
          execFileSync('umount', [disk]);
        }
      }),
  );

  it.skipIf(!IS_ROOT)(
    'keeps nobody from reading: run list, steps and records, after a clean end and after a crash (needs root to mount a small disk)',
    () =>
      inTempFolder(async (root) => {
        const disk = smallDisk(root, '6m');
        try {
          const folder = join(disk, 'lab');
          const lab = await openLab(folder, { now: steadyClock() });
          fillRun(lab, 'a', 2);
          lab.close();
          // What a crash leaves: a log with the last steps, and no note that the lab was closed.
          const crashed = join(disk, 'crashed');
          const cut = await openLab(folder, { now: steadyClock() });
          cut.commitStep('a', makeCommit(3));
          cpSync(folder, crashed, { recursive: true });
          cut.close();
          rmSync(join(crashed, 'lab.sqlite-shm'), { force: true });
          fillUp(join(disk, 'ballast'));
          for (const place of [folder, crashed]) {
            const read = await openRecords(place, { now: steadyClock() });
            expect(read.getRun('a')?.committedSteps).toBe(3);
            expect(read.getStep('a', 3)?.step).toBe(3);
            expect(() => read.setSetting('app.x', 1)).toThrow(/cannot be written|full|read/);
            read.close();
            // Room is needed among the temporary files alone.
            const check = await callAnchor('check', '--lab', place);
            expect(check).toMatchObject({ code: 1, stderr: '' });
            expect(check.stdout).toMatch(
              /^.* is damaged:\n( {2}files: runs\/a\/.* is missing\.\n)+ {2}a .*\n$/,
            );
          }
        } finally {
          execFileSync('umount', [disk]);
        }
      }),
  );

  it.skipIf(!IS_ROOT)('is told before a lab is brought up to date (needs root to mount a small disk)', () =>
    inTempFolder(async (root) => {
      const disk = smallDisk(root, '1m');
      try {
        placeFixture(disk, 3);
        const { size } = statSync(join(disk, 'lab.sqlite'));
        writeFileSync(join(disk, 'ballast'), Buffer.alloc(2 ** 20 - size - 96 * 1024));
        const failure = await failureOf(() => openLab(disk, { now: steadyClock() }));
        expect(failure.kind).toBe('diskFull');
        expect(failure.message).toMatch(
          /has to be brought from schema 3 to \d+, and the backup before that takes \d+\.\d MB where 0\.\d MB are free\. Free some space and open it again; it was left as it was\.$/,
        );
        expect(checkHeader(join(disk, 'lab.sqlite'))).toBe(3);
        expect(existsSync(join(disk, 'backups'))).toBe(false);
      } finally {
        execFileSync('umount', [disk]);
      }
    }),
  );

  it.skipIf(!IS_ROOT)('leaves no lab half made (needs root to mount a small disk)', () =>
    inTempFolder(async (root) => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', root]);
      try {
        expect((await failureOf(() => openLab(join(root, 'lab'), { now: steadyClock() }))).kind).toBe(
          'diskFull',
        );
        execFileSync('mount', ['-o', 'remount,size=8m', root]);
        const lab = await openLab(join(root, 'lab'), { now: steadyClock() });
        fillRun(lab, 'a', 1);
        expect(lab.checkIntegrity()).toEqual([]);
        lab.close();
      } finally {
        execFileSync('umount', [root]);
      }
    }),
  );

  it('as a limit on file size keeps every acknowledged step', () =>
    inTempFolder(async (folder) => {
      // In blocks of 1 KiB; the database reaches it after some dozens of steps.
      const child = startChild('commit-steps.ts', [folder, '400'], { before: 'ulimit -f 1500;' });
      await child.ended;
      const acknowledged = child.lines.filter((line) => line.startsWith('ack ')).length;
      expect(child.lines.at(-1)).toMatch(/^failed (diskFull|ioError)$/);
      expect(acknowledged).toBeGreaterThan(2);
      const lab = await openLab(folder, { now: steadyClock() });
      expect(lab.getRun('k')?.committedSteps).toBe(acknowledged);
      expect(lab.checkIntegrity()).toEqual([]);
      expect(lab.commitStep('k', makeCommit(acknowledged + 1)).applied).toBe(true);
      lab.close();
    }));
});
