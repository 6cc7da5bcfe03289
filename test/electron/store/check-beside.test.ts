import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { DATABASE_FILE, openLab, type Lab } from '../../../electron/store/index.ts';
import { deletionPieces } from '../../../electron/store/runs/deletion-pieces.ts';
import { inTempFolder, makeCommit, makeConfig, makeInitial, steadyClock } from './support/make-records.ts';

function makeRun(lab: Lab): void {
  lab.createRun({ id: 'a', config: makeConfig('a'), folder: 'runs/a' });
  lab.putInitial('a', makeInitial());
  for (const to of ['setting-up', 'stepping'] as const) lab.setRunState('a', to, null);
  for (const step of [1, 2]) lab.commitStep('a', makeCommit(step));
}

function deleteRun(lab: Lab): void {
  lab.setRunState('a', 'failed', 'it was enough');
  lab.deleteRun('a');
  const beside = new SqliteDatabase(join(lab.folder, DATABASE_FILE));
  const takeOut = deletionPieces(beside, false);
  while (takeOut().isMore);
  beside.close();
}

describe('a whole check of a lab that somebody writes to meanwhile', () => {
  it.each([
    ['a step is committed', (lab: Lab) => lab.commitStep('a', makeCommit(3))],
    ['a run is deleted and its records go', deleteRun],
  ])('finds no damage where %s', (_, write) =>
    inTempFolder(async (folder) => {
      const lab = await openLab(folder, { now: steadyClock() });
      makeRun(lab);
      const reader = await openLab(folder, { now: steadyClock(), readonly: true });
      let isWritten = false;
      const found = reader.checkIntegrity((share) => {
        // Some of what the events attest was looked at by then, and some was not.
        if (isWritten || share < 0.75) return;
        isWritten = true;
        write(lab);
      });
      expect([isWritten, found]).toEqual([true, []]);
      // It is no longer held at that moment.
      expect(reader.getRun('a')?.committedSteps).toBe(lab.getRun('a')?.committedSteps);
      expect(reader.checkIntegrity()).toEqual([]);
      reader.close();
      lab.close();
    }),
  );
});

it('a whole check of a lab that is only read looks at what is stored of a run, not at its being shown as cut off', () =>
  inTempFolder(async (folder) => {
    const lab = await openLab(folder, { now: steadyClock() });
    makeRun(lab);
    lab.close();
    const reader = await openLab(folder, { now: steadyClock(), readonly: true });
    expect(reader.checkIntegrity()).toEqual([]);
    expect(reader.getRun('a')?.state).toBe('interrupted');
    reader.close();
  }));
