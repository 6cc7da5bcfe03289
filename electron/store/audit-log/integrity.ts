import type { Database } from 'better-sqlite3';
import { Failure, type FailureKind } from '../../contract/index.ts';
import { checkSchema } from '../opening/migrate.ts';
import { guarded } from '../sql.ts';
import { attestations, unattestedRecords } from './attestations.ts';
import { checkChain, eachEvent } from './events.ts';
import { checkRepeated } from './repeated.ts';

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
      attempt('records', found, () => {
        for (const finding of checkRepeated(db)) found.push({ part: 'records', finding });
      });
      attempt('events', found, () => checkEvents(db, found));
      return found;
    },
  };
}
