import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  contextRecordSchema,
  shortNameSchema,
  taskTypeSchema,
  type ContextRecord,
} from '../contract/index.ts';
import { RATED_BATCHES } from './records/cursor.ts';
import { readAll, reader, sql } from './sql.ts';
import {
  selectLabelledTasks,
  selectPaidProposals,
  selectProposalOutcomes,
  type LabelledTask,
  type PaidProposal,
  type ProposalOutcome,
} from './steps/proposals.ts';

const outcomeSchema = z.strictObject({
  step: z.int(),
  role: shortNameSchema,
  n: z.int(),
  passed: z.int().nullable(),
  satisfied: z.int().nullable(),
  formatFailures: z.int(),
});
/**
 * What became of the trained rollouts of one role in one step; estimates and first tries that were replaced do not count. `passed` is
 * null where a user rated the answers and none was verified; elsewhere `satisfied`, how many the user was satisfied with, is null.
 */
export type StepOutcome = z.infer<typeof outcomeSchema>;
const asOutcome = reader('step outcome', outcomeSchema, (row: unknown) => row);

/** Steps fromStep … toStep, in order. */
function selectOutcomes(db: Database, runId: string, fromStep: number, toStep: number): StepOutcome[] {
  return readAll(
    db,
    asOutcome,
    sql`
    SELECT step, role, n, iif(isRated, NULL, good) AS passed, iif(isRated, good, NULL) AS satisfied, formatFailures FROM (
      SELECT step, role, batch IN ${RATED_BATCHES} AS isRated, count(*) AS n, count(*) FILTER (WHERE outcome = 'passed') AS good,
        count(*) FILTER (WHERE format_ok = 0) AS formatFailures
      FROM rollouts INDEXED BY rollouts_by_place WHERE run_id = ${runId} AND step BETWEEN ${fromStep} AND ${toStep} AND reward IS NOT NULL
      GROUP BY step, role, isRated)
    ORDER BY step, role`,
  );
}

const decisionSchema = z.strictObject({ step: z.int(), reviews: z.int(), retries: z.int() });
/** Reviews of a step that were answered, and how many of them sent the item back. */
export type StepDecisions = z.infer<typeof decisionSchema>;
const asDecisions = reader('step decisions', decisionSchema, (row: unknown) => row);

function selectDecisions(db: Database, runId: string): StepDecisions[] {
  return readAll(
    db,
    asDecisions,
    sql`
    SELECT step, count(*) FILTER (WHERE status IN ('done', 'quarantined')) AS reviews, count(*) FILTER (WHERE decision = 'retry') AS retries
    FROM reviews WHERE run_id = ${runId} GROUP BY step ORDER BY step`,
  );
}

const departureSchema = z.strictObject({ context: z.int(), removed: contextRecordSchema.shape.removed });
const asDepartures = reader('context', departureSchema, (row: { context: number; removed: string }) => ({
  context: row.context,
  removed: JSON.parse(row.removed),
}));

/** A line that left: `context` is the first without it. */
export type LineDeparture = {
  context: number;
  id: string;
  reason: ContextRecord['removed'][number]['reason'];
};

function selectDepartures(db: Database, runId: string): LineDeparture[] {
  return readAll(
    db,
    asDepartures,
    sql`
    SELECT step AS context, removed FROM contexts WHERE run_id = ${runId} AND removed <> '[]' ORDER BY step`,
  ).flatMap(({ context, removed }) => removed.map(({ id, reason }) => ({ context, id, reason })));
}

const supportSchema = z.strictObject({ id: z.string(), context: z.int(), reviews: z.int() });
/** Reviews that caused a line (its first entry) or renewed it; `context` is the first that counted them. */
export type LineSupport = z.infer<typeof supportSchema>;
const asSupport = reader('context line source', supportSchema, (row: unknown) => row);

function selectSupports(db: Database, runId: string): LineSupport[] {
  return readAll(
    db,
    asSupport,
    sql`
    SELECT line_id AS id, context, count(*) AS reviews
    FROM (SELECT line_id, review_id, min(since_step) AS context FROM context_line_sources WHERE run_id = ${runId} GROUP BY line_id, review_id)
    GROUP BY line_id, context ORDER BY line_id, context`,
  );
}

const difficultySchema = z.strictObject({
  step: z.int().nonnegative(),
  taskType: taskTypeSchema,
  tenth: z.int().min(0).max(10),
  tasks: z.int().positive(),
  meanRate: z.number().min(0).max(1),
});
/** How many tasks that a step added were solved about so often (`tenth` 3 is a solve rate from 0.25 up to 0.35), and the mean of their rates. */
export type StepDifficulty = z.infer<typeof difficultySchema>;
const asDifficulty = reader('solve rates of a step', difficultySchema, (row: unknown) => row);

function selectDifficulties(db: Database, runId: string): StepDifficulty[] {
  return readAll(
    db,
    asDifficulty,
    sql`
    SELECT step, task_type AS taskType, CAST(round(solve_rate * 10) AS INTEGER) AS tenth, count(*) AS tasks, avg(solve_rate) AS meanRate
    FROM tasks INDEXED BY tasks_by_step WHERE run_id = ${runId} AND solve_rate IS NOT NULL
    GROUP BY step, task_type, tenth ORDER BY step, task_type, tenth`,
  );
}

/** A run over its steps. */
export function timelineRepository(db: Database) {
  return {
    /** Outcomes of trained rollouts by step and role, fromStep … toStep. */
    stepOutcomes(runId: string, fromStep: number, toStep: number): StepOutcome[] {
      return selectOutcomes(db, runId, fromStep, toStep);
    },
    /** Tasks whose solve rate was measured, counted by step, type and tenth of the rate. */
    stepDifficulties(runId: string): StepDifficulty[] {
      return selectDifficulties(db, runId);
    },
    /** What became of the proposals of each step, by reason. */
    proposalOutcomes(runId: string): ProposalOutcome[] {
      return selectProposalOutcomes(db, runId);
    },
    /** The proposals that were paid most, at most so many, with how they were measured. */
    paidProposals(runId: string, most: number): PaidProposal[] {
      return selectPaidProposals(db, runId, most);
    },
    /** Tasks of one origin in their order, with their iterations. */
    labelledTasks(runId: string, origin: string): LabelledTask[] {
      return selectLabelledTasks(db, runId, origin);
    },
    /** Steps that had reviews, in order. */
    stepDecisions(runId: string): StepDecisions[] {
      return selectDecisions(db, runId);
    },
    /** Every line that left the context, with the reason, in order of leaving. */
    lineDepartures(runId: string): LineDeparture[] {
      return selectDepartures(db, runId);
    },
    /** When lines were caused and renewed, and by how many reviews. */
    lineSupports(runId: string): LineSupport[] {
      return selectSupports(db, runId);
    },
  };
}
