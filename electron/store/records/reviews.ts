import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { phaseSchema, reviewRecordSchema, reviewStatusSchema } from '../../contract/index.ts';
import type { ReviewRecord } from '../../contract/index.ts';
import { execute, readAll, reader, readOne, sql } from '../sql.ts';

type ReviewRow = {
  id: string;
  step: number;
  batch: string;
  phase: string;
  rollout_id: string | null;
  status: string;
  gate_probability: number;
  decision: string | null;
  issues: string;
  feedback: string;
  quote: string | null;
  reviewer: string;
  model: string | null;
  prompt: string;
  leaks: string;
  tokens_in: number;
  tokens_out: number;
  milliseconds: number;
  created_at: string;
};

const asReview = reader('review', reviewRecordSchema, (row: ReviewRow) => ({
  id: row.id,
  step: row.step,
  batch: row.batch,
  phase: row.phase,
  rolloutId: row.rollout_id,
  status: row.status,
  gateProbability: row.gate_probability,
  decision: row.decision,
  issues: JSON.parse(row.issues),
  feedback: row.feedback,
  // Without one the record is what it was before there were quotations, and so is its digest.
  ...(row.quote === null ? {} : { quote: row.quote }),
  reviewer: row.reviewer,
  model: row.model,
  prompt: row.prompt,
  leaks: JSON.parse(row.leaks),
  tokensIn: row.tokens_in,
  tokensOut: row.tokens_out,
  milliseconds: row.milliseconds,
  createdAt: row.created_at,
}));

const COLUMNS = sql`
  v.id, v.step, v.batch, v.phase, r.id AS rollout_id, v.status, v.gate_probability, v.decision, v.issues, t.feedback, t.quote, v.reviewer,
  v.model, t.prompt, v.leaks, v.tokens_in, v.tokens_out, v.milliseconds, v.created_at`;
const TABLES = sql`reviews v JOIN review_texts t ON t.key = v.key LEFT JOIN rollouts r ON r.key = v.rollout_key`;

/** A reviewer gave an answer, whether or not the leak guard let it through. */
export function isAnswered(review: ReviewRecord): boolean {
  return review.status === 'done' || review.status === 'quarantined';
}

export function insertReview(
  db: Database,
  runId: string,
  review: ReviewRecord,
  rolloutKey: number | null,
): void {
  const { lastInsertRowid } = execute(
    db,
    sql`
    INSERT INTO reviews (run_id, id, step, batch, phase, rollout_key, status, gate_probability, decision, issues, reviewer, model,
      leaks, tokens_in, tokens_out, milliseconds, created_at)
    VALUES (${runId}, ${review.id}, ${review.step}, ${review.batch}, ${review.phase}, ${rolloutKey}, ${review.status},
      ${review.gateProbability}, ${review.decision}, ${JSON.stringify(review.issues)}, ${review.reviewer}, ${review.model},
      ${JSON.stringify(review.leaks)}, ${review.tokensIn}, ${review.tokensOut}, ${review.milliseconds}, ${review.createdAt})`,
  );
  execute(
    db,
    sql`
    INSERT INTO review_texts (key, feedback, prompt, quote)
    VALUES (${lastInsertRowid}, ${review.feedback}, ${review.prompt}, ${review.quote ?? null})`,
  );
  if (!isAnswered(review)) return;
  for (const issue of new Set(review.issues)) {
    execute(
      db,
      sql`
      INSERT INTO review_issues (review_key, issue, run_id, step, phase, status, rollout_key)
      VALUES (${lastInsertRowid}, ${issue}, ${runId}, ${review.step}, ${review.phase}, ${review.status}, ${rolloutKey})`,
    );
  }
}

export function selectReview(db: Database, runId: string, id: string): ReviewRecord | null {
  return readOne(
    db,
    asReview,
    sql`SELECT ${COLUMNS} FROM ${TABLES} WHERE v.run_id = ${runId} AND v.id = ${id}`,
  );
}

export function selectReviewsOfStep(db: Database, runId: string, step: number): ReviewRecord[] {
  return readAll(
    db,
    asReview,
    sql`SELECT ${COLUMNS} FROM ${TABLES} WHERE v.run_id = ${runId} AND v.step = ${step} ORDER BY v.key`,
  );
}

export function selectReviewsOfRollout(db: Database, rolloutKey: number): ReviewRecord[] {
  return readAll(
    db,
    asReview,
    sql`SELECT ${COLUMNS} FROM ${TABLES} WHERE v.rollout_key = ${rolloutKey} ORDER BY v.key`,
  );
}

const issueCountSchema = z.strictObject({ issue: z.string(), phase: phaseSchema, count: z.int() });
export type IssueCount = z.infer<typeof issueCountSchema>;
const asIssueCount = reader('issue count', issueCountSchema, (row: unknown) => row);

/** How often each issue was raised in each phase by reviews that stand (quarantined ones do not), most frequent first. */
export function selectIssueCounts(db: Database, runId: string): IssueCount[] {
  return readAll(
    db,
    asIssueCount,
    sql`
    SELECT issue, phase, count(*) AS count FROM review_issues INDEXED BY review_issues_by_place
    WHERE run_id = ${runId} AND status = 'done' GROUP BY issue, phase ORDER BY count DESC, issue, phase`,
  );
}

const reviewedWorkSchema = z.strictObject({
  phase: phaseSchema,
  issues: z.array(z.string()),
  promptEnd: z.string(),
  isRated: z.boolean(),
  failed: z.boolean().nullable(),
});
/** A review that stands: its issues, the end of its prompt, and whether the verifier failed the work it speaks of (null: it judged none). */
export type ReviewedWorkRow = z.infer<typeof reviewedWorkSchema>;
const asReviewedWork = reader(
  'reviewed work',
  reviewedWorkSchema,
  (row: { phase: string; issues: string; promptEnd: string; isRated: number; outcome: string | null }) => ({
    phase: row.phase,
    issues: JSON.parse(row.issues),
    promptEnd: row.promptEnd,
    isRated: row.isRated === 1,
    failed: row.outcome === null ? null : row.outcome !== 'passed',
  }),
);

/** Characters from the end of a prompt in which its facts stand. */
const PROMPT_END = 4000;

/**
 * What a rated answer passed is the rating of a misspecified user and no verifier's word. A record without a decision is no finding: nobody
 * was asked for it.
 */
export function selectReviewedWork(db: Database, runId: string): ReviewedWorkRow[] {
  return readAll(
    db,
    asReviewedWork,
    sql`
    SELECT v.phase, v.issues, substr(t.prompt, ${-PROMPT_END}) AS promptEnd,
      r.role IS 'assistant' AS isRated, CASE WHEN r.role = 'assistant' THEN NULL ELSE r.outcome END AS outcome
    FROM reviews v JOIN review_texts t ON t.key = v.key LEFT JOIN rollouts r ON r.key = v.rollout_key
    WHERE v.run_id = ${runId} AND v.status = 'done' AND v.decision IS NOT NULL ORDER BY v.key`,
  );
}

const costSchema = z.strictObject({
  phase: phaseSchema,
  status: reviewStatusSchema,
  byPerson: z.boolean(),
  reviews: z.int(),
  retries: z.int(),
  tokensIn: z.int(),
  tokensOut: z.int(),
  milliseconds: z.number(),
});
/**
 * What reviews of one phase and status cost, those of a person apart; `retries` counts decisions, `milliseconds` adds up wall-clock per
 * review. Where nobody was asked there is nothing that cost.
 */
export type SupervisionCost = z.infer<typeof costSchema>;
const asCost = reader('supervision cost', costSchema, ({ byPerson, ...row }: { byPerson: number }) => ({
  ...row,
  byPerson: byPerson === 1,
}));

export function selectSupervisionCost(db: Database, runId: string): SupervisionCost[] {
  return readAll(
    db,
    asCost,
    sql`
    SELECT phase, status, reviewer = 'human' AS byPerson, count(*) AS reviews, count(*) FILTER (WHERE decision = 'retry') AS retries,
      sum(tokens_in) AS tokensIn, sum(tokens_out) AS tokensOut, sum(milliseconds) AS milliseconds
    FROM reviews WHERE run_id = ${runId} AND (status <> 'done' OR decision IS NOT NULL)
    GROUP BY phase, status, byPerson ORDER BY phase, status, byPerson`,
  );
}
