import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { Failure, seedAttemptSchema, type SeedAttempt } from '../../contract/index.ts';
import { recordsSha256 } from '../audit-log/digests.ts';
import { appendToChain, type Clock } from '../audit-log/events.ts';
import { checkedRecord, execute, immediately, readAll, reader, readOne, sql } from '../sql.ts';
import { knownRun } from '../runs/repository.ts';

type AttemptRow = {
  round: number;
  ordinal: number;
  task_type: string;
  user: string;
  text: string;
  finish: string;
  new_tokens: number;
  reason: string | null;
  task: string | null;
};

const asAttempt = reader('seed attempt', seedAttemptSchema, (row: AttemptRow) => ({
  round: row.round,
  index: row.ordinal,
  taskType: row.task_type,
  user: row.user,
  text: row.text,
  finish: row.finish,
  newTokens: row.new_tokens,
  reason: row.reason,
  task: row.task === null ? null : JSON.parse(row.task),
}));

const COLUMNS = sql`round, ordinal, task_type, user, text, finish, new_tokens, reason, task`;
const roundSha256 = (round: readonly SeedAttempt[]): string => recordsSha256('anchor-seed-round-v1', round);

/** Attested by the `seeds.round` event. */
export function seedRoundAsStored(db: Database, runId: string, round: number): string {
  return roundSha256(
    readAll(
      db,
      asAttempt,
      sql`SELECT ${COLUMNS} FROM seed_attempts WHERE run_id = ${runId} AND round = ${round} ORDER BY ordinal`,
    ),
  );
}

const countSchema = z.strictObject({ asked: z.int(), kept: z.int() });
const asCount = reader('count of seed attempts', countSchema, (row: { asked: number; kept: number }) => row);

/** What a policy wrote as its own first tasks. */
export function seedRepository(db: Database, now: Clock) {
  return {
    /**
     * Stores one round in one transaction; when it returns, the round is on the disk.
     * @throws Failure `badRecord` for a round that is not the next one, or that comes after the run has begun.
     */
    putSeedRound(runId: string, round: readonly SeedAttempt[]): void {
      const attempts = checkedRecord(z.array(seedAttemptSchema).min(1), round, `seeds of run "${runId}"`);
      const number = attempts[0]?.round as number;
      immediately(db, () => {
        knownRun(db, runId);
        const last = readOne(
          db,
          reader('round', z.strictObject({ round: z.int() }), (row: { round: number }) => row),
          sql`SELECT ifnull(max(round), 0) AS round FROM seed_attempts WHERE run_id = ${runId}`,
        )?.round;
        if (number !== (last ?? 0) + 1 || attempts.some((one) => one.round !== number))
          throw new Failure(
            'badRecord',
            `Round ${number} of the seeds of run "${runId}" does not follow round ${last ?? 0}, the newest stored one.`,
          );
        for (const { index, taskType, user, text, finish, newTokens, reason, task } of attempts)
          execute(
            db,
            sql`
            INSERT INTO seed_attempts (run_id, round, ordinal, task_type, user, text, finish, new_tokens, reason, task)
            VALUES (${runId}, ${number}, ${index}, ${taskType}, ${user}, ${text}, ${finish}, ${newTokens}, ${reason},
              ${task === null ? null : JSON.stringify(task)})`,
          );
        appendToChain(db, now, runId, 'seeds.round', {
          round: number,
          asked: attempts.length,
          kept: attempts.filter(({ task }) => task !== null).length,
          sha256: roundSha256(attempts.toSorted((a, b) => a.index - b.index)),
        });
      });
    },

    /** All rounds in order. */
    listSeedAttempts(runId: string): SeedAttempt[] {
      return readAll(
        db,
        asAttempt,
        sql`SELECT ${COLUMNS} FROM seed_attempts WHERE run_id = ${runId} ORDER BY round, ordinal`,
      );
    },

    /** How many texts the policy was asked for before step 1, and how many became tasks. */
    countSeedAttempts(runId: string): { asked: number; kept: number } {
      const found = readOne(
        db,
        asCount,
        sql`SELECT count(*) AS asked, count(task) AS kept FROM seed_attempts WHERE run_id = ${runId}`,
      );
      return found ?? { asked: 0, kept: 0 };
    },
  };
}
