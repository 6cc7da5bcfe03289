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

/** Those of one step, by the key of the rollout that each is of. The few system prompts that a step has are stored once each. */
export function insertGenerations(
  db: Database,
  runId: string,
  generations: readonly (readonly [key: number, generation: GenerationRecord])[],
): void {
  const stored = new Map<string, string>();
  const sha256Of = (system: string): string => {
    const known = stored.get(system);
    if (known !== undefined) return known;
    const sha256 = sha256Hex(system);
    stored.set(system, sha256);
    execute(
      db,
      sql`INSERT INTO system_prompts (run_id, sha256, text) VALUES (${runId}, ${sha256}, ${system}) ON CONFLICT DO NOTHING`,
    );
    return sha256;
  };
  for (const [key, { at, promptSha256, system }] of generations)
    execute(
      db,
      sql`INSERT INTO generations (key, at, prompt_sha256, system_sha256) VALUES (${key}, ${at}, ${promptSha256}, ${system === null ? null : sha256Of(system)})`,
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
