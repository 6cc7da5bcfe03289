import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { RecordFilter } from '../../contract/index.ts';
import { readOne, reader, sql } from '../sql.ts';
import { countsByStep, facetsOf, mergeSteps } from './cube.ts';
import type { CubeStep, RolloutFacets } from './cube.ts';
import { readCubeSteps } from './cube-reading.ts';

/** Runs whose counts are kept; a run of 100,000 records takes a few megabytes. */
const KEPT_RUNS = 4;
/** Steps read at once while a cube is built, so that other verbs get their turn in between: about 20 ms at 200 records a step. */
export const STEPS_AT_ONCE = 25;

type Cube = {
  createdAt: string;
  until: number;
  steps: CubeStep[];
  /** The last asked for, named by filter and last step: pages of one list and clicks on facets ask again and again. */
  counts: { name: string; byStep: [number, number][] } | null;
  merged: { name: string; all: CubeStep } | null;
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
export class RecordCubes {
  readonly #db: Database;
  readonly #cubes = new Map<string, Cube>();

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
    const known = this.#cubes.get(runId);
    this.#cubes.delete(runId);
    if (run === null) return true;
    const cube: Cube =
      known?.createdAt === run.createdAt
        ? known
        : { createdAt: run.createdAt, until: 0, steps: [], counts: null, merged: null };
    this.#cubes.set(runId, cube);
    for (const oldest of [...this.#cubes.keys()].slice(0, -KEPT_RUNS)) this.#cubes.delete(oldest);
    const until = Math.min(run.committed, cube.until + most);
    if (until > cube.until) {
      cube.steps.push(...readCubeSteps(this.#db, runId, cube.until, until));
      cube.until = until;
    }
    return until === run.committed;
  }

  facets(runId: string, filter: RecordFilter): RolloutFacets {
    const cube = this.#cube(runId);
    const name = `${filter.fromStep ?? ''}-${filter.toStep ?? ''} ${cube.until}`;
    if (cube.merged?.name !== name) cube.merged = { name, all: mergeSteps(cube.steps, filter) };
    return facetsOf(cube.merged.all, filter);
  }

  countsByStep(runId: string, filter: RecordFilter): [step: number, count: number][] {
    const cube = this.#cube(runId);
    const name = `${JSON.stringify(filter)} ${cube.until}`;
    if (cube.counts?.name !== name) cube.counts = { name, byStep: countsByStep(cube.steps, filter) };
    return cube.counts.byStep;
  }

  #cube(runId: string): Cube {
    this.extend(runId);
    return this.#cubes.get(runId) ?? { createdAt: '', until: 0, steps: [], counts: null, merged: null };
  }
}
