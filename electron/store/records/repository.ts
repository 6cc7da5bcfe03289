import type { Database } from 'better-sqlite3';
import type {
  GenerationRecord,
  RecordFilter,
  RecordRow,
  ReviewRecord,
  RolloutRecord,
  SearchPlace,
  TaskRecord,
  UnusedCount,
} from '../../contract/index.ts';
import { selectLineHistories, selectLineSources, type LineHistory } from '../contexts.ts';
import type { Page } from '../runs/repository.ts';
import { selectTask } from '../steps/outputs.ts';
import { countRollouts, formatCursor, parseCursor, rolloutPageQuery, type RolloutFilter } from './cursor.ts';
import { RecordFacets, STEPS_AT_ONCE } from './facet-counts.ts';
import type { RolloutFacets } from './facets.ts';
import { findRecords, type FindResult } from './find.ts';
import { selectGenerationsOfStep } from './generations.ts';
import {
  selectIssueCounts,
  selectReview,
  selectReviewedWork,
  selectReviewsOfRollout,
  selectReviewsOfStep,
  selectSupervisionCost,
} from './reviews.ts';
import type { IssueCount, ReviewedWorkRow, SupervisionCost } from './reviews.ts';
import { selectKeyedRollouts, selectRollout, selectRolloutsOfStep } from './rollouts.ts';
import { positionOf, recordInNextStep, recordRows } from './rows.ts';
import { selectUnused } from './unused.ts';
import { searchRecords, similarRecords, type SearchResult, type SimilarRecord } from './search.ts';

/** A rollout with everything said about it. */
export type FullRecord = {
  rollout: RolloutRecord;
  reviews: ReviewRecord[];
  task: TaskRecord | null;
  /** The review of the record's whole batch, which never speaks of a single record; null where there is none. */
  execReview: ReviewRecord | null;
};

/** Why a line is in the context: each review that supported it, since which context, and the rollout it spoke about. */
export type Lineage = {
  line: LineHistory;
  causes: { sinceContext: number; review: ReviewRecord; rollout: RolloutRecord | null }[];
};

export const MAX_PAGE = 500;

/** Reading and finding the records of a run. */
export function recordRepository(db: Database) {
  return {
    /**
     * Rollouts in order of writing, a page at a time; rows added meanwhile come at the end, no row comes twice.
     * `limit` 1…500, default 100. What a filter can ask is in the contract.
     */
    pageRollouts(
      runId: string,
      filter: RolloutFilter = {},
      page: { cursor?: string | null; limit?: number } = {},
    ): Page<RolloutRecord> {
      const limit = Math.min(Math.max(page.limit ?? 100, 1), MAX_PAGE);
      const after = page.cursor == null ? null : parseCursor(page.cursor);
      const rows = selectKeyedRollouts(db, rolloutPageQuery(runId, filter, after, limit + 1));
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        rows: rows.slice(0, limit).map((row) => row.record),
        next: last === undefined ? null : formatCursor({ step: last.record.step, key: last.key }),
      };
    },
    countRollouts(runId: string, filter: RolloutFilter = {}): number {
      return countRollouts(db, runId, filter);
    },
    /** All rollouts of a step in the order they were stored, for step files and replays. */
    listRollouts(runId: string, step: number): RolloutRecord[] {
      return selectRolloutsOfStep(db, runId, step);
    },
    /** How each response of a step came about; empty for steps taken before that was recorded. */
    listGenerations(runId: string, step: number): GenerationRecord[] {
      return selectGenerationsOfStep(db, runId, step);
    },
    /** Full-text search in agent text, prompts and reviews; words must all occur, "quoted text" as a phrase. `limit` 1…500 of each kind. */
    searchRecords(runId: string | null, text: string, limit = 50): SearchResult {
      return searchRecords(db, runId, text, Math.min(Math.max(limit, 1), MAX_PAGE));
    },
    getRecord(runId: string, rolloutId: string): FullRecord | null {
      const found = selectRollout(db, runId, rolloutId);
      if (found === null) return null;
      const { key, record } = found;
      return {
        rollout: record,
        reviews: selectReviewsOfRollout(db, key),
        task: record.taskId === null ? null : selectTask(db, runId, record.taskId),
        execReview: selectReview(db, runId, `${record.step}/${record.batch}#exec`),
      };
    },
    listReviews(runId: string, step: number): ReviewRecord[] {
      return selectReviewsOfStep(db, runId, step);
    },
    getReview(runId: string, reviewId: string): ReviewRecord | null {
      return selectReview(db, runId, reviewId);
    },
    /** Most frequent first; quarantined reviews do not count. */
    issueCounts(runId: string): IssueCount[] {
      return selectIssueCounts(db, runId);
    },
    /** What came to nothing in each step, by kind and reason. */
    unusedCounts(runId: string): UnusedCount[] {
      return selectUnused(db, runId);
    },
    /** Every review that stands, with the verifier's word on the work it speaks of. */
    reviewedWork(runId: string): ReviewedWorkRow[] {
      return selectReviewedWork(db, runId);
    },
    /** One row per phase and review status. */
    supervisionCost(runId: string): SupervisionCost[] {
      return selectSupervisionCost(db, runId);
    },
    /** Every line that ever entered the run's context, in order of entry. */
    contextLines(runId: string): LineHistory[] {
      return selectLineHistories(db, runId);
    },
    /** The causes of one line, first cause first, at most `limit`; null when the run never had such a line. */
    lineageOf(runId: string, lineId: string, limit = 100): Lineage | null {
      const line = selectLineHistories(db, runId).find((each) => each.id === lineId);
      if (line === undefined) return null;
      const causes = selectLineSources(db, runId, lineId, limit).flatMap(({ reviewId, sinceContext }) => {
        const review = selectReview(db, runId, reviewId);
        if (review === null) return [];
        return [
          {
            sinceContext,
            review,
            rollout:
              review.rolloutId === null ? null : (selectRollout(db, runId, review.rolloutId)?.record ?? null),
          },
        ];
      });
      return { line, causes };
    },
  };
}

const bounded = (limit: number): number => Math.min(Math.max(limit, 1), MAX_PAGE);

/** Lists of a run's records under a filter: what each choice would leave, any rows of it, where one stands, what is found in it. */
export function recordListRepository(db: Database) {
  const facets = new RecordFacets(db);
  return {
    /**
     * Counts some steps of a run ahead of `rolloutFacets` and the rows of a list; true when all are counted. Whoever calls it in
     * turns with other work keeps the program answering while a large run is counted for the first time.
     */
    countAhead(runId: string): boolean {
      return facets.extend(runId, STEPS_AT_ONCE);
    },
    /** Counts per choice, each under all other conditions of the filter. */
    rolloutFacets(runId: string, filter: RecordFilter = {}): RolloutFacets {
      return facets.facets(runId, filter);
    },
    /** Rows `first` … `first + limit` in order of writing; `limit` 1…500. */
    recordRows(runId: string, filter: RecordFilter, first: number, limit = 100): RecordRow[] {
      return recordRows(db, facets, runId, filter, first, bounded(limit));
    },
    /** A record's place in the list, counted from 0; null when the filter leaves it out. */
    recordPosition(runId: string, filter: RecordFilter, recordId: string): number | null {
      return positionOf(db, facets, runId, filter, recordId);
    },
    /** The same item in the nearest matching step before or after, else that step's first match; null at either end. */
    recordInNextStep(
      runId: string,
      filter: RecordFilter,
      recordId: string,
      direction: 'next' | 'previous',
    ): string | null {
      return recordInNextStep(db, facets, runId, filter, recordId, direction);
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
        facets.countsByStep(runId, filter).length === 0;
      if (isEmpty) return { records: [], batchReviews: [], more: false, problem: null };
      return findRecords(db, runId, text, place, filter, bounded(limit));
    },
    /** Records whose answers share most words with one record's; at most `limit`. */
    similarRecords(runId: string, recordId: string, limit = 30): SimilarRecord[] {
      return similarRecords(db, runId, recordId, bounded(limit));
    },
  };
}
