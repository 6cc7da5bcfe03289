import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { batchNameSchema, roleSchema, taskTypeSchema, verdictSchema } from '../../contract/index.ts';
import { readAll, readOne, reader } from '../sql.ts';
import { facetCubeQuery, issueFacetCubeQuery, issueFacetQuery, rolloutCountQuery } from './rollout-page.ts';
import type { RolloutFilter } from './rollout-page.ts';

const cellSchema = z.strictObject({
  batch: batchNameSchema, role: roleSchema, taskType: taskTypeSchema, outcome: verdictSchema.shape.outcome,
  reviewed: z.boolean(), count: z.int(),
});
type FacetCell = z.infer<typeof cellSchema>;
const asCell = reader('facet', cellSchema, (row: { reviewed: number }) => ({ ...row, reviewed: row.reviewed === 1 }));

const issueFacetSchema = z.strictObject({ value: z.string(), count: z.int() });
const asIssueFacet = reader('facet', issueFacetSchema, (row: unknown) => row);
const asCount = reader('count', z.int(), (row: { count: number }) => row.count);

export type FacetCount<T> = { value: T; count: number };

/** `total` counts what the whole filter matches; each facet counts under the filter without its own condition, as lists of choices do. */
export type RolloutFacets = {
  total: number;
  batch: FacetCount<FacetCell['batch']>[]; role: FacetCount<FacetCell['role']>[]; taskType: FacetCount<FacetCell['taskType']>[];
  outcome: FacetCount<FacetCell['outcome']>[]; reviewed: FacetCount<boolean>[]; issue: FacetCount<string>[];
};

const DIMENSIONS = ['batch', 'role', 'taskType', 'outcome', 'reviewed'] as const;
type Dimension = (typeof DIMENSIONS)[number];

function countBy<D extends Dimension>(cells: readonly FacetCell[], filter: RolloutFilter, by: D): FacetCount<FacetCell[D]>[] {
  const counts = new Map<FacetCell[D], number>();
  for (const cell of cells) {
    const matches = DIMENSIONS.every((other) => other === by || filter[other] === undefined || filter[other] === cell[other]);
    if (matches) counts.set(cell[by], (counts.get(cell[by]) ?? 0) + cell.count);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((left, right) => right.count - left.count || (String(left.value) < String(right.value) ? -1 : 1));
}

export function countRollouts(db: Database, runId: string, filter: RolloutFilter): number {
  return readOne(db, asCount, rolloutCountQuery(runId, filter)) ?? 0;
}

export function rolloutFacets(db: Database, runId: string, filter: RolloutFilter): RolloutFacets {
  const cells = readAll(db, asCell, filter.issue === undefined
    ? facetCubeQuery(runId, filter) : issueFacetCubeQuery(runId, filter.issue, filter));
  const matching = cells.filter((cell) => DIMENSIONS.every((each) => filter[each] === undefined || filter[each] === cell[each]));
  return {
    total: matching.reduce((sum, cell) => sum + cell.count, 0),
    batch: countBy(cells, filter, 'batch'), role: countBy(cells, filter, 'role'), taskType: countBy(cells, filter, 'taskType'),
    outcome: countBy(cells, filter, 'outcome'), reviewed: countBy(cells, filter, 'reviewed'),
    issue: readAll(db, asIssueFacet, issueFacetQuery(runId, filter)),
  };
}
