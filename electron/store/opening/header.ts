import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { SCHEMA_VERSION } from '../migrations/index.ts';
import { asFailure } from '../sqlite-failures.ts';

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
  if (!existsSync(file) || statSync(file).size === 0) return 'new';
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
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

function readThroughLog(file: string): Peek {
  try {
    const db = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
    try {
      return {
        version: db.pragma('user_version', { simple: true }) as number,
        applicationId: db.pragma('application_id', { simple: true }) as number,
        empty: db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined,
      };
    } finally {
      db.close();
    }
  } catch (error) {
    throw asFailure(error, file);
  }
}

/** A program killed while it made the lab leaves a database without a single table. */
function holdsNothing(file: string): boolean {
  return readThroughLog(file).empty;
}
