import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  auditHeadSchema,
  auditItemSchema,
  judgeLabelSchema,
  personLabelSchema,
  reviewRecordSchema,
  type AuditHead,
  type AuditItem,
  type AuditJudge,
  type AuditLabels,
  type AuditResults,
  type JudgeLabel,
  type PersonLabel,
  type ReviewRecord,
} from '../../contract/index.ts';
import { execute, readAll, reader, readOne, sql } from '../sql.ts';

export type Rater = 'person' | 'judge';

/** The part of a review an audit draws from; texts are read when an item is shown. */
export type AuditableReview = Pick<
  ReviewRecord,
  'id' | 'rolloutId' | 'step' | 'batch' | 'phase' | 'status' | 'decision' | 'leaks' | 'reviewer' | 'model'
>;

const candidateSchema = reviewRecordSchema.pick({
  id: true,
  rolloutId: true,
  step: true,
  batch: true,
  phase: true,
  status: true,
  decision: true,
  leaks: true,
  reviewer: true,
  model: true,
});
const asCandidate = reader('review', candidateSchema, (row: { leaks: string }) => ({
  ...row,
  leaks: JSON.parse(row.leaks),
}));

/** Answered reviews of a range of steps, both ends included. */
export function selectAuditable(
  db: Database,
  runId: string,
  fromStep: number,
  toStep: number,
): AuditableReview[] {
  return readAll(
    db,
    asCandidate,
    sql`
    SELECT v.id, r.id AS rolloutId, v.step, v.batch, v.phase, v.status, v.decision, v.leaks, v.reviewer, v.model
    FROM reviews v INDEXED BY reviews_by_step LEFT JOIN rollouts r ON r.key = v.rollout_key
    WHERE v.run_id = ${runId} AND v.step BETWEEN ${fromStep} AND ${toStep} AND v.status IN ('done', 'quarantined') ORDER BY v.step, v.key`,
  );
}

type HeadRow = { plan: string; judge: string | null; results: string | null };
const asHead = reader('audit', auditHeadSchema, (row: HeadRow) => ({
  ...row,
  plan: JSON.parse(row.plan),
  judge: row.judge === null ? null : JSON.parse(row.judge),
  results: row.results === null ? null : JSON.parse(row.results),
}));
const HEAD = sql`id, created_at AS createdAt, run_name AS runName, plan, wanted, sample_sha256 AS sampleSha256, judge, results, finished_at AS finishedAt`;

export function selectAuditHeads(db: Database, runId: string | null): AuditHead[] {
  return runId === null
    ? readAll(db, asHead, sql`SELECT ${HEAD} FROM audits ORDER BY created_at DESC, id DESC`)
    : readAll(
        db,
        asHead,
        sql`SELECT ${HEAD} FROM audits WHERE run_id = ${runId} ORDER BY created_at DESC, id DESC`,
      );
}

export function selectAuditHead(db: Database, id: string): AuditHead | null {
  return readOne(db, asHead, sql`SELECT ${HEAD} FROM audits WHERE id = ${id}`);
}

export function insertAudit(db: Database, head: AuditHead, items: readonly AuditItem[]): void {
  execute(
    db,
    sql`
    INSERT INTO audits (id, created_at, run_id, run_name, plan, wanted, sample_sha256, judge, results, finished_at)
    VALUES (${head.id}, ${head.createdAt}, ${head.plan.runId}, ${head.runName}, ${JSON.stringify(head.plan)}, ${head.wanted}, ${head.sampleSha256}, NULL, NULL, NULL)`,
  );
  for (const item of items) {
    execute(
      db,
      sql`
      INSERT INTO audit_items (audit_id, ordinal, review_id, rollout_id, step, batch, phase, decision, status, leaks, reviewer, model)
      VALUES (${head.id}, ${item.ordinal}, ${item.reviewId}, ${item.rolloutId}, ${item.step}, ${item.batch}, ${item.phase}, ${item.decision}, ${item.status},
        ${item.leaks}, ${item.reviewer}, ${item.model})`,
    );
  }
}

const asItem = reader('audit item', auditItemSchema, (row: unknown) => row);
const ITEM = sql`ordinal, review_id AS reviewId, rollout_id AS rolloutId, step, batch, phase, decision, status, leaks, reviewer, model`;

export function selectAuditItems(db: Database, id: string): AuditItem[] {
  return readAll(db, asItem, sql`SELECT ${ITEM} FROM audit_items WHERE audit_id = ${id} ORDER BY ordinal`);
}

const labelRowSchema = z.discriminatedUnion('rater', [
  z.strictObject({ ordinal: z.int(), rater: z.literal('person'), label: personLabelSchema }),
  z.strictObject({ ordinal: z.int(), rater: z.literal('judge'), label: judgeLabelSchema }),
]);
const asLabel = reader('audit label', labelRowSchema, (row: { label: string }) => ({
  ...row,
  label: JSON.parse(row.label),
}));

/** Items with at least one label, in order. */
export function selectAuditLabels(db: Database, id: string): AuditLabels[] {
  const labels = new Map<number, AuditLabels>();
  for (const row of readAll(
    db,
    asLabel,
    sql`SELECT ordinal, rater, label FROM audit_labels WHERE audit_id = ${id} ORDER BY ordinal, rater`,
  )) {
    const known = labels.get(row.ordinal) ?? { ordinal: row.ordinal, person: null, judge: null };
    labels.set(
      row.ordinal,
      row.rater === 'person' ? { ...known, person: row.label } : { ...known, judge: row.label },
    );
  }
  return [...labels.values()];
}

export function upsertAuditLabel(
  db: Database,
  id: string,
  ordinal: number,
  rater: Rater,
  label: PersonLabel | JudgeLabel,
): void {
  execute(
    db,
    sql`
    INSERT INTO audit_labels (audit_id, ordinal, rater, label) VALUES (${id}, ${ordinal}, ${rater}, ${JSON.stringify(label)})
    ON CONFLICT (audit_id, ordinal, rater) DO UPDATE SET label = excluded.label`,
  );
}

export function removeAuditLabel(db: Database, id: string, ordinal: number, rater: Rater): void {
  execute(
    db,
    sql`DELETE FROM audit_labels WHERE audit_id = ${id} AND ordinal = ${ordinal} AND rater = ${rater}`,
  );
}

export function updateAuditJudge(db: Database, id: string, judge: AuditJudge): void {
  execute(db, sql`UPDATE audits SET judge = ${JSON.stringify(judge)} WHERE id = ${id}`);
}

export function removeJudgeLabels(db: Database, id: string): void {
  execute(db, sql`DELETE FROM audit_labels WHERE audit_id = ${id} AND rater = 'judge'`);
}

export function updateAuditResults(
  db: Database,
  id: string,
  results: AuditResults | null,
  finishedAt: string | null,
): void {
  execute(
    db,
    sql`UPDATE audits SET results = ${results === null ? null : JSON.stringify(results)}, finished_at = ${finishedAt} WHERE id = ${id}`,
  );
}

export function removeAuditRow(db: Database, id: string): void {
  execute(db, sql`DELETE FROM audits WHERE id = ${id}`);
}
