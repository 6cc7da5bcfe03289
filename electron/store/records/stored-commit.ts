import type { Database } from 'better-sqlite3';
import type { StepCommit } from '../../contract/index.ts';
import type { InitialState } from '../digests.ts';
import { selectCheckpoint, selectFirstCheckpoints } from '../queries/checkpoints.ts';
import { selectContext } from '../queries/contexts.ts';
import { selectReviewsOfStep } from '../queries/reviews.ts';
import { selectRolloutsOfStep } from '../queries/rollouts.ts';
import { selectStep } from '../queries/steps.ts';
import { selectSummaries } from '../queries/summaries.ts';
import { selectTasks, tasksOfStepQuery } from '../queries/tasks.ts';

/** Everything a step added, as it was committed; null when the step, its successor's context or its checkpoint is not stored. */
export function selectStepCommit(db: Database, runId: string, step: number): StepCommit | null {
  const record = selectStep(db, runId, step);
  const nextContext = selectContext(db, runId, step + 1);
  if (record === null || nextContext === null) return null;
  const checkpoint = record.role === null ? null : selectCheckpoint(db, runId, step, record.role);
  if (record.role !== null && checkpoint === null) return null;
  return {
    step: record,
    tasks: selectTasks(db, tasksOfStepQuery(runId, step)),
    rollouts: selectRolloutsOfStep(db, runId, step),
    reviews: selectReviewsOfStep(db, runId, step),
    summaries: selectSummaries(db, runId, step),
    nextContext,
    checkpoint,
  };
}

/** What the run started from; null before it was stored. */
export function selectInitialState(db: Database, runId: string): InitialState | null {
  const context = selectContext(db, runId, 1);
  const checkpoints = selectFirstCheckpoints(db, runId);
  return context === null || checkpoints.length === 0
    ? null
    : { context, tasks: selectTasks(db, tasksOfStepQuery(runId, 0)), checkpoints };
}
