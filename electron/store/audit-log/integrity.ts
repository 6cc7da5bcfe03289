import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure, type FailureKind } from '../../contract/index.ts';
import { checkSchema } from '../opening/migrate.ts';
import { guarded, readAll, reader, sql, type Query } from '../sql.ts';
import { attestations, unattestedRecords } from './attestations.ts';
import { checkChain, eachEvent } from './events.ts';

/** One finding of a check: which part, and what is wrong in one sentence. */
export type Damage = { part: 'database' | 'search' | 'events' | 'records'; finding: string };

const DAMAGE: ReadonlySet<FailureKind> = new Set(['corrupt', 'alteredSchema']);

/** Damage as a finding instead of an exception; anything that is not damage still throws. */
function attempt(part: Damage['part'], found: Damage[], check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || !DAMAGE.has(error.kind)) throw error;
    found.push({ part, finding: error.message });
  }
}

function checkPages(db: Database, found: Damage[]): void {
  checkSchema(db);
  const pages = guarded(db, () => db.pragma('integrity_check(20)') as { integrity_check: string }[]);
  for (const { integrity_check: finding } of pages)
    if (finding !== 'ok') found.push({ part: 'database', finding });
  const orphans = guarded(db, () => db.pragma('foreign_key_check') as { table: string }[]);
  for (const table of new Set(orphans.map((orphan) => orphan.table)))
    found.push({ part: 'database', finding: `Rows of ${table} point to missing ones.` });
}

const asReviewKey = reader('review key', z.int(), (row: { key: number }) => row.key);

/**
 * Reviews whose issues are not those of `review_issues`. A plus keeps a column out of the choice of an index: without statistics SQLite
 * would read all issues of the run for each review, instead of the few under its key.
 */
export const misplacedIssuesQuery = (): Query => sql`
  SELECT v.key FROM reviews v WHERE
    (SELECT coalesce(json_group_array(j.value ORDER BY j.value), '[]') FROM (SELECT DISTINCT value FROM json_each(v.issues)) j
      WHERE v.status IN ('done', 'quarantined'))
    <> (SELECT json_group_array(i.issue ORDER BY i.issue) FROM review_issues i
      WHERE i.review_key = v.key AND +i.run_id = v.run_id AND i.step = v.step AND i.phase = v.phase AND i.status = v.status
        AND i.rollout_key IS v.rollout_key)
  UNION SELECT i.review_key FROM review_issues i WHERE NOT EXISTS (
    SELECT 1 FROM reviews v WHERE v.key = i.review_key AND v.run_id = i.run_id AND v.step = i.step AND v.phase = i.phase
      AND v.status = i.status AND v.rollout_key IS i.rollout_key)`;

/** `reviewed` and `review_issues` repeat for quick reading what the reviews say. */
function checkRepeated(db: Database, found: Damage[]): void {
  const issues = readAll(db, asReviewKey, misplacedIssuesQuery());
  if (issues.length > 0)
    found.push({ part: 'records', finding: `The index of issues does not fit ${issues.length} reviews.` });
  const flags = readAll(
    db,
    asReviewKey,
    sql`
    SELECT r.key FROM rollouts r WHERE r.reviewed <> EXISTS (
      SELECT 1 FROM reviews v WHERE v.rollout_key = r.key AND v.step = r.step AND v.status IN ('done', 'quarantined'))`,
  );
  if (flags.length > 0)
    found.push({
      part: 'records',
      finding: `${flags.length} rollouts are wrongly marked as reviewed or not.`,
    });
}

function checkEvents(db: Database, found: Damage[]): void {
  const { firstBroken } = checkChain(db);
  if (firstBroken !== undefined) {
    // What a broken chain attests is worth nothing, so the records are not compared with it.
    found.push({ part: 'events', finding: `Event ${firstBroken.seq}: ${firstBroken.reason}.` });
    return;
  }
  const known = attestations(db, eachEvent(db));
  for (const { about, logged, stored } of known) {
    attempt('records', found, () => {
      const now = stored();
      if (now !== logged)
        found.push({
          part: 'records',
          finding:
            now === 'nothing'
              ? `What was stored of ${about} is missing.`
              : `What was stored of ${about} was changed afterwards.`,
        });
    });
  }
  for (const about of unattestedRecords(db, known))
    found.push({ part: 'records', finding: `No event tells where ${about} comes from.` });
}

export function integrityRepository(db: Database) {
  return {
    /**
     * Checks everything that can be checked without the files of the runs: pages, indexes, foreign keys, schema, full-text
     * index, event chain, and every record against what the events attest. Empty when the lab is sound.
     * Reads the whole database: about ten seconds for a run of 100,000 records.
     */
    checkIntegrity(): Damage[] {
      const found: Damage[] = [];
      attempt('database', found, () => checkPages(db, found));
      for (const table of ['rollout_search', 'review_search']) {
        // A write command by syntax, which changes nothing: rank 1 compares the index with the text it was made from.
        if (!db.readonly)
          attempt('search', found, () =>
            guarded(db, () =>
              db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run(),
            ),
          );
      }
      attempt('records', found, () => checkRepeated(db, found));
      attempt('events', found, () => checkEvents(db, found));
      return found;
    },
  };
}
