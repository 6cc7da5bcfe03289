import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  Failure,
  REWARDED_BATCHES,
  type JudgedOutcome,
  type RecordFilter,
  type Verdict,
} from '../../contract/index.ts';
import { allOf, oneOf, reader, readOne, sql, type Query } from '../sql.ts';
import { asksForReview } from './facets.ts';
import { ROLLOUT_COLUMNS } from './rollouts.ts';

/** The place of a row in a list. Keys grow with steps, so (step, key) is the order of writing. */
export type RolloutCursor = { step: number; key: number };

export function formatCursor({ step, key }: RolloutCursor): string {
  return `${step}.${key}`;
}

export function parseCursor(cursor: string): RolloutCursor {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (match === null)
    throw new Failure(
      'badCursor',
      `"${cursor}" is not a page cursor of records; use the one the previous page returned.`,
      2,
    );
  return { step: Number(match[1]), key: Number(match[2]) };
}

/** Where a list begins and ends, besides its filter: after one row, up to and including another. */
export type Span = { after?: RolloutCursor | null; until?: RolloutCursor };

/** As records hold it, and in which batches: of all, of those that a user rates, or of the others. */
const HELD: Readonly<
  Record<JudgedOutcome, { outcome: Verdict['outcome']; batches: 'all' | 'rated' | 'verified' }>
> = {
  passed: { outcome: 'passed', batches: 'verified' },
  failed: { outcome: 'failed', batches: 'verified' },
  invalid: { outcome: 'invalid', batches: 'all' },
  satisfied: { outcome: 'passed', batches: 'rated' },
  dissatisfied: { outcome: 'failed', batches: 'rated' },
};
/** Names of the batches whose answers a user rates, for IN. */
export const RATED_BATCHES = oneOf(REWARDED_BATCHES.map(({ name }) => name));

function outcomeConditions(judged: JudgedOutcome): Query[] {
  const { outcome, batches } = HELD[judged];
  const held = sql`r.outcome = ${outcome}`;
  if (batches === 'all') return [held];
  return [
    held,
    batches === 'rated' ? sql`r.batch IN ${RATED_BATCHES}` : sql`r.batch NOT IN ${RATED_BATCHES}`,
  ];
}

/** The conditions on the columns of index rollouts_by_place, under the alias r. */
export function facetConditions(filter: RecordFilter): Query[] {
  const conditions: Query[] = [];
  if (filter.batch !== undefined) conditions.push(sql`r.batch = ${filter.batch}`);
  if (filter.role !== undefined) conditions.push(sql`r.role = ${filter.role}`);
  if (filter.taskType !== undefined) conditions.push(sql`r.task_type = ${filter.taskType}`);
  if (filter.outcome !== undefined) conditions.push(...outcomeConditions(filter.outcome));
  if (filter.reviewed !== undefined) conditions.push(sql`r.reviewed = ${filter.reviewed ? 1 : 0}`);
  return conditions;
}

/** The conditions on one review, under the alias v; only answered reviews count. */
export function reviewConditions({ phase, decision, leak }: RecordFilter): Query[] {
  const conditions = [
    leak === true ? sql`v.status = 'quarantined'` : sql`v.status IN ('done', 'quarantined')`,
  ];
  if (phase !== undefined) conditions.push(sql`v.phase = ${phase}`);
  if (decision !== undefined) conditions.push(sql`v.decision = ${decision}`);
  return conditions;
}

/** Step range and page as one range of an index that begins (run_id, …, step, key). */
export function rangeConditions(
  step: Query,
  key: Query,
  filter: RecordFilter,
  { after, until }: Span = {},
): Query[] {
  const conditions: Query[] = [];
  if (filter.fromStep !== undefined) conditions.push(sql`${step} >= ${filter.fromStep}`);
  if (filter.toStep !== undefined) conditions.push(sql`${step} <= ${filter.toStep}`);
  if (after != null) conditions.push(sql`(${step}, ${key}) > (${after.step}, ${after.key})`);
  if (until !== undefined) conditions.push(sql`(${step}, ${key}) <= (${until.step}, ${until.key})`);
  return conditions;
}

/** Where matching rows come from: the columns `step` and `key`, tables, conditions, and the grouping that leaves out doubles. */
type Source = { step: Query; key: Query; from: Query; where: Query[]; group: Query };

/** A filter on an issue is driven by the index of issues, in which a record reviewed in several phases stands once per phase. */
function cursorSource(runId: string, filter: RecordFilter, span: Span): Source {
  const facets = facetConditions(filter);
  if (filter.issue !== undefined) {
    const [step, key] = [sql`i.step`, sql`i.rollout_key`];
    const review = asksForReview(filter) ? sql`CROSS JOIN reviews v ON v.key = i.review_key` : sql``;
    return {
      step,
      key,
      from: sql`review_issues i INDEXED BY review_issues_by_place ${review} ${rolloutJoin(key, facets)}`,
      where: [
        sql`i.run_id = ${runId} AND i.issue = ${filter.issue} AND i.rollout_key IS NOT NULL`,
        ...rangeConditions(step, key, filter, span),
        ...(asksForReview(filter) ? reviewConditions(filter) : []),
        ...facets,
      ],
      group: sql`GROUP BY i.step, i.rollout_key`,
    };
  }
  const [step, key] = [sql`r.step`, sql`r.key`];
  const where = [sql`r.run_id = ${runId}`, ...rangeConditions(step, key, filter, span), ...facets];
  if (asksForReview(filter))
    where.push(
      sql`r.reviewed = 1`,
      sql`EXISTS (SELECT 1 FROM reviews v WHERE v.rollout_key = r.key AND ${allOf(reviewConditions(filter))})`,
    );
  return { step, key, from: sql`rollouts r INDEXED BY rollouts_by_place`, where, group: sql`` };
}

/** The records themselves matter only where a facet has to be looked up. */
const rolloutJoin = (key: Query, facets: readonly Query[]): Query =>
  facets.length === 0 ? sql`` : sql`CROSS JOIN rollouts r ON r.key = ${key}`;

/** Keys of matching rows in order of writing, or against it. */
export function cursorsQuery(
  runId: string,
  filter: RecordFilter,
  {
    limit,
    skip = 0,
    backwards = false,
    ...span
  }: Span & { limit: number; skip?: number; backwards?: boolean },
): Query {
  const { step, key, from, where, group } = cursorSource(runId, filter, span);
  const order = backwards ? sql`${step} DESC, ${key} DESC` : sql`${step}, ${key}`;
  return sql`SELECT ${step} AS step, ${key} AS key FROM ${from} WHERE ${allOf(where)} ${group} ORDER BY ${order} LIMIT ${limit} OFFSET ${skip}`;
}

/** How many records match. */
export function countQuery(runId: string, filter: RecordFilter, span: Span = {}): Query {
  const { key, from, where, group } = cursorSource(runId, filter, span);
  const counted = group.text === '' ? sql`count(*)` : sql`count(DISTINCT ${key})`;
  return sql`SELECT ${counted} AS count FROM ${from} WHERE ${allOf(where)}`;
}

const asCount = reader('count', z.int(), (row: { count: number }) => row.count);

export function countRollouts(db: Database, runId: string, filter: RecordFilter, span: Span = {}): number {
  return readOne(db, asCount, countQuery(runId, filter, span)) ?? 0;
}

/** Which records of a run; the contract tells what each part means. */
export type RolloutFilter = RecordFilter;

/** One page in order of writing. The filter is decided on covering indexes, and only rows of the page are read in full. */
export function rolloutPageQuery(
  runId: string,
  filter: RolloutFilter,
  after: RolloutCursor | null,
  limit: number,
): Query {
  return sql`
    SELECT ${ROLLOUT_COLUMNS} FROM (${cursorsQuery(runId, filter, { after, limit })}) p
    CROSS JOIN rollouts r ON r.key = p.key CROSS JOIN rollout_texts t ON t.key = p.key
    ORDER BY p.step, p.key`;
}
