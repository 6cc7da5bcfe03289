import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';

const PAGE = 4096;

/** Overwrites the first page of the index that finds rollouts by their place, as if the lab's program had been killed. Returns all bytes of the file. */
export function damageIndex(file: string): Buffer {
  const db = new SqliteDatabase(file);
  db.exec(`UPDATE settings SET value = 'false' WHERE name = 'clean_exit'`);
  const { rootpage } = db
    .prepare<[], { rootpage: number }>(`SELECT rootpage FROM sqlite_schema WHERE name = 'rollouts_by_place'`)
    .get()!;
  db.close();
  rmSync(`${file}.sums`, { force: true });
  const bytes = readFileSync(file).fill(0xff, (rootpage - 1) * PAGE, (rootpage - 1) * PAGE + 64);
  writeFileSync(file, bytes);
  return bytes;
}
