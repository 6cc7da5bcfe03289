import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure, type RunRecord } from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { factsOf, type RunFacts } from '../audit-log/attestations.ts';
import { runConfigSha256 } from '../audit-log/digests.ts';
import type { Attestation } from '../audit-log/lab-attestations.ts';
import {
  selectAnnotation,
  selectRun,
  selectStoredConfig,
  updateCommittedSteps,
  updateRunState,
  upsertAnnotation,
} from '../runs/queries.ts';
import { execute, readAll, reader, sql } from '../sql.ts';

export const asId = reader('id', z.string(), (row: { id: string }) => row.id);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** @param about what an event attests */
export const isLost = (about: string): string => `${capital(about)} is missing or not as it was stored.`;

type RunsKept = {
  /** In full, and up to a step. */
  counts: { whole: number; cut: number };
  sentences: string[];
  /** Of records of runs that stay. */
  lost: string[];
  lostRuns: string[];
  restated: Record<string, RunFacts>;
};

/** Runs whose beginning is as it was stored, each up to the last step of which everything is. */
export function keepRuns(
  db: Database,
  known: readonly Attestation[],
  broken: ReadonlySet<Attestation>,
  isWhole: boolean,
): RunsKept {
  const kept: RunsKept = {
    counts: { whole: 0, cut: 0 },
    sentences: [],
    lost: [],
    lostRuns: [],
    restated: {},
  };
  const byRun = Map.groupBy(known, ({ part }) => (isOfRun(part) ? part.id : ''));
  const stored = readAll(db, asId, sql`SELECT id FROM runs`);
  const attested = known.filter(({ part }) => part.of === 'runs').map(({ part }) => part.id);
  for (const id of new Set([...attested, ...stored])) {
    const of = byRun.get(id) ?? [];
    const said = of.find(({ part }) => part.of === 'runs');
    const logged = said === undefined ? null : (JSON.parse(said.logged) as RunFacts);
    const first = of.find(({ part }) => part.of === 'steps' && part.at === 0);
    const run = logged === null ? null : readableRun(db, id, logged);
    if (logged === null || run === null || (first !== undefined && broken.has(first))) {
      execute(db, sql`DELETE FROM runs WHERE id = ${id}`);
      kept.lostRuns.push(id);
      kept.sentences.push(`Run "${id}" is missing: what it began with cannot be read as it was stored.`);
      continue;
    }
    const harmed = of.filter((each) => broken.has(each));
    if (isWhole) repair(db, id, logged, harmed);
    const lost = takeRounds(db, id, of, broken);
    kept.lost.push(...lost);
    kept.sentences.push(...lost.map(isLost));
    const sound = new Set(
      of.flatMap((each) => (each.part.of === 'steps' && !broken.has(each) ? [each.part.at] : [])),
    );
    let last = -1;
    while (sound.has(last + 1)) last += 1;
    const cutOff = cut(db, run, last, Math.max(run.committedSteps, logged.committedSteps));
    if (cutOff === null) kept.counts.whole += 1;
    else {
      kept.counts.cut += 1;
      kept.sentences.push(`Run "${id}": ${cutOff}`);
    }
    const facts = factsOf(db, selectRun(db, id) as RunRecord);
    if (lost.length > 0 || canonicalJson(facts) !== canonicalJson(logged)) kept.restated[id] = facts;
  }
  return kept;
}

const isOfRun = ({ of }: Attestation['part']): boolean =>
  of === 'runs' || of === 'steps' || of === 'checkpoints' || of === 'seed_attempts';

/** Removes the first harmed round of a policy's own tasks and those after it, which nothing goes on from. @returns what is lost. */
function takeRounds(
  db: Database,
  id: string,
  of: readonly Attestation[],
  broken: ReadonlySet<Attestation>,
): string[] {
  const rounds = of.flatMap((each) =>
    each.part.of === 'seed_attempts'
      ? [{ at: each.part.at, isHarmed: broken.has(each), about: each.about }]
      : [],
  );
  const first = Math.min(...rounds.filter(({ isHarmed }) => isHarmed).map(({ at }) => at));
  execute(
    db,
    sql`DELETE FROM seed_attempts WHERE run_id = ${id} AND round >= ${Math.min(first, Number.MAX_SAFE_INTEGER)}`,
  );
  return rounds.filter(({ at }) => at >= first).map(({ about }) => about);
}

/** The run, where its configuration is the one that its first event names. */
function readableRun(db: Database, id: string, logged: RunFacts): RunRecord | null {
  try {
    const run = selectRun(db, id);
    if (run === null || runConfigSha256(selectStoredConfig(db, id)) !== logged.configSha256) return null;
    execute(
      db,
      sql`UPDATE runs SET name = ${run.config.name}, preset = ${run.config.preset} WHERE id = ${id}`,
    );
    return run;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'corrupt') return null;
    throw error;
  }
}

/** Events that are all there say what the row of a run has to. */
function repair(db: Database, id: string, logged: RunFacts, broken: readonly Attestation[]): void {
  const { createdAt, folder, policySha256, supervisorSha256 } = logged;
  execute(
    db,
    sql`UPDATE runs SET created_at = ${createdAt}, folder = ${folder}, policy_sha256 = ${policySha256},
      supervisor_sha256 = ${supervisorSha256} WHERE id = ${id}`,
  );
  updateRunState(db, id, logged.state, logged.reason);
  if (canonicalJson(selectAnnotation(db, id)) !== canonicalJson(logged.annotation))
    upsertAnnotation(db, id, logged.annotation);
  execute(
    db,
    sql`UPDATE checkpoints SET removed_at = NULL WHERE run_id = ${id}
      AND step || ' ' || role IN (SELECT value FROM json_each(${JSON.stringify(logged.checkpoints)}))`,
  );
  for (const { part, logged: removedAt } of broken)
    if (part.of === 'checkpoints')
      execute(
        db,
        sql`UPDATE checkpoints SET removed_at = ${removedAt} WHERE run_id = ${id} AND step = ${part.at} AND role = ${part.role}`,
      );
}

/**
 * Takes everything of a run that comes after a step, -1 for a run that has not begun; C_{step + 1} is of the step.
 * @param before how many steps it had. @returns what to say of it; null where nothing of it is missing.
 */
function cut(db: Database, { id }: RunRecord, step: number, before: number): string | null {
  for (const query of [
    sql`DELETE FROM steps WHERE run_id = ${id} AND step > ${step}`,
    sql`DELETE FROM tasks WHERE run_id = ${id} AND step > ${step}`,
    sql`DELETE FROM checkpoints WHERE run_id = ${id} AND step > ${step}`,
    sql`DELETE FROM wordings WHERE run_id = ${id} AND step > ${step}`,
    sql`DELETE FROM context_line_sources WHERE run_id = ${id} AND since_step > ${step + 1}`,
    sql`UPDATE context_line_sources SET until_step = NULL WHERE run_id = ${id} AND until_step > ${step + 1}`,
    sql`DELETE FROM contexts WHERE run_id = ${id} AND step > ${step + 1}`,
  ])
    execute(db, query);
  const steps = Math.max(0, step);
  updateCommittedSteps(db, id, steps);
  if (steps >= before) return null;
  const which = steps + 1 === before ? `step ${before}` : `steps ${steps + 1} to ${before}`;
  const sentence = `${which} could not be taken over from the damaged lab, so it stands at step ${steps}`;
  const end = isGoneFrom(db, id) ? `${sentence}, whose weights are no longer kept.` : `${sentence}.`;
  updateRunState(db, id, 'interrupted', capital(end));
  return end;
}

const asCount = reader('count', z.int(), (row: { count: number }) => row.count);

/** Whether the checkpoint that a role stands at was removed before. */
const isGoneFrom = (db: Database, id: string): boolean =>
  readAll(
    db,
    asCount,
    sql`SELECT count(*) AS count FROM checkpoints AS c WHERE run_id = ${id} AND removed_at IS NOT NULL AND step =
      (SELECT max(step) FROM checkpoints AS n WHERE n.run_id = c.run_id AND n.role = c.role)`,
  )[0] !== 0;
