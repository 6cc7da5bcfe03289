import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  phaseSchema,
  reviewRecordSchema,
  shortNameSchema,
  taskTypeSchema,
  verdictSchema,
} from '../../contract/index.ts';
import { readAll, reader, sql } from '../sql.ts';
import type { Query } from '../sql.ts';
import { reviewBit } from './cube.ts';
import type { CubeCell, CubeStep } from './cube.ts';

const facets = {
  batch: shortNameSchema,
  role: shortNameSchema,
  taskType: taskTypeSchema,
  outcome: verdictSchema.shape.outcome,
};
const unreviewedSchema = z.strictObject({ step: z.int(), ...facets, count: z.int() });
const asUnreviewed = reader('facet', unreviewedSchema, (row: unknown) => row);
const reviewedSchema = z.strictObject({
  step: z.int(),
  key: z.int(),
  ...facets,
  phase: phaseSchema,
  decision: reviewRecordSchema.shape.decision,
  quarantined: z.boolean(),
  issues: z.array(z.string()),
});
const NO_ISSUES: string[] = [];
const asReviewed = reader('facet', reviewedSchema, (row: { quarantined: number; issues: string }) => ({
  ...row,
  quarantined: row.quarantined === 1,
  issues: row.issues === '[]' ? NO_ISSUES : (JSON.parse(row.issues) as unknown),
}));

/** Records without an answered review, counted by step and facet. */
export function unreviewedQuery(runId: string, after: number, until: number): Query {
  return sql`
    SELECT r.step, r.batch, r.role, r.task_type AS taskType, r.outcome, count(*) AS count FROM rollouts r INDEXED BY rollouts_by_place
    WHERE r.run_id = ${runId} AND r.step > ${after} AND r.step <= ${until} AND r.reviewed = 0
    GROUP BY r.step, r.batch, r.role, r.task_type, r.outcome`;
}

/** Answered reviews of single records, in order of steps. */
export function answeredQuery(runId: string, after: number, until: number): Query {
  return sql`
    SELECT v.step, r.key, r.batch, r.role, r.task_type AS taskType, r.outcome, v.phase, v.decision, v.status = 'quarantined' AS quarantined, v.issues
    FROM reviews v INDEXED BY reviews_by_step CROSS JOIN rollouts r ON r.key = v.rollout_key
    WHERE v.run_id = ${runId} AND v.step > ${after} AND v.step <= ${until} AND v.status IN ('done', 'quarantined')`;
}

type Reviewed = { cell: CubeCell; issues: Map<string, number> };

/** Adds a cell to those alike. */
function add(
  cells: Map<string, CubeCell>,
  { batch, role, taskType, outcome, reviewed }: CubeCell,
  mask: number,
): void {
  const name = `${batch} ${role} ${taskType} ${outcome} ${mask}`;
  const same = cells.get(name);
  if (same === undefined) cells.set(name, { batch, role, taskType, outcome, reviewed, mask, count: 1 });
  else same.count += 1;
}

/** The steps after one, up to and including another. Steps without a record are left out. */
export function readCubeSteps(db: Database, runId: string, after: number, until: number): CubeStep[] {
  const steps = new Map<number, { unreviewed: CubeCell[]; records: Map<number, Reviewed> }>();
  const at = (step: number) => {
    let found = steps.get(step);
    if (found === undefined) steps.set(step, (found = { unreviewed: [], records: new Map() }));
    return found;
  };
  for (const { step, ...cell } of readAll(db, asUnreviewed, unreviewedQuery(runId, after, until)))
    at(step).unreviewed.push({ ...cell, reviewed: false, mask: 0 });
  for (const { step, key, phase, decision, quarantined, issues, ...facet } of readAll(
    db,
    asReviewed,
    answeredQuery(runId, after, until),
  )) {
    const { records } = at(step);
    const bit = reviewBit(phase, quarantined, decision === 'retry');
    let record = records.get(key);
    if (record === undefined)
      records.set(
        key,
        (record = { cell: { ...facet, reviewed: true, mask: 0, count: 1 }, issues: new Map() }),
      );
    record.cell.mask |= bit;
    for (const issue of issues) record.issues.set(issue, (record.issues.get(issue) ?? 0) | bit);
  }
  return [...steps]
    .sort(([left], [right]) => left - right)
    .map(([step, { unreviewed, records }]) => withReviewed(step, unreviewed, [...records.values()]));
}

function withReviewed(step: number, unreviewed: CubeCell[], records: readonly Reviewed[]): CubeStep {
  const cells = new Map<string, CubeCell>();
  const byIssue = new Map<string, Map<string, CubeCell>>();
  for (const { cell, issues } of records) {
    add(cells, cell, cell.mask);
    for (const [issue, mask] of issues) {
      const ofIssue = byIssue.get(issue) ?? new Map<string, CubeCell>();
      byIssue.set(issue, ofIssue);
      add(ofIssue, cell, mask);
    }
  }
  return {
    step,
    cells: [...unreviewed, ...cells.values()],
    byIssue: new Map([...byIssue].map(([issue, found]) => [issue, [...found.values()]])),
  };
}
