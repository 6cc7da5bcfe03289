import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { Failure, type FailureKind } from '../contract/index.ts';

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

/** What SQLite said about `file` (absolute path of the database) as something a person can act on; other errors pass unchanged. */
export function asFailure(error: unknown, file: string): unknown {
  if (!(error instanceof SqliteDatabase.SqliteError)) return error;
  const { code } = error;
  const say = (kind: FailureKind, sentence: string): Failure =>
    new Failure(kind, sentence, 1, { cause: error });
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
