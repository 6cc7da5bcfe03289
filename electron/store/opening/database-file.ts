import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Failure, type FailureKind } from '../../contract/index.ts';
import { lookOf, readBeginning, shownPath } from '../../core/index.ts';
import { SCHEMA_VERSION } from '../migrations/index.ts';
import { LOG_PAGES, nameFile } from '../sql.ts';
import { asFailure, isDiskFull } from '../sqlite-failure.ts';

type Pragma = { name: string; set: string | number; reads: string | number };

/**
 * `synchronous = FULL` because in WAL mode NORMAL loses acknowledged steps in a power cut, and better-sqlite3 is built with
 * NORMAL. `trusted_schema` and `cell_size_check` are SQLite's advice for files that may have been tampered with.
 * `recursive_triggers` lets the delete trigger of events also stop INSERT OR REPLACE.
 */
const FOR_ALL: Pragma[] = [
  { name: 'foreign_keys', set: 'ON', reads: 1 },
  { name: 'trusted_schema', set: 'OFF', reads: 0 },
  { name: 'cell_size_check', set: 'ON', reads: 1 },
  { name: 'recursive_triggers', set: 'ON', reads: 1 },
  { name: 'busy_timeout', set: 5000, reads: 5000 },
  { name: 'temp_store', set: 'MEMORY', reads: 2 },
  { name: 'mmap_size', set: 0, reads: 0 },
  // 64 MiB of page cache hold the indexes of a run of 100,000 records.
  { name: 'cache_size', set: -65536, reads: -65536 },
];

const FOR_WRITER: Pragma[] = [
  { name: 'journal_mode', set: 'WAL', reads: 'wal' },
  { name: 'synchronous', set: 'FULL', reads: 2 },
  { name: 'wal_autocheckpoint', set: LOG_PAGES, reads: LOG_PAGES },
  { name: 'journal_size_limit', set: 67108864, reads: 67108864 },
  // macOS: make fsync reach the platter. Other systems ignore both.
  { name: 'fullfsync', set: 'ON', reads: 1 },
  { name: 'checkpoint_fullfsync', set: 'ON', reads: 1 },
];

/** Sets every pragma and reads it back, since SQLite ignores a pragma it does not know without a word. */
export function applyPragmas(db: Database, readonly: boolean): void {
  for (const { name, set, reads } of readonly ? FOR_ALL : [...FOR_ALL, ...FOR_WRITER]) {
    db.pragma(`${name} = ${set}`);
    const found: unknown = db.pragma(name, { simple: true });
    if (found !== reads) {
      throw new Failure(
        'unsafeStorage',
        `SQLite keeps ${name} at ${String(found)} instead of ${reads} for ${db.name}, so steps would not be safe there; ` +
          'put the lab on a local disk.',
      );
    }
  }
}

/**
 * Looks at a database and what SQLite opens with it, since it would wait for a pipe for ever. @throws Failure `notALab` where one of them is
 * no file, `missingFile` where it cannot be looked at.
 */
export function requirePlainFiles(file: string): void {
  for (const path of ['', '-wal', '-shm', '-journal'].map((end) => `${file}${end}`)) {
    if (!existsSync(path) || lookOf(path).isFile()) continue;
    const what = lookOf(path).isDirectory() ? 'is a folder' : 'is a device, a pipe or a socket';
    throw new Failure(
      'notALab',
      `${shownPath(path)} ${what} where a database should be; move it away, or name another place.`,
    );
  }
}

/**
 * A reader shares an index of the log with the program that writes, in a file. Where the disk has no room for it nobody writes, and the
 * reader holds the database alone and the index in memory, which takes a connection that might write and is kept from it. Where the folder
 * cannot be written, or another reader holds the database on a full disk, a copy of it is read.
 */
export function openReader(file: string): Database {
  requirePlainFiles(file);
  const beside = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  try {
    applyPragmas(beside, true);
    beside.pragma('schema_version');
    return beside;
  } catch (error) {
    beside.close();
    const kind = kindOf(error, file);
    const isKept = kind === 'cannotOpen' || kind === 'readOnly';
    if (isKept && existsSync(file) && !isWritable(dirname(file))) return openCopy(file);
    if (kind === 'labLocked' && isDiskFull(file)) return openCopy(file);
    if (kind !== 'diskFull') throw error;
  }
  const alone = new SqliteDatabase(file, { fileMustExist: true });
  try {
    alone.pragma('locking_mode = EXCLUSIVE');
    applyPragmas(alone, true);
    alone.pragma('query_only = ON');
    return alone;
  } catch (error) {
    alone.close();
    throw error;
  }
}

function kindOf(error: unknown, file: string): FailureKind | null {
  const failure = asFailure(error, file);
  return failure instanceof Failure ? failure.kind : null;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A copy with what its log holds among the temporary files, whose names are taken away as soon as it is open: nothing of it stays. */
function openCopy(file: string): Database {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-read-'));
  const copy = join(folder, basename(file));
  try {
    for (const part of ['', '-wal'].filter((each) => existsSync(`${file}${each}`))) {
      copyFileSync(`${file}${part}`, `${copy}${part}`, constants.COPYFILE_FICLONE);
      chmodSync(`${copy}${part}`, 0o600);
    }
    const whole = new SqliteDatabase(copy);
    whole.pragma('journal_mode = DELETE');
    whole.close();
    const db = new SqliteDatabase(copy, { readonly: true });
    nameFile(db, file);
    applyPragmas(db, true);
    db.pragma('schema_version');
    return db;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'SQLITE_FULL') throw error;
    throw new Failure(
      'diskFull',
      `Nothing can be written in ${dirname(file)}, so a copy of the lab's database is read, for which ${tmpdir()} has no room; free some space there, or name another folder in TMPDIR.`,
      1,
      { cause: error },
    );
  } finally {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Windows lets no open file go; it stays among the temporary files.
    }
  }
}

/** Reads a database beside whoever writes to it. @throws Failure, as `asFailure` tells what SQLite said. */
export function reading<T>(file: string, read: (db: Database) => T): T {
  let db: Database | undefined;
  try {
    db = openReader(file);
    return read(db);
  } catch (error) {
    throw asFailure(error, file);
  } finally {
    db?.close();
  }
}

/** SQLite gives a file that it makes to others to read, and never to a group to write: the umask alone decides about ours. */
export function makeDatabaseFile(file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch {
    // SQLite meets the same trouble next, and what it says has its sentences.
  }
}

/** "ANLB" in the header of every lab database, so that no other SQLite file is taken for one. */
export const APPLICATION_ID = 0x414e4c42;

const MAGIC = 'SQLite format 3\0';
/** Byte offsets of the SQLite file format, both big-endian 32-bit. */
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const HEADER_BYTES = 100;

/**
 * Decides from the first bytes whether the file may be opened for writing, without SQLite touching it: `new` for a missing or
 * empty file, else the schema version. Fails with kind `notALab`, or `newerSchema` when a later program wrote it.
 */
export function checkHeader(file: string): 'new' | number {
  requirePlainFiles(file);
  if (!existsSync(file) || statSync(file).size === 0) return 'new';
  const header = Buffer.alloc(HEADER_BYTES);
  readBeginning(file, HEADER_BYTES).copy(header);
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new Failure(
      'notALab',
      `The file ${file} is not a database; move it away, or choose another lab folder.`,
    );
  }
  // What lies in the write-ahead log is newer than the file; only then SQLite is asked, read-only, which changes no byte.
  const pending = existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;
  const { version, applicationId, empty } = pending
    ? readThroughLog(file)
    : {
        version: header.readInt32BE(USER_VERSION_AT),
        applicationId: header.readInt32BE(APPLICATION_ID_AT),
        empty: false,
      };
  if (applicationId === 0 && version === 0 && (empty || holdsNothing(file))) return 'new';
  if (applicationId !== APPLICATION_ID) {
    throw new Failure(
      'notALab',
      `The database ${file} belongs to another program; move it away, or choose another lab folder.`,
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new Failure(
      'newerSchema',
      `The lab ${file} was written by a later Anchor Lab (schema ${version}, this one knows ${SCHEMA_VERSION}); ` +
        'open it with that version. It was left untouched.',
    );
  }
  return version;
}

type Peek = { version: number; applicationId: number; empty: boolean };

const readThroughLog = (file: string): Peek =>
  reading(file, (db) => ({
    version: db.pragma('user_version', { simple: true }) as number,
    applicationId: db.pragma('application_id', { simple: true }) as number,
    empty: db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined,
  }));

/** A program killed while it made the lab leaves a database without a single table. */
function holdsNothing(file: string): boolean {
  return readThroughLog(file).empty;
}
