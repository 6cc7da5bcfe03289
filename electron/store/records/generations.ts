import type { Database } from 'better-sqlite3';
import { generationRecordSchema, type GenerationRecord } from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import { execute, readAll, reader, sql } from '../sql.ts';

type GenerationRow = { rollout_id: string; at: string; prompt_sha256: string; system: string | null };

const asGeneration = reader('generation', generationRecordSchema, (row: GenerationRow) => ({
  rolloutId: row.rollout_id,
  at: row.at,
  promptSha256: row.prompt_sha256,
  system: row.system,
}));

/** @param key of the rollout it is of */
export function insertGeneration(
  db: Database,
  runId: string,
  key: number,
  { at, promptSha256, system }: GenerationRecord,
): void {
  const systemSha256 = system === null ? null : sha256Hex(system);
  if (system !== null)
    execute(
      db,
      sql`INSERT INTO system_prompts (run_id, sha256, text) VALUES (${runId}, ${systemSha256}, ${system}) ON CONFLICT DO NOTHING`,
    );
  execute(
    db,
    sql`INSERT INTO generations (key, at, prompt_sha256, system_sha256) VALUES (${key}, ${at}, ${promptSha256}, ${systemSha256})`,
  );
}

/** Of the responses of a step, in their order; empty for steps taken before there were such records. */
export function selectGenerationsOfStep(db: Database, runId: string, step: number): GenerationRecord[] {
  return readAll(
    db,
    asGeneration,
    sql`
    SELECT r.id AS rollout_id, g.at, g.prompt_sha256, p.text AS system
    FROM rollouts r JOIN generations g USING (key)
    LEFT JOIN system_prompts p ON p.run_id = r.run_id AND p.sha256 = g.system_sha256
    WHERE r.run_id = ${runId} AND r.step = ${step} ORDER BY r.key`,
  );
}
