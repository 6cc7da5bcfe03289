import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { PHASES, runAnnotationSchema } from '../../contract/index.ts';
import type {
  Comparison,
  MachineLoad,
  RunAnnotation,
  RunCurve,
  RunOrder,
  RunRow,
  RunRowFilter,
  StoredEvent,
} from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { appendToChain, selectLastEventOf, type Clock } from '../audit-log/events.ts';
import { asPlace, contains, pageOf, parseCursor, placesQuery } from '../row-lists.ts';
import { allOf, checkedRecord, immediately, Query, readAll, reader, sql, wellFormed } from '../sql.ts';
import {
  selectCurve,
  selectReviewPace,
  selectRunLoad,
  selectRunPace,
  selectStagePaces,
  type ReviewPace,
  type RunPace,
  type StagePace,
} from './pace.ts';
import { DELETED_IDS, selectAnnotation, selectRun, upsertAnnotation } from './queries.ts';
import { knownRun, type Page } from './repository.ts';
import { runRow, selectSandboxLevels } from './row.ts';

/** The run's largest review probability. Configurations name all five phases since they are stored with their defaults. */
const LARGEST_PROBABILITY = new Query(
  `max(${PHASES.map((phase) => `json_extract(r.config, '$.supervision.phases.${phase}')`).join(', ')})`,
  [],
);

const ORDERS: Record<RunOrder['by'], Query> = {
  created: sql`r.created_at`,
  name: sql`lower(r.name)`,
  state: sql`r.state`,
  model: sql`lower(json_extract(r.config, '$.policy.model'))`,
  supervision: LARGEST_PROBABILITY,
  progress: sql`CAST(r.committed_steps AS REAL) / json_extract(r.config, '$.steps')`,
  seconds: sql`(SELECT coalesce(sum(m.value), 0) FROM metrics m WHERE m.run_id = r.id AND m.kind = 'timing' AND m.name = 'step')`,
  bytes: sql`(SELECT coalesce(sum(c.bytes), 0) FROM checkpoints c WHERE c.run_id = r.id AND c.removed_at IS NULL)`,
};

const SIGNS: Record<Comparison['is'], Query> = {
  '=': sql`=`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
};
const compared = (what: Query, { is, value }: Comparison): Query => sql`${what} ${SIGNS[is]} ${value}`;

function conditionsOf(filter: RunRowFilter): Query[] {
  const conditions: Query[] = [];
  const {
    states,
    words,
    model,
    reviewer,
    framework,
    preset,
    tag,
    supervision,
    step,
    seed,
    archived = 'no',
  } = filter;
  if (states !== undefined)
    conditions.push(sql`r.state IN (SELECT value FROM json_each(${JSON.stringify(states)}))`);
  for (const word of words ?? [])
    conditions.push(
      contains(
        sql`r.name || ' ' || r.preset || ' ' || r.id || ' ' || coalesce(a.tags || ' ' || a.notes, '')`,
        word,
      ),
    );
  if (model !== undefined) conditions.push(contains(sql`json_extract(r.config, '$.policy.model')`, model));
  if (reviewer !== undefined)
    conditions.push(
      contains(
        sql`json_extract(r.config, '$.supervision.reviewer') || ' ' || json_extract(r.config, '$.supervision.model')`,
        reviewer,
      ),
    );
  if (framework !== undefined)
    conditions.push(
      sql`coalesce(json_extract(r.config, '$.framework.name'), json_extract(r.config, '$.framework')) = ${framework}`,
    );
  if (preset !== undefined) conditions.push(sql`r.preset = ${preset}`);
  if (tag !== undefined)
    conditions.push(
      sql`EXISTS (SELECT 1 FROM json_each(coalesce(a.tags, '[]')) t WHERE lower(t.value) = lower(${tag}))`,
    );
  if (supervision !== undefined) conditions.push(compared(LARGEST_PROBABILITY, supervision));
  if (step !== undefined) conditions.push(compared(sql`r.committed_steps`, step));
  if (seed !== undefined) conditions.push(compared(sql`json_extract(r.config, '$.seed')`, seed));
  if (archived !== 'all') conditions.push(sql`coalesce(a.archived, 0) = ${archived === 'only' ? 1 : 0}`);
  return conditions;
}

const FROM = sql`FROM (SELECT * FROM runs WHERE id NOT IN (${DELETED_IDS})) r LEFT JOIN run_annotations a ON a.run_id = r.id`;

const asCount = reader('count of runs', z.int(), (row: { count: number }) => row.count);

function countRunRows(db: Database, filter: RunRowFilter): number {
  return (
    readAll(db, asCount, sql`SELECT count(*) AS count ${FROM} WHERE ${allOf(conditionsOf(filter))}`)[0] ?? 0
  );
}

const asState = reader(
  'count of runs by state',
  z.tuple([z.string(), z.int()]),
  (row: { state: string; count: number }) => [row.state, row.count],
);

/** How many runs there are in each state under a filter, whatever states it asks for. */
function countRunStates(db: Database, filter: RunRowFilter): Record<string, number> {
  const { states: _, ...rest } = filter;
  return Object.fromEntries(
    readAll(
      db,
      asState,
      sql`SELECT r.state AS state, count(*) AS count ${FROM} WHERE ${allOf(conditionsOf(rest))} GROUP BY r.state`,
    ),
  );
}

export type RunRowPage = Page<RunRow> & {
  /** Runs that match, loaded or not. */ total: number;
  /** Runs by state under the same filter, whatever states it asks for. */ states: Record<string, number>;
};

const NEWEST_FIRST: RunOrder = { by: 'created', descending: true };
const MAX_ROWS = 200;

/** Runs as lists, comparisons and estimates need them. */
export function runTableRepository(db: Database, now: Clock) {
  return {
    /** A page in any order; `limit` 1…200, default 50. Pages are keyed by the last row's place, so runs that come or go lose and double none. */
    pageRunRows(
      filter: RunRowFilter = {},
      order: RunOrder = NEWEST_FIRST,
      page: { cursor?: string | null; limit?: number } = {},
    ): RunRowPage {
      const limit = Math.min(Math.max(page.limit ?? 50, 1), MAX_ROWS);
      const places = placesQuery({
        from: FROM,
        where: conditionsOf(filter),
        order: ORDERS[order.by],
        tie: sql`r.id`,
        id: sql`r.id`,
        descending: order.descending,
        after: page.cursor == null ? null : parseCursor(page.cursor, 'runs'),
        limit: limit + 1,
      });
      const { ids, next } = pageOf(readAll(db, asPlace, places), limit);
      return {
        rows: ids.map((id) => runRow(db, knownRun(db, id))),
        next,
        total: countRunRows(db, filter),
        states: countRunStates(db, filter),
      };
    },
    /** Null when there is no such run. */
    getRunRow(id: string): RunRow | null {
      const run = selectRun(db, id);
      return run === null ? null : runRow(db, run);
    },
    getAnnotation(id: string): RunAnnotation {
      knownRun(db, id);
      return selectAnnotation(db, id);
    },
    /** Changes some of what is written on a run; what is not named stays. Returns the whole. */
    annotateRun(id: string, change: Partial<RunAnnotation>): RunAnnotation {
      return immediately(db, () => {
        knownRun(db, id);
        const before = selectAnnotation(db, id);
        const after = checkedRecord(
          runAnnotationSchema,
          wellFormed({ ...before, ...change }),
          `annotation of run "${id}"`,
        );
        if (canonicalJson(before) === canonicalJson(after)) return before;
        upsertAnnotation(db, id, after);
        appendToChain(db, now, id, 'run.annotated', after);
        return after;
      });
    },
    /** The newest event about a run. */
    lastEventOf(id: string): StoredEvent | null {
      return selectLastEventOf(db, id);
    },
    /** A measure over the steps of a run, with what each step had cost by its end. */
    runCurve(id: string, names: readonly string[], combine: 'mean' | 'sum'): RunCurve {
      return selectCurve(db, id, names, combine);
    },
    /** Isolation levels under which the programs of the newest step ran. */
    sandboxLevels(id: string): string[] {
      return selectSandboxLevels(db, id);
    },
    /** What the newest steps of a run took; null while it has none. */
    /** The same by stage of the run's schedule. */
    stagePaces(id: string): StagePace[] {
      return selectStagePaces(db, id);
    },
    runPace(id: string): RunPace | null {
      return selectRunPace(db, id);
    },
    /** How busy the machine was with everything else during the run's newest steps; null where nobody looked. */
    runLoad(id: string): MachineLoad | null {
      return selectRunLoad(db, id);
    },
    /** What reviews of a run took, by phase. */
    reviewPace(id: string): ReviewPace {
      return selectReviewPace(db, id);
    },
  };
}
