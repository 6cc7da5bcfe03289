import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { thisProgram } from '../../core/index.ts';
import {
  checkpointRecordSchema,
  contextRecordSchema,
  Failure,
  generationRecordSchema,
  isLineMetric,
  POLICY_ROLE,
  reviewRecordSchema,
  rolloutRecordSchema,
  stepRecordSchema,
  summaryRecordSchema,
  taskRecordSchema,
  wordingRecordSchema,
  type CheckpointRecord,
  type ContextRecord,
  type StepCommit,
  type StepRecord,
  type TrainedStep,
  type StoredEvent,
  type SummaryRecord,
  type TaskRecord,
  type TaskType,
  type WordingRecord,
} from '../../contract/index.ts';
import { byRole, initialStateSha256, stepCommitSha256, type InitialState } from '../audit-log/digests.ts';
import { appendToChain, selectEventsOfKind, selectPrograms, type Clock } from '../audit-log/events.ts';
import { checkedRecord, immediately } from '../sql.ts';
import { insertContext, selectContext } from '../contexts.ts';
import { insertReview, isAnswered } from '../records/reviews.ts';
import { insertGenerations } from '../records/generations.ts';
import { insertRollout, selectRolloutKey } from '../records/rollouts.ts';
import { updateCommittedSteps } from '../runs/queries.ts';
import { knownRun } from '../runs/repository.ts';
import {
  insertCheckpoint,
  insertSummary,
  insertTask,
  insertWording,
  markCheckpointBack,
  markCheckpointRemoved,
  selectCheckpoint,
  selectFirstCheckpoints,
  selectKeptCheckpoints,
  selectLatestCheckpoint,
  selectLineCounts,
  selectSummaries,
  selectTask,
  selectTasks,
  selectWordings,
  tasksOfStepQuery,
  tasksOfTypeQuery,
} from './outputs.ts';
import {
  countSeries,
  insertMetrics,
  insertStep,
  selectInitialState,
  selectMetricNames,
  selectSeries,
  selectStep,
  selectStepCommit,
  selectSteps,
  seriesQuery,
  stepPageQuery,
  selectStagedSteps,
} from './rows.ts';
import type { MetricKind, MetricPoint, StageFilter } from './rows.ts';
import { checkInitial, checkStepCommit } from './rules.ts';

const initialSchema: z.ZodType<InitialState> = z.strictObject({
  context: contextRecordSchema,
  tasks: z.array(taskRecordSchema),
  checkpoints: z.array(checkpointRecordSchema).min(1),
});
const commitSchema: z.ZodType<StepCommit> = z.strictObject({
  step: stepRecordSchema,
  tasks: z.array(taskRecordSchema),
  rollouts: z.array(rolloutRecordSchema),
  reviews: z.array(reviewRecordSchema),
  summaries: z.array(summaryRecordSchema),
  wordings: z.array(wordingRecordSchema),
  nextContext: contextRecordSchema,
  checkpoint: checkpointRecordSchema.nullable(),
  generations: z.array(generationRecordSchema).optional(),
});

export type CommitOutcome = {
  /** False when the same step was stored before. */ applied: boolean;
  event: StoredEvent | null;
};

export function stepRepository(db: Database, now: Clock) {
  return {
    /**
     * Stores what the run starts from: C_1, the seed tasks and checkpoint 0 of each weight set. Repeating it with the same data does nothing
     * (`applied: false`); other data fails with kind `initialConflict`.
     */
    putInitial(runId: string, initial: InitialState): CommitOutcome {
      const state = checkedRecord(initialSchema, initial, `initial state of run "${runId}"`);
      const recordsSha256 = initialStateSha256(state);
      return immediately(db, () => {
        knownRun(db, runId);
        const [before] = selectEventsOfKind(db, runId, 'run.initialised');
        if (before !== undefined) {
          if ((before.body as { recordsSha256: string }).recordsSha256 === recordsSha256)
            return { applied: false, event: null };
          throw new Failure(
            'initialConflict',
            `Run "${runId}" already started from another context, other seed tasks or another checkpoint; ` +
              'resume it with the same configuration and model, or start a new run.',
          );
        }
        checkInitial(runId, state);
        for (const task of state.tasks) insertTask(db, runId, task);
        insertContext(db, runId, state.context);
        const checkpoints = byRole(state.checkpoints);
        for (const checkpoint of checkpoints) insertCheckpoint(db, runId, checkpoint);
        const event = appendToChain(db, now, runId, 'run.initialised', {
          recordsSha256,
          contextHash: state.context.hash,
          weightsSha256: checkpoints[0]?.weightsSha256,
          roles: checkpoints.map(({ role }) => role),
          tasks: state.tasks.length,
        });
        return { applied: true, event };
      });
    },

    /**
     * Stores one step in one transaction; when it returns, the step is on the disk. A step that is stored already is left
     * alone if its stepHash is the same (`applied: false`). Fails with kind `stepConflict` (stored with another hash), `stepGap`
     * (not the next step), `badRecord` (records that do not belong together) or `diskFull`; then nothing was stored.
     */
    commitStep(runId: string, stepCommit: StepCommit): CommitOutcome {
      const commit = checkedRecord(
        commitSchema,
        stepCommit,
        `step ${stepCommit.step.step} of run "${runId}"`,
      );
      const { step } = commit;
      const recordsSha256 = stepCommitSha256(commit, knownRun(db, runId).config.framework.name);
      return immediately(db, () => {
        const run = knownRun(db, runId);
        if (step.step <= run.committedSteps) {
          if (selectStep(db, runId, step.step)?.stepHash === step.stepHash)
            return { applied: false, event: null };
          throw new Failure(
            'stepConflict',
            `Step ${step.step} of run "${runId}" is stored with another result than the one to be stored; ` +
              'the run did not repeat exactly, so resume it on the machine and with the files it was started with.',
          );
        }
        const roles = selectFirstCheckpoints(db, runId).map(({ role }) => role);
        checkStepCommit(run, commit, selectContext(db, runId, step.step), roles);
        insertStep(db, runId, step);
        insertMetrics(db, runId, step.step, 'timing', step.timings);
        insertMetrics(db, runId, step.step, 'metric', step.metrics);
        for (const task of commit.tasks) insertTask(db, runId, task);
        insertItems(runId, commit);
        commit.summaries.forEach((summary, ordinal) => insertSummary(db, runId, ordinal, summary));
        commit.wordings.forEach((wording, ordinal) => insertWording(db, runId, ordinal, wording));
        insertContext(db, runId, commit.nextContext);
        if (commit.checkpoint !== null) insertCheckpoint(db, runId, commit.checkpoint);
        updateCommittedSteps(db, runId, step.step);
        const event = appendToChain(db, now, runId, 'step.committed', {
          step: step.step,
          stage: step.stage,
          iteration: step.iteration,
          role: step.role,
          stepHash: step.stepHash,
          program: thisProgram(),
          recordsSha256,
          contextHash: step.contextHash,
          nextContextHash: commit.nextContext.hash,
          weightsSha256: step.weightsSha256,
          rollouts: commit.rollouts.length,
          reviews: commit.reviews.length,
          tasks: commit.tasks.length,
        });
        return { applied: true, event };
      });
    },

    /** The programs that took the run's steps, by their versions and rules; null for those before steps told theirs. */
    programsOf(runId: string): (string | null)[] {
      return selectPrograms(db, runId);
    },
    /** What the run started from, as it was stored; null before that. */
    getInitial(runId: string): InitialState | null {
      return selectInitialState(db, runId);
    },
    /** Everything a step added, as it was committed: what another lab needs to store the same step. Null when it is not stored. */
    getCommit(runId: string, step: number): StepCommit | null {
      return selectStepCommit(db, runId, step);
    },
    getStep(runId: string, step: number): StepRecord | null {
      return selectStep(db, runId, step);
    },
    /** In order, after step `after` (default 0), at most `limit` (default 1,000); all stages and iterations unless told which. */
    listSteps(
      runId: string,
      { after = 0, limit = 1000, ...filter }: { after?: number; limit?: number } & StageFilter = {},
    ): StepRecord[] {
      return selectSteps(db, stepPageQuery(runId, after, limit, filter));
    },
    /** C_step; C_1 exists from the start, C_{t+1} from the commit of step t. */
    getContext(runId: string, step: number): ContextRecord | null {
      return selectContext(db, runId, step);
    },
    /** The tasks a step added, in creation order; step 0 has those the run began with. */
    tasksOfStep(runId: string, step: number): TaskRecord[] {
      return selectTasks(db, tasksOfStepQuery(runId, step));
    },
    /** All tasks of a type in creation order, seeds first: what a buffer is rebuilt from. */
    listTasks(runId: string, taskType: TaskType): TaskRecord[] {
      return selectTasks(db, tasksOfTypeQuery(runId, taskType));
    },
    getTask(runId: string, taskId: string): TaskRecord | null {
      return selectTask(db, runId, taskId);
    },
    listSummaries(runId: string, step: number): SummaryRecord[] {
      return selectSummaries(db, runId, step);
    },
    /** What the supervisor's model wrote of a step's reviews, summaries first. */
    listWordings(runId: string, step: number): WordingRecord[] {
      return selectWordings(db, runId, step);
    },
    /** What became of the lines that the supervisor's model wrote, as metrics by step; steps in which it wrote nothing are absent. */
    lineCounts(runId: string): Map<number, Record<string, number>> {
      return selectLineCounts(db, runId);
    },
    /**
     * Curves by name, in order of step. Every `every` steps are one point with their mean, minimum and maximum, so that no
     * peak is lost. Step records' `metrics` are kind `metric`, their `timings` (seconds) kind `timing`.
     */
    metricSeries(
      runId: string,
      names: readonly string[],
      options: { every?: number; kind?: MetricKind } = {},
    ): Record<string, MetricPoint[]> {
      const every = Math.max(1, Math.trunc(options.every ?? 1));
      const counts = names.some(isLineMetric) ? selectLineCounts(db, runId) : new Map<number, never>();
      return Object.fromEntries(
        names.map((name) => [
          name,
          isLineMetric(name)
            ? countSeries(counts, name, every)
            : selectSeries(db, seriesQuery(runId, options.kind ?? 'metric', name, every)),
        ]),
      );
    },
    metricNames(runId: string, kind: MetricKind = 'metric'): string[] {
      return selectMetricNames(db, runId, kind);
    },
    /** What the step made of a weight set; null where it did not train it. */
    getCheckpoint(runId: string, step: number, role: string = POLICY_ROLE): CheckpointRecord | null {
      return selectCheckpoint(db, runId, step, role);
    },
    /** Where a weight set stands after step `upTo`, or after all stored ones; null when the checkpoint it should stand at is not stored. */
    latestCheckpoint(
      runId: string,
      role: string = POLICY_ROLE,
      upTo: number = Number.MAX_SAFE_INTEGER,
    ): CheckpointRecord | null {
      return selectLatestCheckpoint(db, runId, role, upTo);
    },
    /** Of all weight sets, oldest first; without those marked as pruned. */
    listCheckpoints(runId: string): CheckpointRecord[] {
      return selectKeptCheckpoints(db, runId);
    },
    /** What `withNeeded` takes to tell which checkpoints the start of a stage is needed by. */
    listStagedSteps(runId: string): TrainedStep[] {
      return selectStagedSteps(db, runId);
    },
    /** Call it before the checkpoint's files are deleted. Returns false when it was marked before or never existed. */
    markCheckpointPruned(runId: string, step: number, role: string = POLICY_ROLE): boolean {
      return immediately(db, () => {
        const removedAt = now().toISOString();
        const pruned = markCheckpointRemoved(db, runId, step, role, removedAt);
        if (pruned) appendToChain(db, now, runId, 'checkpoint.pruned', { step, role, removedAt });
        return pruned;
      });
    },
    /** Call it when the files of pruned checkpoints are whole again, with the hashes they were stored with; all or none of them are marked. */
    markCheckpointsRestored(runId: string, steps: readonly number[], role: string = POLICY_ROLE): void {
      immediately(db, () => {
        for (const step of steps)
          if (markCheckpointBack(db, runId, step, role))
            appendToChain(db, now, runId, 'checkpoint.restored', { step, role });
      });
    },
  };

  function insertItems(runId: string, commit: StepCommit): void {
    const reviewed = new Set(commit.reviews.filter(isAnswered).map((review) => review.rolloutId));
    const keys = new Map(
      commit.rollouts.map((rollout) => [
        rollout.id,
        insertRollout(db, runId, rollout, reviewed.has(rollout.id)),
      ]),
    );
    const generations = (commit.generations ?? []).map((generation) => {
      const key = keys.get(generation.rolloutId);
      if (key === undefined)
        throw new Failure(
          'badRecord',
          `A step of run "${runId}" tells how rollout "${generation.rolloutId}" came about, which it does not bring.`,
        );
      return [key, generation] as const;
    });
    insertGenerations(db, runId, generations);
    for (const review of commit.reviews) {
      const key =
        review.rolloutId === null
          ? null
          : (keys.get(review.rolloutId) ?? selectRolloutKey(db, runId, review.rolloutId));
      if (key === null && review.rolloutId !== null) {
        throw new Failure(
          'badRecord',
          `Review "${review.id}" names rollout "${review.rolloutId}", which run "${runId}" does not have.`,
        );
      }
      insertReview(db, runId, review, key);
    }
  }
}
