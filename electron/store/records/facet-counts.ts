import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import {
  judgedOutcome,
  phaseSchema,
  reviewRecordSchema,
  shortNameSchema,
  taskTypeSchema,
  verdictSchema,
} from '../../contract/index.ts';
import type { RecordFilter } from '../../contract/index.ts';
import { readAll, reader, readOne, sql, type Query } from '../sql.ts';
import { countsByStep, facetsOf, mergeSteps, reviewBit } from './facets.ts';
import type { FacetCell, FacetStep, RolloutFacets } from './facets.ts';

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

type Reviewed = { cell: FacetCell; issues: Map<string, number> };

/** Adds a cell to those alike. */
function add(
  cells: Map<string, FacetCell>,
  { batch, role, taskType, outcome, reviewed }: FacetCell,
  mask: number,
): void {
  const name = `${batch} ${role} ${taskType} ${outcome} ${mask}`;
  const same = cells.get(name);
  if (same === undefined) cells.set(name, { batch, role, taskType, outcome, reviewed, mask, count: 1 });
  else same.count += 1;
}

/** The steps after one, up to and including another. Steps without a record are left out. */
function readFacetSteps(db: Database, runId: string, after: number, until: number): FacetStep[] {
  const steps = new Map<number, { unreviewed: FacetCell[]; records: Map<number, Reviewed> }>();
  const at = (step: number) => {
    let found = steps.get(step);
    if (found === undefined) steps.set(step, (found = { unreviewed: [], records: new Map() }));
    return found;
  };
  for (const { step, ...cell } of readAll(db, asUnreviewed, unreviewedQuery(runId, after, until)))
    at(step).unreviewed.push({
      ...cell,
      outcome: judgedOutcome(cell.outcome, cell.batch),
      reviewed: false,
      mask: 0,
    });
  for (const { step, key, phase, decision, quarantined, issues, ...facet } of readAll(
    db,
    asReviewed,
    answeredQuery(runId, after, until),
  )) {
    const { records } = at(step);
    const bit = reviewBit(phase, quarantined, decision);
    let record = records.get(key);
    if (record === undefined)
      records.set(
        key,
        (record = {
          cell: {
            ...facet,
            outcome: judgedOutcome(facet.outcome, facet.batch),
            reviewed: true,
            mask: 0,
            count: 1,
          },
          issues: new Map(),
        }),
      );
    record.cell.mask |= bit;
    for (const issue of issues) record.issues.set(issue, (record.issues.get(issue) ?? 0) | bit);
  }
  return [...steps]
    .sort(([left], [right]) => left - right)
    .map(([step, { unreviewed, records }]) => withReviewed(step, unreviewed, [...records.values()]));
}

function withReviewed(step: number, unreviewed: FacetCell[], records: readonly Reviewed[]): FacetStep {
  const cells = new Map<string, FacetCell>();
  const byIssue = new Map<string, Map<string, FacetCell>>();
  for (const { cell, issues } of records) {
    add(cells, cell, cell.mask);
    for (const [issue, mask] of issues) {
      const ofIssue = byIssue.get(issue) ?? new Map<string, FacetCell>();
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

/** Runs whose counts are kept; a run of 100,000 records takes a few megabytes. */
const KEPT_RUNS = 4;
/** Steps read at once while a run is counted, so that other verbs get their turn in between: about 20 ms at 200 records a step. */
export const STEPS_AT_ONCE = 25;

type RunFacets = {
  createdAt: string;
  until: number;
  steps: FacetStep[];
  /** The last asked for, named by filter and last step: pages of one list and clicks on facets ask again and again. */
  counts: { name: string; byStep: [number, number][] } | null;
  merged: { name: string; all: FacetStep } | null;
};

const asRun = reader(
  'run',
  z.strictObject({ createdAt: z.string(), committed: z.int() }),
  (row: unknown) => row,
);

/**
 * Counts of a run's records by step and facet, kept in memory. A stored step never changes, so it is read once, and whatever is
 * asked of 100,000 records afterwards (facets, totals, where the n-th row lies) is a walk over a few ten thousand numbers.
 */
export class RecordFacets {
  readonly #db: Database;
  readonly #runs = new Map<string, RunFacets>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Reads at most `most` further steps of the run; true when all that are stored have been read. */
  extend(runId: string, most = Infinity): boolean {
    const run = readOne(
      this.#db,
      asRun,
      sql`SELECT created_at AS createdAt, committed_steps AS committed FROM runs WHERE id = ${runId}`,
    );
    const known = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (run === null) return true;
    const counted: RunFacets =
      known?.createdAt === run.createdAt
        ? known
        : { createdAt: run.createdAt, until: 0, steps: [], counts: null, merged: null };
    this.#runs.set(runId, counted);
    for (const oldest of [...this.#runs.keys()].slice(0, -KEPT_RUNS)) this.#runs.delete(oldest);
    const until = Math.min(run.committed, counted.until + most);
    if (until > counted.until) {
      counted.steps.push(...readFacetSteps(this.#db, runId, counted.until, until));
      counted.until = until;
    }
    return until === run.committed;
  }

  facets(runId: string, filter: RecordFilter): RolloutFacets {
    const counted = this.#countedRun(runId);
    const name = `${filter.fromStep ?? ''}-${filter.toStep ?? ''} ${counted.until}`;
    if (counted.merged?.name !== name) counted.merged = { name, all: mergeSteps(counted.steps, filter) };
    return facetsOf(counted.merged.all, filter);
  }

  countsByStep(runId: string, filter: RecordFilter): [step: number, count: number][] {
    const counted = this.#countedRun(runId);
    const name = `${JSON.stringify(filter)} ${counted.until}`;
    if (counted.counts?.name !== name) counted.counts = { name, byStep: countsByStep(counted.steps, filter) };
    return counted.counts.byStep;
  }

  #countedRun(runId: string): RunFacets {
    this.extend(runId);
    return this.#runs.get(runId) ?? { createdAt: '', until: 0, steps: [], counts: null, merged: null };
  }
}
