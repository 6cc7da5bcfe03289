import type { Database } from 'better-sqlite3';
import { judgeProbeAnswerSchema, judgeProbeSchema } from '../../contract/index.ts';
import type { JudgeProbe, JudgeProbeAnswer, JudgeProbeResults } from '../../contract/index.ts';
import { execute, readAll, reader, readOne, sql } from '../sql.ts';

type ProbeRow = { plan: string; results: string | null };
const asProbe = reader('judge probe', judgeProbeSchema, (row: ProbeRow) => ({
  ...row,
  plan: JSON.parse(row.plan),
  results: row.results === null ? null : JSON.parse(row.results),
}));
const PROBE = sql`id, created_at AS createdAt, model, plan, plan_sha256 AS planSha256, results, finished_at AS finishedAt`;

export const selectProbe = (db: Database, id: string): JudgeProbe | null =>
  readOne(db, asProbe, sql`SELECT ${PROBE} FROM judge_probes WHERE id = ${id}`);

export const selectProbeByPlan = (db: Database, planSha256: string): JudgeProbe | null =>
  readOne(db, asProbe, sql`SELECT ${PROBE} FROM judge_probes WHERE plan_sha256 = ${planSha256}`);

/** Newest first. */
export const selectProbes = (db: Database): JudgeProbe[] =>
  readAll(db, asProbe, sql`SELECT ${PROBE} FROM judge_probes ORDER BY created_at DESC, id DESC`);

/** The one that was finished last. */
export const selectLastProbe = (db: Database, modelSha256: string): JudgeProbe | null =>
  readOne(
    db,
    asProbe,
    sql`SELECT ${PROBE} FROM judge_probes WHERE model_sha256 = ${modelSha256} AND finished_at IS NOT NULL
      ORDER BY finished_at DESC, id DESC LIMIT 1`,
  );

export function insertProbe(db: Database, { id, createdAt, model, plan, planSha256 }: JudgeProbe): void {
  execute(
    db,
    sql`
    INSERT INTO judge_probes (id, created_at, model, model_sha256, plan, plan_sha256, results, finished_at)
    VALUES (${id}, ${createdAt}, ${model}, ${plan.modelSha256}, ${JSON.stringify(plan)}, ${planSha256}, NULL, NULL)`,
  );
}

export function updateProbeResults(
  db: Database,
  id: string,
  results: JudgeProbeResults,
  finishedAt: string,
): void {
  execute(
    db,
    sql`UPDATE judge_probes SET results = ${JSON.stringify(results)}, finished_at = ${finishedAt} WHERE id = ${id}`,
  );
}

const asAnswer = reader('answer of a judge probe', judgeProbeAnswerSchema, (row: { answer: string }) =>
  JSON.parse(row.answer),
);

/** In the order of passes and items. */
export const selectProbeAnswers = (db: Database, id: string): JudgeProbeAnswer[] =>
  readAll(
    db,
    asAnswer,
    sql`SELECT answer FROM judge_probe_answers WHERE probe_id = ${id} ORDER BY pass, ordinal`,
  );

export function insertProbeAnswer(db: Database, id: string, answer: JudgeProbeAnswer): void {
  execute(
    db,
    sql`
    INSERT INTO judge_probe_answers (probe_id, pass, ordinal, answer)
    VALUES (${id}, ${answer.pass}, ${answer.ordinal}, ${JSON.stringify(answer)})`,
  );
}
