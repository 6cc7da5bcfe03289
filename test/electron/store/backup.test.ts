import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATABASE_FILE, openLab } from '../../../electron/store/index.ts';
import { failureOf } from './support/failures.ts';
import { inLab } from './support/in-lab.ts';
import { makeCommit, steadyClock } from './support/make-records.ts';

describe('a backup', () => {
  it('is one file that opens as the lab it was made of', () => inLab(async (lab, folder) => {
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

  it('may be made while steps are stored', () => inLab(async (lab, folder) => {
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

  it('never overwrites a file', () => inLab(async (lab, folder) => {
    const file = join(folder, 'precious');
    writeFileSync(file, 'x');
    expect(await failureOf(() => lab.backup(file))).toMatchObject({ kind: 'fileExists', exitCode: 2 });
  }));

  it('that cannot be written leaves nothing behind', () => inLab(async (lab, folder) => {
    writeFileSync(join(folder, 'file'), 'x');
    await expect(lab.backup(join(folder, 'file', 'b.sqlite'))).rejects.toThrow();
    expect(existsSync(join(folder, 'file', 'b.sqlite.tmp'))).toBe(false);
  }));
});
