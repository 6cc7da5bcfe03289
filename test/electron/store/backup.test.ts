import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../electron/contract/index.ts';
import { DATABASE_FILE, examineBackup, openLab } from '../../../electron/store/index.ts';
import { SCHEMA_VERSION } from '../../../electron/store/migrations/index.ts';
import { failureOf } from './support/failures.ts';
import { inLab } from './support/in-lab.ts';
import { makeCommit, makeInitial, steadyClock } from './support/make-records.ts';

describe('a backup', () => {
  it('is one file that opens as the lab it was made of', () =>
    inLab(async (lab, folder) => {
      const file = join(folder, 'elsewhere', 'copy of lab.sqlite');
      await lab.backup(file);
      const chain = lab.exportCheckpointOfChain();
      lab.commitStep('a', makeCommit(4));
      expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['copy of lab.sqlite']);

      const restored = join(folder, 'restored');
      mkdirSync(restored);
      renameSync(file, join(restored, DATABASE_FILE));
      const copy = await openLab(restored, { now: steadyClock() });
      expect(copy.verifyEvents(chain)).toEqual({ count: chain.count, head: chain.head });
      expect(copy.getRun('a')?.committedSteps).toBe(3);
      expect(copy.listRollouts('a', 3)).toEqual(lab.listRollouts('a', 3));
      expect(copy.checkIntegrity()).toEqual([]);
      copy.close();
    }, 3));

  it('may be made while steps are stored', () =>
    inLab(async (lab, folder) => {
      const made = lab.backup(join(folder, 'b.sqlite'));
      for (let step = 3; step <= 8; step += 1) {
        lab.commitStep('a', makeCommit(step));
        await new Promise((next) => setImmediate(next));
      }
      await made;
      const restored = join(folder, 'restored');
      mkdirSync(restored);
      renameSync(join(folder, 'b.sqlite'), join(restored, DATABASE_FILE));
      const copy = await openLab(restored, { now: steadyClock() });
      expect(copy.getRun('a')?.committedSteps).toBeGreaterThanOrEqual(2);
      expect(copy.checkIntegrity()).toEqual([]);
      copy.close();
    }, 2));

  it('never overwrites a file', () =>
    inLab(async (lab, folder) => {
      const file = join(folder, 'precious');
      writeFileSync(file, 'x');
      expect(await failureOf(() => lab.backup(file))).toMatchObject({ kind: 'fileExists', exitCode: 2 });
    }));

  it('that cannot be written leaves nothing behind', () =>
    inLab(async (lab, folder) => {
      writeFileSync(join(folder, 'file'), 'x');
      await expect(lab.backup(join(folder, 'file', 'b.sqlite'))).rejects.toThrow();
      expect(existsSync(join(folder, 'file', 'b.sqlite.tmp'))).toBe(false);
    }));

  it('tells how many pages are copied, and ends at once when whoever listens throws', () =>
    inLab(async (lab, folder) => {
      const seen: [number, number][] = [];
      await lab.backup(join(folder, 'told.sqlite'), {
        onPages: (done, total) => {
          seen.push([done, total]);
          return 5;
        },
      });
      expect(seen.length).toBeGreaterThan(3);
      expect(seen.every(([done, total], index) => done <= total && done >= (seen[index - 1]?.[0] ?? 0))).toBe(
        true,
      );
      await expect(
        lab.backup(join(folder, 'ended.sqlite'), {
          onPages: () => {
            throw new Error('enough');
          },
        }),
      ).rejects.toThrow('enough');
      expect(readdirSync(folder).filter((name) => name.startsWith('ended'))).toEqual([]);
    }, 3));

  it('is examined without being changed: what it holds, or what is wrong with it', () =>
    inLab(async (lab, folder) => {
      const file = join(folder, 'copy.sqlite');
      await lab.backup(file);
      const before = readFileSync(file);
      expect(await examineBackup(file)).toEqual({
        schema: SCHEMA_VERSION,
        bytes: before.length,
        runs: 1,
        steps: 3,
        events: lab.exportCheckpointOfChain().count,
        head: lab.exportCheckpointOfChain().head,
      });
      expect(readFileSync(file).equals(before)).toBe(true);
      writeFileSync(
        join(folder, 'text'),
        'not a database at all, but long enough to have the hundred bytes that a header of a database would take up',
      );
      expect((await failureOf(() => examineBackup(join(folder, 'text')))).kind).toBe('notALab');
      expect((await failureOf(() => examineBackup(join(folder, 'none')))).kind).toBe('notALab');
      expect(existsSync(join(folder, 'none'))).toBe(false);
    }, 3));
});

describe('a stored step', () => {
  it('comes back as it was committed, so that another lab can store the same', () =>
    inLab(async (lab, folder) => {
      expect(lab.getInitial('a')).toEqual(makeInitial());
      expect(lab.getCommit('a', 2)).toEqual(makeCommit(2));
      expect([lab.getCommit('a', 9), lab.getInitial('b')]).toEqual([null, null]);
      const other = await openLab(join(folder, 'other'), { now: steadyClock() });
      other.createRun({ id: 'again', config: lab.getRun('a')?.config as RunConfig, folder: 'runs/again' });
      other.putInitial('again', lab.getInitial('a') as ReturnType<typeof makeInitial>);
      for (const step of [1, 2, 3])
        other.commitStep('again', lab.getCommit('a', step) as ReturnType<typeof makeCommit>);
      expect(other.listSteps('again')).toEqual(lab.listSteps('a'));
      other.close();
    }, 3));
});
