import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure, type FailureKind } from '../../contract/index.ts';
import type { Damage } from '../opening/check-thread.ts';
import { checkSchema } from '../opening/migrate.ts';
import { checkPages, checkSearch, within, type Watch } from '../opening/pages.ts';
import { atOneMoment, guarded, readAll, readEach, reader, sql, type Query } from '../sql.ts';
import { asStored } from '../runs/cut-off.ts';
import { selectRunsBeingDeleted } from '../runs/queries.ts';
import { attestations, unattestedRecords } from './attestations.ts';
import { checkChain, eachEvent } from './events.ts';

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

/** Of one part; where a file is damaged all over, more of them tell nothing new. */
const MOST_FINDINGS = 20;

function checkDatabase(db: Database, found: Damage[], watch: Watch): void {
  checkSchema(db);
  for (const finding of checkPages(db, 'whole', watch).slice(0, MOST_FINDINGS))
    found.push({ part: 'database', finding });
  const orphans = guarded(db, () => db.pragma('foreign_key_check') as { table: string }[]);
  for (const table of new Set(orphans.map((orphan) => orphan.table)))
    found.push({ part: 'database', finding: `Rows of ${table} point to missing ones.` });
}

/** Whether a name of something is that of a run that is being deleted, or of a record of it: what is left of these means nothing. */
function ofRunsBeingDeleted(db: Database): (about: string) => boolean {
  const names = selectRunsBeingDeleted(db).map(({ id }) => `run "${id}"`);
  return (about) => names.some((name) => about.endsWith(name));
}

function checkEvents(db: Database, found: Damage[], watch: Watch): void {
  const { firstBroken } = checkChain(db);
  if (firstBroken !== undefined) {
    // What a broken chain attests is worth nothing, so the records are not compared with it.
    found.push({ part: 'events', finding: `Event ${firstBroken.seq}: ${firstBroken.reason}.` });
    return;
  }
  const known = attestations(db, eachEvent(db));
  known.forEach(({ about, logged, stored }, place) => {
    watch(place / known.length);
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
  });
  const isDeleted = ofRunsBeingDeleted(db);
  for (const about of unattestedRecords(db, known).filter((each) => !isDeleted(each)))
    found.push({ part: 'records', finding: `No event tells where ${about} comes from.` });
}

/** Where in a whole check its parts end, by what they take. */
const ENDS = { database: 0.3, rollouts: 0.4, reviews: 0.45, repeated: 0.5 };

function damageOf(db: Database, watch: Watch): Damage[] {
  const found: Damage[] = [];
  attempt('database', found, () => checkDatabase(db, found, within(watch, 0, ENDS.database)));
  attempt('search', found, () => checkSearch(db, 'rollout_search', 'shown_rollout_texts'));
  watch(ENDS.rollouts);
  attempt('search', found, () => checkSearch(db, 'review_search', 'shown_review_texts'));
  watch(ENDS.reviews);
  attempt('records', found, () => {
    for (const finding of checkRepeated(db)) found.push({ part: 'records', finding });
  });
  attempt('events', found, () => checkEvents(db, found, within(watch, ENDS.repeated, 1)));
  return found;
}

export function integrityRepository(db: Database) {
  return {
    /**
     * Checks everything that can be checked without the files of the runs: pages, indexes, foreign keys, schema, full-text
     * index, event chain, and every record against what the events attest. Empty when the lab is sound.
     * Reads the whole database: about ten seconds for a run of 100,000 records. What is written meanwhile is left to the next check.
     */
    checkIntegrity(watch: Watch = () => {}): Damage[] {
      return atOneMoment(db, () => asStored(db, () => damageOf(db, watch)));
    },
  };
}

const asReviewKey = reader('review key', z.int(), (row: { key: number }) => row.key);
const asAbout = reader('record', z.string(), (row: { about: string }) => row.about);

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

/** Rollouts whose mark says something else than their reviews. */
const wronglyMarkedQuery = (): Query => sql`
  SELECT r.key FROM rollouts r WHERE r.reviewed <> EXISTS (
    SELECT 1 FROM reviews v WHERE v.rollout_key = r.key AND v.step = r.step AND v.status IN ('done', 'quarantined'))`;

/** Numbers that only put rows in order run from 0 without a gap. */
const misnumberedQuery = (): Query => sql`
  SELECT 'Summaries of step ' || step || ' of run "' || run_id || '"' AS about FROM summaries
  GROUP BY run_id, step HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1
  UNION ALL SELECT 'Wordings of step ' || step || ' of run "' || run_id || '"' FROM wordings
  GROUP BY run_id, step HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1
  UNION ALL SELECT 'Lines of context ' || step || ' of run "' || run_id || '"' FROM context_lines
  GROUP BY run_id, step HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1`;

/** A buffer is rebuilt in the order of the keys, so tasks of a later step come later. */
const misplacedTasksQuery = (): Query => sql`
  SELECT DISTINCT 'Tasks of run "' || run_id || '"' AS about
  FROM (SELECT run_id, step < max(step) OVER (PARTITION BY run_id ORDER BY key) AS misplaced FROM tasks) WHERE misplaced`;

/** Answers of a probe say themselves where they stand. */
const misplacedAnswersQuery = (): Query => sql`
  SELECT DISTINCT 'Answers of judge probe "' || probe_id || '"' AS about FROM judge_probe_answers
  WHERE pass <> answer ->> '$.pass' OR ordinal <> answer ->> '$.ordinal'`;

const sourceSchema = z.strictObject({
  runId: z.string(),
  lineId: z.string(),
  since: z.int(),
  ordinal: z.int(),
  until: z.int().nullable(),
  began: z.int(),
  ended: z.int(),
});
const asSource = reader('context line source', sourceSchema, (row: unknown) => row);

/**
 * Lines whose sources do not follow each other. A source begins and ends with a context that holds its line, and is numbered after those
 * that were valid when it began: numbers and ends that no context reads today would be read by the next one.
 */
function misnumberedSources(db: Database): Set<string> {
  const found = new Set<string>();
  let line = '';
  let valid: (number | null)[] = [];
  const sources = readEach(
    db,
    asSource,
    sql`
    SELECT s.run_id AS runId, s.line_id AS lineId, s.since_step AS since, s.ordinal, s.until_step AS until,
      EXISTS (SELECT 1 FROM context_lines l WHERE l.run_id = s.run_id AND l.line_id = s.line_id AND l.step = s.since_step) AS began,
      s.until_step IS NULL OR EXISTS (SELECT 1 FROM context_lines l WHERE l.run_id = s.run_id AND l.line_id = s.line_id AND l.step = s.until_step) AS ended
    FROM context_line_sources s ORDER BY s.run_id, s.line_id, s.since_step, s.ordinal`,
  );
  for (const { runId, lineId, since, ordinal, until, began, ended } of sources) {
    const about = `Sources of line "${lineId}" of run "${runId}"`;
    if (about !== line) valid = [];
    line = about;
    for (let last = valid.at(-1); last != null && last <= since; last = valid.at(-1)) valid.pop();
    if (began === 0 || ended === 0 || ordinal !== valid.length) found.add(about);
    valid.push(until);
  }
  return found;
}

/** What is stored twice or only orders rows, compared with what it repeats; one sentence for each finding. */
function checkRepeated(db: Database): string[] {
  const isDeleted = ofRunsBeingDeleted(db);
  const issues = readAll(db, asReviewKey, misplacedIssuesQuery()).length;
  const marks = readAll(db, asReviewKey, wronglyMarkedQuery()).length;
  const misplaced = [misnumberedQuery(), misplacedTasksQuery(), misplacedAnswersQuery()].flatMap((query) =>
    readAll(db, asAbout, query),
  );
  return [
    ...(issues > 0 ? [`The index of issues does not fit ${issues} reviews.`] : []),
    ...(marks > 0 ? [`${marks} rollouts are wrongly marked as reviewed or not.`] : []),
    ...[...misplaced, ...misnumberedSources(db)]
      .filter((about) => !isDeleted(about))
      .map((about) => `${about} are not in the order of storing.`),
  ];
}
