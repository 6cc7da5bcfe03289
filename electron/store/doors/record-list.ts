import type { Database } from 'better-sqlite3';
import type { RecordFilter, RecordRow, SearchPlace } from '../../contract/index.ts';
import { RecordCubes, STEPS_AT_ONCE } from '../records/cubes.ts';
import type { RolloutFacets } from '../records/cube.ts';
import { findRecords } from '../records/find.ts';
import type { FindResult } from '../records/find.ts';
import { positionOf, recordInNextStep, recordRows } from '../records/record-rows.ts';
import { similarRecords } from '../records/similar.ts';
import type { SimilarRecord } from '../records/similar.ts';
import { MAX_PAGE } from './records.ts';

const bounded = (limit: number): number => Math.min(Math.max(limit, 1), MAX_PAGE);

/** Lists of a run's records under a filter: what each choice would leave, any rows of it, where one stands, what is found in it. */
export function recordListDoor(db: Database) {
  const cubes = new RecordCubes(db);
  return {
    /**
     * Counts some steps of a run ahead of `rolloutFacets` and the rows of a list; true when all are counted. Whoever calls it in
     * turns with other work keeps the program answering while a large run is counted for the first time.
     */
    countAhead(runId: string): boolean {
      return cubes.extend(runId, STEPS_AT_ONCE);
    },
    /** Counts per choice, each under all other conditions of the filter. */
    rolloutFacets(runId: string, filter: RecordFilter = {}): RolloutFacets {
      return cubes.facets(runId, filter);
    },
    /** Rows `first` … `first + limit` in order of writing; `limit` 1…500. */
    recordRows(runId: string, filter: RecordFilter, first: number, limit = 100): RecordRow[] {
      return recordRows(db, cubes, runId, filter, first, bounded(limit));
    },
    /** A record's place in the list, counted from 0; null when the filter leaves it out. */
    recordPosition(runId: string, filter: RecordFilter, recordId: string): number | null {
      return positionOf(db, cubes, runId, filter, recordId);
    },
    /** The same item in the nearest matching step before or after, else that step's first match; null at either end. */
    recordInNextStep(
      runId: string,
      filter: RecordFilter,
      recordId: string,
      direction: 'next' | 'previous',
    ): string | null {
      return recordInNextStep(db, cubes, runId, filter, recordId, direction);
    },
    /** Full text under a filter, newest first, with the operators of readSearch; `limit` 1…500 records. */
    findRecords(
      runId: string,
      text: string,
      place: SearchPlace | null,
      filter: RecordFilter = {},
      limit = 200,
    ): FindResult {
      // Nothing can be found where nothing is; looking would walk through every occurrence of a frequent word.
      const isEmpty =
        Object.keys(filter).length > 0 &&
        filter.phase !== 'exec' &&
        cubes.countsByStep(runId, filter).length === 0;
      if (isEmpty) return { records: [], batchReviews: [], more: false, problem: null };
      return findRecords(db, runId, text, place, filter, bounded(limit));
    },
    /** Records whose answers share most words with one record's; at most `limit`. */
    similarRecords(runId: string, recordId: string, limit = 30): SimilarRecord[] {
      return similarRecords(db, runId, recordId, bounded(limit));
    },
  };
}
