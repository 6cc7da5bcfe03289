import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure } from '../../contract/index.ts';
import { checkChain } from '../audit-log/events.ts';
import { fileOf, guarded, readAll, reader, readOne, sql, type Query } from '../sql.ts';
import { asFailure } from '../sqlite-failure.ts';

/** Told how much of a check is done, 0…1. */
export type Watch = (share: number) => void;

/** The part of a check from `from` to `to`, for work that counts itself from 0 to 1. */
export const within =
  (watch: Watch, from: number, to: number): Watch =>
  (share) =>
    watch(from + share * (to - from));

const asNumber = reader('number of pages', z.int(), (row: { n: number }) => row.n);
const asTree = reader('tree', z.strictObject({ name: z.string(), owner: z.string() }), (row: unknown) => row);
const asFinding = reader('finding', z.string(), (row: { finding: string }) => row.finding);

/** SQLite keeps this byte for its locks, so the page that holds it belongs to nothing. */
const LOCK_BYTE = 2 ** 30;

const numberOf = (db: Database, query: Query): number => readOne(db, asNumber, query) ?? 0;

/** Pages of each table with its indexes. Every page of the file has to have one place: two uses of it, or none, are findings. */
function placesOfPages(
  db: Database,
  watch: Watch,
): { pagesOf: ReadonlyMap<string, number>; findings: string[] } {
  const total = numberOf(db, sql`SELECT page_count AS n FROM pragma_page_count()`);
  const free = numberOf(db, sql`SELECT freelist_count AS n FROM pragma_freelist_count()`);
  const size = numberOf(db, sql`SELECT page_size AS n FROM pragma_page_size()`);
  const owners = new Map(
    readAll(db, asTree, sql`SELECT name, tbl_name AS owner FROM sqlite_schema WHERE rootpage > 0`).map(
      ({ name, owner }) => [name, owner],
    ),
  );
  const pagesOf = new Map<string, number>();
  const seen = new Uint8Array(total + 1);
  let used = 0;
  // Plain rows, not records: there are a quarter of a million for each gigabyte.
  const places = db.prepare<[], [string, number]>('SELECT name, pageno FROM dbstat').raw().iterate();
  for (const [tree, page] of places) {
    if (seen[page] !== 0) return { pagesOf, findings: [`Page ${page}, of ${tree}, has a second use.`] };
    seen[page] = 1;
    used += 1;
    const owner = owners.get(tree) ?? tree;
    pagesOf.set(owner, (pagesOf.get(owner) ?? 0) + 1);
    watch(used / total);
  }
  const kept = total * size > LOCK_BYTE ? 1 : 0;
  const lost = total - used - free - kept;
  return { pagesOf, findings: lost === 0 ? [] : [`${lost} of ${total} pages belong to nothing.`] };
}

const CHECKS = {
  /** Every page and row; not whether indexes hold what the rows do. */
  quick: (table: string): Query => sql`SELECT quick_check AS finding FROM pragma_quick_check(${table})`,
  whole: (table: string): Query =>
    sql`SELECT integrity_check AS finding FROM pragma_integrity_check(${table})`,
};

/**
 * Checks pages, rows and indexes with SQLite's own check, one table after the other, so that progress can be told and a check can be ended
 * between two of them. What that leaves out, the places of pages among the tables, is looked at first. @returns sentences; none for a sound file.
 */
export function checkPages(db: Database, how: keyof typeof CHECKS, watch: Watch): string[] {
  const { pagesOf, findings } = guarded(db, () => placesOfPages(db, within(watch, 0, 0.2)));
  const all = [...pagesOf.values()].reduce((sum, pages) => sum + pages, 0);
  const tables = readAll(
    db,
    asTree,
    sql`SELECT name, tbl_name AS owner FROM sqlite_schema WHERE type = 'table'`,
  );
  let done = 0;
  for (const { name } of tables) {
    // SQLite says several things in one row, below a line with the name of the database.
    const lines = readAll(db, asFinding, CHECKS[how](name)).flatMap((finding) => finding.split('\n'));
    findings.push(...lines.filter((line) => line !== 'ok' && !line.startsWith('***')));
    done += pagesOf.get(name) ?? 0;
    watch(0.2 + (0.8 * done) / Math.max(1, all));
  }
  return findings;
}

/**
 * Compares a full-text index with the texts it was made from. FTS5 does that by a command that counts as writing, so it is given a copy of
 * the index among the temporary tables, and nobody who writes to the lab waits. @throws Failure `corrupt`.
 */
export function checkSearch(db: Database, index: string, texts: string): void {
  const asSql = reader('table', z.string(), (row: { sql: string }) => row.sql);
  const made = readOne(db, asSql, sql`SELECT sql FROM main.sqlite_schema WHERE name = ${index}`);
  if (made === null) throw new Failure('corrupt', `The lab ${fileOf(db)} has no full-text index ${index}.`);
  guarded(db, () => {
    const isKeptFromWriting = db.pragma('query_only', { simple: true }) === 1;
    db.unsafeMode(true);
    if (isKeptFromWriting) db.pragma('query_only = OFF');
    try {
      db.exec(`CREATE TEMP VIEW ${texts} AS SELECT * FROM main.${texts};
        ${made.replace('CREATE VIRTUAL TABLE ', 'CREATE VIRTUAL TABLE temp.')};
        ${['data', 'idx', 'config'].map((part) => `DELETE FROM temp.${index}_${part}; INSERT INTO temp.${index}_${part} SELECT * FROM main.${index}_${part};`).join('\n')}`);
      // Rank 1 has the texts compared as well.
      db.prepare(`INSERT INTO temp.${index} (${index}, rank) VALUES ('integrity-check', 1)`).run();
    } finally {
      db.exec(`DROP TABLE IF EXISTS temp.${index}; DROP VIEW IF EXISTS temp.${texts}`);
      if (isKeptFromWriting) db.pragma('query_only = ON');
      db.unsafeMode(false);
    }
  });
}

/** The first thing that is wrong with the pages or the event chain of a database, or null. Records are not compared with their events. */
export function firstDamage(db: Database, watch: Watch): string | null {
  try {
    const [finding] = checkPages(db, 'quick', watch);
    if (finding !== undefined) return finding.replace(/\.$/, '');
  } catch (error) {
    const failure = asFailure(error, fileOf(db));
    if (!(failure instanceof Failure) || failure.kind !== 'corrupt') throw failure;
    return failure.cause instanceof Error ? failure.cause.message : failure.message;
  }
  const { firstBroken } = checkChain(db);
  return firstBroken === undefined ? null : `event ${firstBroken.seq}: ${firstBroken.reason}`;
}
