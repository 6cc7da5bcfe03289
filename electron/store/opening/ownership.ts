import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { makeFolders } from '../../core/index.ts';
import { Failure } from '../../contract/index.ts';
import { selectSetting, upsertSetting, WRITER } from '../catalogue.ts';
import { checkBeforeWriting, execute, immediately, sql } from '../sql.ts';
import { BACKUP_FOLDER } from './backup-folder.ts';
import { inUse, processStartTicks, type LabHolder, type Lock } from './lock.ts';

/** Who writes to the database, in the database itself: the lock file beside it may be deleted under a program that works. */
const writerSchema = z.strictObject({
  pid: z.int(),
  startTicks: z.int().nullable(),
  openedAt: z.string(),
  /** Which file it opened: a copy of the database belongs to nobody. */
  file: z.string(),
});
type Writer = z.infer<typeof writerSchema>;

const sameProcess = (a: LabHolder, b: LabHolder): boolean => a.pid === b.pid && a.startTicks === b.startTicks;
const isAlive = ({ pid, startTicks }: LabHolder): boolean =>
  startTicks !== null && processStartTicks(pid) === startTicks;

/** Fails with kind `labLocked` while another process that wrote here lives and has not closed the lab. */
export function requireNoOtherWriter(db: Database, folder: string): void {
  const writer = writerOf(db);
  if (writer === null || writer.file !== identity(db.name)) return;
  if (writer.pid !== process.pid && isAlive(writer)) throw inUse(writer, folder);
}

/**
 * Makes this program the database's writer until `release`. From then on nothing is written once the file was deleted or replaced, its log
 * deleted, or another program named as its writer.
 */
export function ownDatabase(db: Database, folder: string, now: () => Date): Lock {
  const us: Writer = {
    pid: process.pid,
    startTicks: processStartTicks(process.pid),
    openedAt: now().toISOString(),
    file: identity(db.name) ?? '',
  };
  immediately(db, () => {
    requireNoOtherWriter(db, folder);
    upsertSetting(db, WRITER, us);
  });
  const watched = watchFiles(db, folder, now);
  checkBeforeWriting(db, () => {
    watched();
    const writer = writerOf(db);
    if (writer === null || !sameProcess(writer, us))
      throw new Failure(
        'labLocked',
        `Another program took over the lab ${folder}, so nothing more is stored from here; close one of the two and resume.`,
      );
  });
  return { release: () => upsertSetting(db, WRITER, null) };
}

function writerOf(db: Database): Writer | null {
  const stored = selectSetting(db, WRITER);
  return stored === null ? null : writerSchema.parse(stored);
}

/** Which file a path leads to, null for none. */
function identity(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/**
 * Throws where what is written would go into a file without a name. SQLite looks for that in rollback mode only. The open file still holds
 * everything, so a copy of it is put among the backups; without the log alone, its contents go into the database.
 */
function watchFiles(db: Database, folder: string, now: () => Date): () => void {
  const file = db.name;
  const log = `${file}-wal`;
  const opened = identity(file);
  let logSeen = false;
  let said: Failure | null = null;
  return () => {
    if (said !== null) throw said;
    const found = identity(file);
    // A folder that is renamed takes the open files along.
    if (found === null && !existsSync(dirname(file))) return;
    if (found !== opened) {
      const copy = rescue(db, folder, now);
      said = replaced(
        `The lab database ${file} was deleted or replaced while it was in use, so nothing more is stored. ` +
          (copy === null
            ? `Restore the newest copy from the folder ${BACKUP_FOLDER} beside it, then resume.`
            : `All that was stored before is in ${copy}: put it in the place of the database, then resume.`),
      );
    } else if (!existsSync(log) && logSeen) {
      db.pragma('wal_checkpoint(TRUNCATE)');
      said = replaced(
        `The log ${log} was deleted while the lab was in use. All that was stored is in the database now, and nothing more is stored from here; start again and resume.`,
      );
    }
    if (said !== null) throw said;
    logSeen ||= existsSync(log);
  };
}

const replaced = (sentence: string): Failure => new Failure('labReplaced', sentence);

/** A copy of what the open database holds, or null where none could be written. */
function rescue(db: Database, folder: string, now: () => Date): string | null {
  const stamp = now().toISOString().replaceAll(':', '-');
  const copy = join(folder, BACKUP_FOLDER, `${stamp}-rescued.sqlite`);
  try {
    makeFolders(dirname(copy));
    execute(db, sql`VACUUM INTO ${copy}`);
    return copy;
  } catch {
    return null; // the sentence says what there is then
  }
}
