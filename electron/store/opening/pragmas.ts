import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';

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
  // In pages: 16 MiB of log. At the default of 4 MiB nearly every step would also rewrite the index pages in the database.
  { name: 'wal_autocheckpoint', set: 4000, reads: 4000 },
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
