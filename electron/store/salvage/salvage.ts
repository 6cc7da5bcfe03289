import SqliteDatabase from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { Failure } from '../../contract/index.ts';
import { attestations, unattestedRecords, type SalvageBody } from '../audit-log/attestations.ts';
import { appendToChain, eachEvent, type Clock } from '../audit-log/events.ts';
import { integrityRepository } from '../audit-log/integrity.ts';
import type { Attestation } from '../audit-log/lab-attestations.ts';
import { BEING_DELETED, markCleanExit, PROGRAM_SETTINGS, upsertSetting, WRITER } from '../catalogue.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../migrations/index.ts';
import type { Salvaged } from '../opening/check-thread.ts';
import { APPLICATION_ID } from '../opening/database-file.ts';
import { runMigration } from '../opening/migrate.ts';
import { within, type Watch } from '../opening/pages.ts';
import { DELETED_IDS } from '../runs/queries.ts';
import { execute, readAll, sql, type Query } from '../sql.ts';
import { asFailure } from '../sqlite-failure.ts';
import { copyReadable, openDamaged, type Copied } from './readable-rows.ts';
import { asId, isLost, keepRuns } from './kept-runs.ts';

/**
 * Takes over into a new database what can be read of a damaged one: rows as they are, indexes made anew, and of that only what the events
 * attest. A run is kept up to the step before the first that is not as it was stored. The damaged file is read and never written.
 * @param to a file that is not there yet
 * @throws Failure `notALab` or `newerSchema` for another kind of file, `corrupt` where nothing can be read.
 */
export function salvage(file: string, to: string, now: Clock, watch: Watch): Salvaged {
  let from: Database | undefined;
  let db: Database | undefined;
  try {
    from = openDamaged(file);
    const schema = schemaOf(from, file);
    db = new SqliteDatabase(to);
    // The copy counts only when it is complete, and is written to the disk with the folder that it goes into.
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = OFF');
    for (const migration of MIGRATIONS.slice(0, schema)) runMigration(db, migration);
    const copied = copyReadable(from, db, within(watch, 0, 0.5));
    if (copied.every(({ table, rows }) => table !== 'events' || rows === 0))
      throw new Failure(
        'corrupt',
        `No event of ${file} can be read, so nothing in it can be told from damage; restore a backup instead.`,
      );
    for (const migration of MIGRATIONS.slice(schema)) runMigration(db, migration);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    const salvaged = db.transaction(keepAttested)(db, now, copied);
    const [damage] = integrityRepository(db).checkIntegrity(within(watch, 0.6, 1));
    if (damage !== undefined)
      throw new Failure(
        'corrupt',
        `What can be read of ${file} makes no sound lab (${damage.finding}); restore a backup instead.`,
      );
    return salvaged;
  } catch (error) {
    throw asFailure(error, file);
  } finally {
    from?.close();
    db?.close();
  }
}

function schemaOf(db: Database, file: string): number {
  const [application, version] = ['application_id', 'user_version'].map((name) =>
    db.pragma(name, { simple: true }),
  ) as [number, number];
  if (application !== APPLICATION_ID || version < 1)
    throw new Failure('notALab', `The file ${file} is not the database of a lab; name another one.`, 2);
  if (version > SCHEMA_VERSION)
    throw new Failure(
      'newerSchema',
      `${file} was written by a later Anchor Lab (schema ${version}, this one knows ${SCHEMA_VERSION}); use that version.`,
    );
  return version;
}

/** Whether something is stored as its event says; what cannot be read is not. */
function isAsAttested({ logged, stored }: Attestation): boolean {
  try {
    return stored() === logged;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'corrupt') return false;
    throw error;
  }
}

/** Removes what is not as the events say, and says so in an event of its own, from which on the rest is the lab. */
function keepAttested(db: Database, now: Clock, copied: readonly Copied[]): Salvaged {
  execute(db, sql`DELETE FROM runs WHERE id IN (${DELETED_IDS})`);
  upsertSetting(db, BEING_DELETED, []);
  upsertSetting(db, WRITER, null);
  markCleanExit(db, true);
  const known = attestations(db, eachEvent(db));
  const broken = new Set(known.filter((each) => !isAsAttested(each)));
  const isWhole = copied.find(({ table }) => table === 'events')?.isWhole === true;

  const runs = keepRuns(db, known, broken, isWhole);
  const things = [keepThings(db, known, broken), keepOverrides(db, known)];
  for (const query of REPEATED) execute(db, query);
  const evaluations = readAll(db, asId, sql`SELECT id FROM evaluations ORDER BY key`);
  const sentences = [
    ...(isWhole ? [] : ['Some events could not be read; those after them are chained anew.']),
    ...runs.sentences,
    ...things.flatMap((each) => each.sentences),
  ];
  const body: SalvageBody = {
    lost: [...runs.lost, ...things.flatMap((each) => each.lost)],
    lostRuns: runs.lostRuns,
    evaluations,
    runs: runs.restated,
  };
  appendToChain(db, now, null, 'lab.salvaged', { ...body, rows: copied });
  return { runs: runs.counts, lost: sentences };
}

/** What only repeats other columns is made anew. */
const REPEATED: readonly Query[] = [
  sql`UPDATE rollouts SET reviewed = EXISTS (SELECT 1 FROM reviews v
    WHERE v.rollout_key = rollouts.key AND v.step = rollouts.step AND v.status IN ('done', 'quarantined'))`,
  sql`DELETE FROM review_issues`,
  sql`INSERT INTO review_issues (review_key, issue, run_id, step, phase, status, rollout_key)
    SELECT DISTINCT v.key, j.value, v.run_id, v.step, v.phase, v.status, v.rollout_key
    FROM reviews v, json_each(v.issues) j WHERE v.status IN ('done', 'quarantined')`,
];

/** Tables of things that the lab has beside its runs, what names a thing there, and what events call it. */
const THINGS = [
  { of: 'evaluations', table: sql`evaluations`, name: sql`id`, word: 'evaluation' },
  { of: 'judge_probes', table: sql`judge_probes`, name: sql`id`, word: 'judge probe' },
  { of: 'asked_questions', table: sql`asked_questions`, name: sql`id`, word: 'asked question' },
  { of: 'audits', table: sql`audits`, name: sql`id`, word: 'audit' },
  { of: 'models', table: sql`models`, name: sql`name`, word: 'model' },
  { of: 'settings', table: sql`settings`, name: sql`name`, word: 'setting' },
] as const;

type ThingsKept = { lost: string[]; sentences: string[] };

/** Evaluations, probes, audits, models and settings: each whole, or not at all. */
function keepThings(
  db: Database,
  known: readonly Attestation[],
  broken: ReadonlySet<Attestation>,
): ThingsKept {
  const kept: ThingsKept = { lost: [], sentences: [] };
  // What no event speaks of cannot be told from damage.
  const strange = new Set(unattestedRecords(db, known));
  for (const { of, table, name, word } of THINGS) {
    const ofTable = known.filter(({ part }) => part.of === of && part.id !== '' && !('ordinal' in part));
    const said = Map.groupBy(ofTable, ({ part }) => part.id);
    const stored = readAll(db, asId, sql`SELECT ${name} AS id FROM ${table}`);
    for (const id of new Set(
      [...said.keys(), ...stored].filter((each) => !PROGRAM_SETTINGS.includes(each)),
    )) {
      const each = said.get(id) ?? [];
      const about = `${word} "${id}"`;
      if (
        each.length > 0 &&
        !each.some((one) => broken.has(one)) &&
        !strange.has(about) &&
        !strange.has(`results of ${about}`)
      )
        continue;
      execute(db, sql`DELETE FROM ${table} WHERE ${name} = ${id}`);
      kept.lost.push(...each.filter(({ logged }) => logged !== 'nothing').map((one) => one.about));
      kept.sentences.push(isLost(about));
    }
  }
  return kept;
}

/** What people said of single answers; what they said of those of a lost evaluation went with it. */
function keepOverrides(db: Database, known: readonly Attestation[]): ThingsKept {
  const said = known.filter(({ part, logged }) => 'ordinal' in part && logged !== 'nothing');
  const [sound, gone] = [said.filter(isAsAttested), said.filter((one) => !isAsAttested(one))];
  const names = sound.flatMap(({ part }) => ('ordinal' in part ? [`${part.ordinal} ${part.id}`] : []));
  execute(
    db,
    sql`DELETE FROM evaluation_overrides WHERE ordinal || ' ' || (SELECT id FROM evaluations WHERE key = evaluation_key)
      NOT IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
  );
  const lost = gone.map(({ about }) => about);
  return { lost, sentences: lost.map(isLost) };
}
