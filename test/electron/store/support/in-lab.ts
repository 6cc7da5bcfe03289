import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { DATABASE_FILE, openLab } from '../../../../electron/store/index.ts';
import type { Lab } from '../../../../electron/store/index.ts';
import { inTempFolder, makeCommit, makeConfig, makeInitial, steadyClock } from './make-records.ts';

/** A fresh lab with run "a" initialised, closed and removed afterwards. */
export async function inLab(
  work: (lab: Lab, folder: string) => Promise<void> | void,
  steps = 0,
  items = 12,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const lab = await openLab(folder, { now: steadyClock() });
    try {
      fillRun(lab, 'a', steps, items);
      await work(lab, folder);
    } finally {
      lab.close();
    }
  });
}

export function fillRun(lab: Lab, id: string, steps: number, items = 12): void {
  lab.createRun({ id, config: makeConfig(`run ${id}`), folder: `runs/${id}` });
  lab.putInitial(id, makeInitial());
  for (let step = 1; step <= steps; step += 1) lab.commitStep(id, makeCommit(step, items));
}

/** A lab as the version of the program with that schema left it. */
export function placeFixture(folder: string, version: number): void {
  const db = new SqliteDatabase(join(folder, DATABASE_FILE));
  db.exec(readFileSync(join(import.meta.dirname, '../fixtures', `schema-${version}.sql`), 'utf8'));
  db.close();
}
