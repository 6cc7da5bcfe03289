import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { readAll, reader, sql, type Query } from '../sql.ts';

const outcomeSchema = z.strictObject({
  step: z.int(),
  reason: z.string().nullable(),
  count: z.int().positive(),
});
/** Proposals of a step that became tasks (`reason` null), or that did not and why. */
export type ProposalOutcome = z.infer<typeof outcomeSchema>;
const asOutcome = reader('outcome of proposals', outcomeSchema, (row: unknown) => row);

/** A first try that a second one took the place of is no proposal of its own. */
export const proposalOutcomesQuery = (runId: string): Query => sql`
  SELECT step, CASE WHEN outcome = 'invalid' THEN coalesce(reason, 'invalid') END AS reason, count(*) AS count
  FROM rollouts r INDEXED BY rollouts_by_place WHERE run_id = ${runId} AND purpose = 'propose'
    AND NOT EXISTS (SELECT 1 FROM rollouts again WHERE again.run_id = r.run_id AND again.id = r.id || '/r1')
  GROUP BY step, 2 ORDER BY step, 2`;

export const selectProposalOutcomes = (db: Database, runId: string): ProposalOutcome[] =>
  readAll(db, asOutcome, proposalOutcomesQuery(runId));

const paidSchema = z.strictObject({
  id: z.string(),
  step: z.int(),
  reward: z.number(),
  text: z.string(),
  samples: z.int(),
  abstained: z.int(),
  truncated: z.int(),
  passed: z.int(),
});
/** A proposal that was paid for, and how the answers that measured it came out: without an answer, cut off, agreeing or right. */
export type PaidProposal = z.infer<typeof paidSchema>;
const asPaid = reader('paid proposal', paidSchema, (row: unknown) => row);

/** As much of a proposal as a row shows. */
const EXCERPT = 400;

/**
 * The proposals with the highest rewards among those that became tasks, of equal ones the earlier; one pass over the run's rollouts. Ids of
 * measurements begin with the place of their proposal and a slash, after which 0 is the next character.
 */
export const paidProposalsQuery = (runId: string, most: number): Query => sql`
  WITH paid AS (
    SELECT key, id, reward, step, step || '/' || batch || '/' || ordinal AS place FROM rollouts INDEXED BY rollouts_by_place
    WHERE run_id = ${runId} AND purpose = 'propose' AND reward IS NOT NULL AND outcome <> 'invalid'
    ORDER BY reward DESC, key LIMIT ${most})
  SELECT p.id, p.step, p.reward, substr(coalesce(t.answer, t.text), 1, ${EXCERPT}) AS text,
    count(e.key) AS samples, count(e.key) FILTER (WHERE e.outcome = 'invalid') AS abstained,
    count(e.key) FILTER (WHERE e.finish = 'length') AS truncated, count(e.key) FILTER (WHERE e.outcome = 'passed') AS passed
  FROM paid p JOIN rollout_texts t ON t.key = p.key
  LEFT JOIN rollouts e ON e.run_id = ${runId} AND e.id > p.place || '/' AND e.id < p.place || '0' AND e.purpose = 'estimate'
  GROUP BY p.key ORDER BY p.reward DESC, p.key`;

export const selectPaidProposals = (db: Database, runId: string, most: number): PaidProposal[] =>
  readAll(db, asPaid, paidProposalsQuery(runId, most));

const labelledSchema = z.strictObject({ id: z.string(), iteration: z.int() });
/** A task of an origin, and the iteration that it came in. */
export type LabelledTask = z.infer<typeof labelledSchema>;
const asLabelled = reader('labelled task', labelledSchema, (row: unknown) => row);

/** Of one origin, without their texts. */
export const labelledTasksQuery = (runId: string, origin: string): Query => sql`
  SELECT t.id, s.iteration FROM tasks t INDEXED BY tasks_by_step JOIN steps s ON s.run_id = t.run_id AND s.step = t.step
  WHERE t.run_id = ${runId} AND t.origin = ${origin} ORDER BY t.key`;

export const selectLabelledTasks = (db: Database, runId: string, origin: string): LabelledTask[] =>
  readAll(db, asLabelled, labelledTasksQuery(runId, origin));
