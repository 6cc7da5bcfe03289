import type { Database } from 'better-sqlite3';
import { runAnnotationSchema } from '../../contract/index.ts';
import type {
  RunAnnotation,
  RunCurve,
  RunOrder,
  RunRow,
  RunRowFilter,
  StoredEvent,
} from '../../contract/index.ts';
import { canonicalJson } from '../../core/index.ts';
import { checkedRecord } from '../checked-record.ts';
import { selectLastEventOf } from '../queries/events.ts';
import { selectRun } from '../queries/runs.ts';
import { selectAnnotation, upsertAnnotation } from '../runs-table/annotations.ts';
import { selectCurve } from '../runs-table/curves.ts';
import {
  countRunRows,
  countRunStates,
  cursorToPlace,
  placeToCursor,
  runRowPageQuery,
  selectRunPlaces,
} from '../runs-table/page.ts';
import { selectReviewPace, selectRunPace, type ReviewPace, type RunPace } from '../runs-table/pace.ts';
import { runRow, selectSandboxLevels } from '../runs-table/rows.ts';
import { immediately } from '../sql.ts';
import { wellFormed } from '../well-formed-text.ts';
import { appendToChain } from './events.ts';
import type { Clock } from './events.ts';
import { knownRun, type Page } from './runs.ts';

export type RunRowPage = Page<RunRow> & {
  /** Runs that match, loaded or not. */ total: number;
  /** Runs by state under the same filter, whatever states it asks for. */ states: Record<string, number>;
};

const NEWEST_FIRST: RunOrder = { by: 'created', descending: true };
const MAX_ROWS = 200;

/** Runs as lists, comparisons and estimates need them. */
export function runsTableDoor(db: Database, now: Clock) {
  return {
    /** A page in any order; `limit` 1…200, default 50. Pages are keyed by the last row's place, so runs that come or go lose and double none. */
    pageRunRows(
      filter: RunRowFilter = {},
      order: RunOrder = NEWEST_FIRST,
      page: { cursor?: string | null; limit?: number } = {},
    ): RunRowPage {
      const limit = Math.min(Math.max(page.limit ?? 50, 1), MAX_ROWS);
      const places = selectRunPlaces(
        db,
        runRowPageQuery(filter, order, page.cursor == null ? null : cursorToPlace(page.cursor), limit + 1),
      );
      const shown = places.slice(0, limit);
      const last = places.length > limit ? shown.at(-1) : undefined;
      return {
        rows: shown.map(([, id]) => runRow(db, knownRun(db, id))),
        next: last === undefined ? null : placeToCursor(last),
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
    runPace(id: string): RunPace | null {
      return selectRunPace(db, id);
    },
    /** What reviews of a run took, by phase. */
    reviewPace(id: string): ReviewPace {
      return selectReviewPace(db, id);
    },
  };
}
