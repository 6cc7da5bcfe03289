import type { Database } from 'better-sqlite3';
import type { ReviewRecord, RolloutRecord, TaskRecord } from '../../contract/index.ts';
import { selectLineHistories, selectLineSources } from '../queries/contexts.ts';
import type { LineHistory } from '../queries/contexts.ts';
import {
  selectIssueCounts,
  selectReview,
  selectReviewsOfRollout,
  selectReviewsOfStep,
  selectSupervisionCost,
} from '../queries/reviews.ts';
import type { IssueCount, SupervisionCost } from '../queries/reviews.ts';
import { selectPlacedRollouts, selectRollout, selectRolloutsOfStep } from '../queries/rollouts.ts';
import { selectTask } from '../queries/tasks.ts';
import { countRollouts, cursorToPlace, placeToCursor } from '../records/places.ts';
import { rolloutPageQuery } from '../records/rollout-page.ts';
import type { RolloutFilter } from '../records/rollout-page.ts';
import { searchRecords } from '../records/search.ts';
import type { SearchResult } from '../records/search.ts';
import type { Page } from './runs.ts';

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
export function recordDoor(db: Database) {
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
      const after = page.cursor == null ? null : cursorToPlace(page.cursor);
      const rows = selectPlacedRollouts(db, rolloutPageQuery(runId, filter, after, limit + 1));
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        rows: rows.slice(0, limit).map((row) => row.record),
        next: last === undefined ? null : placeToCursor({ step: last.record.step, key: last.key }),
      };
    },
    countRollouts(runId: string, filter: RolloutFilter = {}): number {
      return countRollouts(db, runId, filter);
    },
    /** All rollouts of a step in the order they were stored, for step files and replays. */
    listRollouts(runId: string, step: number): RolloutRecord[] {
      return selectRolloutsOfStep(db, runId, step);
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
