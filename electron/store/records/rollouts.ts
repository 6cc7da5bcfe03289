import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { rolloutRecordSchema, type RolloutRecord } from '../../contract/index.ts';
import { execute, readAll, reader, readOne, sql, type Query } from '../sql.ts';

/** Columns of a rollout that lists show as well. */
export type RolloutColumns = {
  id: string;
  step: number;
  batch: string;
  ordinal: number;
  sample: number | null;
  purpose: string;
  role: string;
  task_type: string;
  format_ok: number;
  finish: string;
  new_tokens: number;
  outcome: string;
  reason: string | null;
  accuracy: number;
  sandbox_level: string | null;
  reward: number | null;
};

type RolloutRow = RolloutColumns & {
  key: number;
  task_id: string | null;
  context_hash: string;
  user: string;
  text: string;
  plan: string | null;
  thought: string | null;
  answer: string | null;
  prompt_tokens: number;
  logp_mean: number | null;
  advantage: number | null;
};

export const shapeColumns = (row: RolloutColumns) => ({
  id: row.id,
  step: row.step,
  batch: row.batch,
  index: row.ordinal,
  sample: row.sample,
  purpose: row.purpose,
  role: row.role,
  taskType: row.task_type,
  formatOk: row.format_ok === 1,
  finish: row.finish,
  newTokens: row.new_tokens,
  verdict: {
    outcome: row.outcome,
    reason: row.reason,
    accuracy: row.accuracy,
    sandboxLevel: row.sandbox_level,
  },
  reward: row.reward,
});

const shape = (row: RolloutRow): unknown => ({
  ...shapeColumns(row),
  taskId: row.task_id,
  contextHash: row.context_hash,
  user: row.user,
  text: row.text,
  plan: row.plan,
  thought: row.thought,
  answer: row.answer,
  promptTokens: row.prompt_tokens,
  logpMean: row.logp_mean,
  advantage: row.advantage,
});

const asRollout = reader('rollout', rolloutRecordSchema, shape);
const asKeyedRollout = reader(
  'rollout',
  z.strictObject({ key: z.int(), record: rolloutRecordSchema }),
  (row: RolloutRow) => ({ key: row.key, record: shape(row) }),
);
const asKey = reader('rollout key', z.int(), (row: { key: number }) => row.key);

/** A rollout with its place in paging order. */
export type KeyedRollout = { key: number; record: RolloutRecord };

export const ROLLOUT_COLUMNS = sql`
  r.key, r.id, r.step, r.batch, r.ordinal, r.sample, r.purpose, r.role, r.task_type, r.task_id, r.context_hash, t.user, t.text,
  t.plan, t.thought, t.answer, r.format_ok, r.finish, r.prompt_tokens, r.new_tokens, r.logp_mean, r.outcome, r.reason,
  r.accuracy, r.sandbox_level, r.reward, r.advantage`;

/** Returns the rollout's key, by which its reviews name it. */
export function insertRollout(
  db: Database,
  runId: string,
  rollout: RolloutRecord,
  reviewed: boolean,
): number {
  const { verdict } = rollout;
  const { lastInsertRowid } = execute(
    db,
    sql`
    INSERT INTO rollouts (run_id, id, step, batch, ordinal, sample, purpose, role, task_type, task_id, context_hash, format_ok,
      finish, prompt_tokens, new_tokens, logp_mean, outcome, reason, accuracy, sandbox_level, reward, advantage, reviewed)
    VALUES (${runId}, ${rollout.id}, ${rollout.step}, ${rollout.batch}, ${rollout.index}, ${rollout.sample}, ${rollout.purpose},
      ${rollout.role}, ${rollout.taskType}, ${rollout.taskId}, ${rollout.contextHash}, ${rollout.formatOk ? 1 : 0},
      ${rollout.finish}, ${rollout.promptTokens}, ${rollout.newTokens}, ${rollout.logpMean}, ${verdict.outcome}, ${verdict.reason},
      ${verdict.accuracy}, ${verdict.sandboxLevel}, ${rollout.reward}, ${rollout.advantage}, ${reviewed ? 1 : 0})`,
  );
  execute(
    db,
    sql`
    INSERT INTO rollout_texts (key, user, text, plan, thought, answer)
    VALUES (${lastInsertRowid}, ${rollout.user}, ${rollout.text}, ${rollout.plan}, ${rollout.thought}, ${rollout.answer})`,
  );
  return Number(lastInsertRowid);
}

export function selectRollout(db: Database, runId: string, id: string): KeyedRollout | null {
  return readOne(
    db,
    asKeyedRollout,
    sql`
    SELECT ${ROLLOUT_COLUMNS} FROM rollouts r JOIN rollout_texts t ON t.key = r.key WHERE r.run_id = ${runId} AND r.id = ${id}`,
  );
}

export function selectRolloutKey(db: Database, runId: string, id: string): number | null {
  return readOne(db, asKey, sql`SELECT key FROM rollouts WHERE run_id = ${runId} AND id = ${id}`);
}

export function selectRolloutsOfStep(db: Database, runId: string, step: number): RolloutRecord[] {
  return readAll(
    db,
    asRollout,
    sql`
    SELECT ${ROLLOUT_COLUMNS} FROM rollouts r JOIN rollout_texts t ON t.key = r.key
    WHERE r.run_id = ${runId} AND r.step = ${step} ORDER BY r.key`,
  );
}

export function selectKeyedRollouts(db: Database, query: Query): KeyedRollout[] {
  return readAll(db, asKeyedRollout, query);
}
