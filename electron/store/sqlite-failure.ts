import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Failure, type FailureKind } from '../contract/index.ts';
import { NO_FILES_LEFT, shownPath } from '../core/index.ts';

/** Below this many free bytes an input/output error is told as a full disk: SQLite reports some of those (growing -shm) as IOERR. */
const NEARLY_FULL_BYTES = 256 * 1024;

/** Whether nothing more fits beside `file`. */
export const isDiskFull = (file: string): boolean => freeBytes(file) < NEARLY_FULL_BYTES;

function freeBytes(file: string): number {
  try {
    const disk = statfsSync(dirname(file));
    return disk.bavail * disk.bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** SQLite takes paths of 512 bytes, of which it keeps 8 for the names of the files beside a database. */
const LONGEST_PATH_BYTES = 504;
/** A page and its head in the log, or a piece of the log's index. */
const LARGEST_WRITE_BYTES = 32 * 1024;
/** Files that a database is opened with: itself, its log and the log's index. */
const FILES_OF_A_DATABASE = 3;

/** What this process may have at most, as Linux tells; no limit elsewhere. */
function limitOf(what: 'open files' | 'file size'): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(new RegExp(`^Max ${what} +(\\d+)`, 'm').exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** SQLite does not tell why it could not open a file. */
function hasNoFilesLeft(): boolean {
  try {
    return readdirSync('/proc/self/fd').length + FILES_OF_A_DATABASE > limitOf('open files');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EMFILE';
  }
}

/** A file that has come to the limit on the size of files, which SQLite takes for a failure of the disk; null for none. */
function fileAtLimit(file: string): { path: string; bytes: number } | null {
  try {
    const bytes = limitOf('file size');
    const path = [`${file}-wal`, file, `${file}-shm`, `${file}-journal`].find(
      (each) => (statSync(each, { throwIfNoEntry: false })?.size ?? 0) + LARGEST_WRITE_BYTES > bytes,
    );
    return path === undefined ? null : { path, bytes };
  } catch {
    return null;
  }
}

/** What SQLite said about `file` (absolute path of the database) as something a person can act on; other errors pass unchanged. */
export function asFailure(error: unknown, file: string): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  const { code } = error;
  const say = (kind: FailureKind, sentence: string): Failure =>
    new Failure(kind, sentence, 1, { cause: error });
  const limited = code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR') ? fileAtLimit(file) : null;
  if (limited !== null) {
    return say(
      'ioError',
      `The lab database ${file} was kept from growing: no file of this program may be larger than ${limited.bytes.toLocaleString('en')} bytes, which ${basename(limited.path)} has come to. What was being written was not stored. Raise the limit ("ulimit -f unlimited" in the shell that starts it), then resume.`,
    );
  }
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && isDiskFull(file))) {
    return say(
      'diskFull',
      `The disk that holds ${dirname(file)} is full; what was being written was not stored. Free some space and go on.`,
    );
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return say(
      'readOnly',
      `The lab ${dirname(file)} can only be read; make the folder writable or choose another one.`,
    );
  }
  // Every column of JSON was checked when it was stored, so text that is none any more was damaged.
  const damaged = code === 'SQLITE_ERROR' && error.message === 'malformed JSON';
  if (damaged || code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return say(
      'corrupt',
      `The lab database ${file} is damaged (${error.message}); keep the file, and restore the newest copy from the backups folder beside it.`,
    );
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return say('labLocked', `Another program holds the lab database ${file}; close it and try again.`);
  }
  if (code === 'SQLITE_CANTOPEN' && Buffer.byteLength(file) > LONGEST_PATH_BYTES) {
    return say(
      'cannotOpen',
      `The lab folder ${shownPath(dirname(file))} has too long a path: its files have paths of ${Buffer.byteLength(file)} bytes, of which SQLite takes ${LONGEST_PATH_BYTES}. Choose a folder with a shorter one.`,
    );
  }
  if (code === 'SQLITE_CANTOPEN' && hasNoFilesLeft())
    return say('cannotOpen', `The lab database ${file} cannot be opened: ${NO_FILES_LEFT}`);
  if (code === 'SQLITE_CANTOPEN') {
    return say(
      'cannotOpen',
      `The lab database ${file} cannot be opened; check that the folder exists and that you may read and write it.`,
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return say(
      'ioError',
      `The disk failed while the lab database ${file} was used (${code}); check the disk, then resume.`,
    );
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return say('badRecord', `The lab refused a record that breaks its rules: ${error.message}.`);
  }
  return error;
}
