import { Failure } from '../../contract/index.ts';
import type { BatchName, Role, TaskType, Verdict } from '../../contract/index.ts';
import { ROLLOUT_COLUMNS } from '../queries/rollouts.ts';
import { allOf, sql } from '../sql.ts';
import type { Query } from '../sql.ts';

/** Which rollouts of a run; every given part must hold. Steps are inclusive. `issue` asks for an answered review that raised it. */
export type RolloutFilter = {
  fromStep?: number; toStep?: number; batch?: BatchName; role?: Role; taskType?: TaskType; outcome?: Verdict['outcome'];
  reviewed?: boolean; issue?: string;
};

/** The place of the last row of a page. Keys grow with steps, so (step, key) is the order of writing. */
export type RolloutPlace = { step: number; key: number };

export function placeToCursor(place: RolloutPlace): string {
  return `${place.step}.${place.key}`;
}

export function cursorToPlace(cursor: string): RolloutPlace {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor);
  if (match === null) throw new Failure('badCursor', `"${cursor}" is not a page cursor of records; use the one the previous page returned.`, 2);
  return { step: Number(match[1]), key: Number(match[2]) };
}

/** The conditions on the columns of index rollouts_by_place, under the alias r. */
export function facetConditions(filter: RolloutFilter): Query[] {
  const conditions: Query[] = [];
  if (filter.batch !== undefined) conditions.push(sql`r.batch = ${filter.batch}`);
  if (filter.role !== undefined) conditions.push(sql`r.role = ${filter.role}`);
  if (filter.taskType !== undefined) conditions.push(sql`r.task_type = ${filter.taskType}`);
  if (filter.outcome !== undefined) conditions.push(sql`r.outcome = ${filter.outcome}`);
  if (filter.reviewed !== undefined) conditions.push(sql`r.reviewed = ${filter.reviewed ? 1 : 0}`);
  return conditions;
}

/** Step range and page start as one range of an index that begins (run_id, …, step, key). */
function range(step: Query, key: Query, filter: RolloutFilter, after: RolloutPlace | null): Query[] {
  const conditions: Query[] = [];
  if (filter.fromStep !== undefined) conditions.push(sql`${step} >= ${filter.fromStep}`);
  if (filter.toStep !== undefined) conditions.push(sql`${step} <= ${filter.toStep}`);
  if (after !== null) conditions.push(sql`(${step}, ${key}) > (${after.step}, ${after.key})`);
  return conditions;
}

/**
 * One page in order of writing. The filter is decided on a covering index, and only rows of the page are read in full;
 * with `issue` the page is driven by the index of issues, where a rollout reviewed in several phases stands once.
 */
export function rolloutPageQuery(runId: string, filter: RolloutFilter, after: RolloutPlace | null, limit: number): Query {
  const facets = facetConditions(filter);
  const page = filter.issue === undefined
    ? sql`
      SELECT r.step, r.key FROM rollouts r INDEXED BY rollouts_by_place
      WHERE r.run_id = ${runId} AND ${allOf([...range(sql`r.step`, sql`r.key`, filter, after), ...facets])}
      ORDER BY r.step, r.key LIMIT ${limit}`
    : sql`
      SELECT i.step, i.rollout_key AS key FROM review_issues i INDEXED BY review_issues_by_place
      CROSS JOIN rollouts r ON r.key = i.rollout_key
      WHERE i.run_id = ${runId} AND i.issue = ${filter.issue}
        AND ${allOf([...range(sql`i.step`, sql`i.rollout_key`, filter, after), ...facets])}
      GROUP BY i.step, i.rollout_key ORDER BY i.step, i.rollout_key LIMIT ${limit}`;
  return sql`
    SELECT ${ROLLOUT_COLUMNS} FROM (${page}) p CROSS JOIN rollouts r ON r.key = p.key CROSS JOIN rollout_texts t ON t.key = p.key
    ORDER BY p.step, p.key`;
}

/** How many rollouts match, for the footer of a list. */
export function rolloutCountQuery(runId: string, filter: RolloutFilter): Query {
  const facets = facetConditions(filter);
  return filter.issue === undefined
    ? sql`
      SELECT count(*) AS count FROM rollouts r INDEXED BY rollouts_by_place
      WHERE r.run_id = ${runId} AND ${allOf([...range(sql`r.step`, sql`r.key`, filter, null), ...facets])}`
    : sql`
      SELECT count(DISTINCT i.rollout_key) AS count FROM review_issues i INDEXED BY review_issues_by_place
      CROSS JOIN rollouts r ON r.key = i.rollout_key
      WHERE i.run_id = ${runId} AND i.issue = ${filter.issue} AND ${allOf([...range(sql`i.step`, sql`i.rollout_key`, filter, null), ...facets])}`;
}

/** One row per combination of facet values in the step range: a few dozen rows from which all facet counts follow. */
export function facetCubeQuery(runId: string, filter: RolloutFilter): Query {
  return sql`
    SELECT r.batch, r.role, r.task_type AS taskType, r.outcome, r.reviewed, count(*) AS count
    FROM rollouts r INDEXED BY rollouts_by_facet
    WHERE r.run_id = ${runId} AND ${allOf(range(sql`r.step`, sql`r.key`, filter, null))}
    GROUP BY r.batch, r.role, r.task_type, r.outcome, r.reviewed`;
}

/** The same cube for rollouts with one issue. */
export function issueFacetCubeQuery(runId: string, issue: string, filter: RolloutFilter): Query {
  return sql`
    SELECT r.batch, r.role, r.task_type AS taskType, r.outcome, r.reviewed, count(DISTINCT i.rollout_key) AS count
    FROM review_issues i INDEXED BY review_issues_by_place CROSS JOIN rollouts r ON r.key = i.rollout_key
    WHERE i.run_id = ${runId} AND i.issue = ${issue} AND ${allOf(range(sql`i.step`, sql`i.rollout_key`, filter, null))}
    GROUP BY r.batch, r.role, r.task_type, r.outcome, r.reviewed`;
}

/** Rollouts per issue under all other conditions of the filter. */
export function issueFacetQuery(runId: string, filter: RolloutFilter): Query {
  const facets = facetConditions(filter);
  const conditions = [...range(sql`i.step`, sql`i.rollout_key`, filter, null), ...facets];
  // The rollouts themselves matter only where a facet has to be looked up.
  const rollouts = facets.length === 0 ? sql`` : sql`CROSS JOIN rollouts r ON r.key = i.rollout_key`;
  return sql`
    SELECT i.issue AS value, count(DISTINCT i.rollout_key) AS count
    FROM review_issues i INDEXED BY review_issues_by_place ${rollouts}
    WHERE i.run_id = ${runId} AND i.rollout_key IS NOT NULL AND ${allOf(conditions)} GROUP BY i.issue ORDER BY count DESC, i.issue`;
}
