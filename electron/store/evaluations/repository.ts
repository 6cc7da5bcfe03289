import type { Database } from 'better-sqlite3';
import {
  evaluationPlanRecordSchema,
  evaluationScoreSchema,
  Failure,
  itemOverrideSchema,
  type EvaluationPlanRecord,
  type EvaluationScore,
  type EvaluationState,
  type ItemFilter,
  type ItemOverride,
} from '../../contract/index.ts';
import { appendToChain, type Clock } from '../audit-log/events.ts';
import { checkedRecord, immediately, wellFormed } from '../sql.ts';
import { finishedAsStored, planSha256, stoppedAsStored } from './attested.ts';
import { withOverrides } from './corrected.ts';
import {
  countItemRows,
  eachItem,
  removeOverride,
  selectGrades,
  selectItem,
  selectItemNamed,
  selectItemRows,
  selectOverrides,
  selectPresence,
  storedItemSchema,
  upsertItem,
  upsertOverride,
} from './items.ts';
import type { StoredGrade, StoredItem, StoredItemRow } from './items.ts';
import {
  countOutcomes,
  evaluationKey,
  insertPlannedEvaluation,
  removeEvaluationRow,
  selectStoredEvaluations,
  stopUnfinished,
  updateEvaluationEnd,
  updateEvaluationState,
} from './summaries.ts';
import type { StoredEvaluation, StoredEvaluationFilter } from './summaries.ts';

const CUT_OFF =
  'The program ended before it was finished; resuming goes on with the answers that are missing.';

/** Evaluations as they are made: begun, answer by answer, finished; and what people say of answers. */
export function evaluationRepository(db: Database, now: Clock) {
  const requireKey = (id: string): number => {
    const key = evaluationKey(db, id);
    if (key === null)
      throw new Failure(
        'unknownEvaluation',
        `There is no evaluation "${id}" in this lab; it may have been removed.`,
        2,
      );
    return key;
  };
  const requireStored = (id: string): StoredEvaluation => {
    const [found] = selectStoredEvaluations(db, { ids: [id] });
    if (found === undefined)
      throw new Failure(
        'unknownEvaluation',
        `There is no evaluation "${id}" in this lab; it may have been removed.`,
        2,
      );
    return found;
  };
  const requireState = (id: string, wanted: readonly EvaluationState[]): StoredEvaluation => {
    const found = requireStored(id);
    if (found.form === 1 || !wanted.includes(found.state))
      throw new Failure(
        'evaluationState',
        `Evaluation "${id}" is ${found.state}; this needs one that is ${wanted.join(' or ')}${found.form === 1 ? ' and was not stored by an earlier program' : ''}.`,
        2,
      );
    return found;
  };
  const attestBegun = (evaluation: StoredEvaluation, why: string): void => {
    const { id, plan, weightsSha256, createdAt, planned, milliseconds } = evaluation;
    appendToChain(db, now, plan.subject.runId, 'evaluation.begun', {
      id,
      sha256: planSha256(plan, weightsSha256),
      createdAt,
      planned,
      milliseconds,
      why,
    });
  };
  /** Answers of an evaluation at work are attested when it rests: one event for each would cost more than many an answer. */
  const attestStopped = (id: string): void => {
    const { plan, state } = requireStored(id);
    appendToChain(db, now, plan.subject.runId, 'evaluation.stopped', {
      id,
      state,
      sha256: stoppedAsStored(db, id),
    });
  };
  return {
    /** Stores what will be asked, before the first answer. @throws Failure `badRecord` */
    beginEvaluation(begun: {
      id: string;
      plan: EvaluationPlanRecord;
      weightsSha256: string;
      planned: number;
    }): void {
      const plan = checkedRecord(evaluationPlanRecordSchema, begun.plan, `plan of evaluation "${begun.id}"`);
      const sha256 = planSha256(plan, begun.weightsSha256);
      immediately(db, () => {
        const createdAt = now().toISOString();
        insertPlannedEvaluation(db, { ...begun, plan, planSha256: sha256, createdAt });
        appendToChain(db, now, plan.subject.runId, 'evaluation.begun', {
          id: begun.id,
          sha256,
          createdAt,
          milliseconds: 0,
          subject: plan.subject.id,
          suite: plan.suite,
          suiteSha256: plan.source.sha256,
          weightsSha256: begun.weightsSha256,
          seed: plan.seed,
          planned: begun.planned,
        });
      });
    },
    /** Stores answers, or verdicts on answers that are there, in one transaction. @throws Failure `evaluationState` unless it is running */
    putEvaluationItems(id: string, items: readonly StoredItem[]): void {
      immediately(db, () => {
        requireState(id, ['running']);
        const key = requireKey(id);
        for (const item of items)
          upsertItem(
            db,
            key,
            checkedRecord(storedItemSchema, item, `answer ${item.ordinal} of evaluation "${id}"`),
          );
      });
    },
    /** Running, stopped or failed, with a sentence for the latter two. @param milliseconds spent so far */
    setEvaluationState(
      id: string,
      state: Exclude<EvaluationState, 'done'>,
      problem: string | null,
      milliseconds: number,
    ): void {
      immediately(db, () => {
        const before = requireState(id, ['running', 'stopped', 'failed']);
        updateEvaluationState(db, requireKey(id), state, wellFormed(problem), milliseconds);
        if (state === 'running') attestBegun({ ...before, milliseconds }, 'it goes on');
        else attestStopped(id);
      });
    },
    /** Ends an evaluation whose answers are all graded. @throws Failure `evaluationState`, `badRecord` */
    finishEvaluation(id: string, scores: readonly EvaluationScore[], milliseconds: number): StoredEvaluation {
      return immediately(db, () => {
        const { plan, planned } = requireState(id, ['running']);
        const key = requireKey(id);
        const { graded, ...counts } = countOutcomes(db, key);
        if (graded !== planned)
          throw new Failure(
            'badRecord',
            `Evaluation "${id}" cannot end: ${graded} of ${planned} answers are graded.`,
          );
        const checked = scores.map((score) =>
          checkedRecord(evaluationScoreSchema, score, `score "${score.name}" of evaluation "${id}"`),
        );
        updateEvaluationEnd(db, key, {
          plan,
          final: { scores: checked, counts },
          finishedAt: now().toISOString(),
          milliseconds,
          state: 'done',
        });
        appendToChain(db, now, plan.subject.runId, 'evaluation.stored', {
          id,
          form: 2,
          sha256: finishedAsStored(db, id),
          suite: plan.suite,
          suiteSha256: plan.source.sha256,
          seed: plan.seed,
          n: planned,
          passed: counts.passed,
        });
        return requireStored(id);
      });
    },
    /** Takes a finished evaluation back to work, so that some of its answers can be graded again. */
    reopenEvaluation(id: string, why: string): void {
      immediately(db, () => {
        const before = requireState(id, ['done']);
        updateEvaluationEnd(db, requireKey(id), {
          plan: before.plan,
          final: null,
          finishedAt: null,
          milliseconds: before.milliseconds,
          state: 'running',
        });
        attestBegun(before, why);
      });
    },
    /** Call it when the lab is opened: whatever still says that it runs was cut off. Returns the ids. */
    stopCutOffEvaluations(): string[] {
      return immediately(db, () => {
        const ids = stopUnfinished(db, CUT_OFF);
        for (const id of ids) attestStopped(id);
        return ids;
      });
    },
    /** Removes an evaluation with its answers and what people said of them; the events keep that there was one. */
    removeEvaluation(id: string): void {
      immediately(db, () => {
        const { plan } = requireStored(id);
        const key = requireKey(id);
        for (const { ordinal } of selectOverrides(db, key))
          appendToChain(db, now, plan.subject.runId, 'evaluation.overrideWithdrawn', { id, ordinal });
        removeEvaluationRow(db, key);
        appendToChain(db, now, plan.subject.runId, 'evaluation.removed', { id });
      });
    },

    /** Of both forms, in the order they were begun. */
    listStoredEvaluations(filter: StoredEvaluationFilter = {}): StoredEvaluation[] {
      return selectStoredEvaluations(db, filter);
    },
    /** @throws Failure `unknownEvaluation` (exit code 2) */
    requireStoredEvaluation(id: string): StoredEvaluation {
      return requireStored(id);
    },
    /** Which answers are there and graded, without their texts. */
    listEvaluationPlaces(id: string): { ordinal: number; graded: boolean }[] {
      return selectPresence(db, requireKey(id));
    },
    /** Answers one at a time; nothing else may use the lab until the walk ends. */
    eachEvaluationItem(id: string): Generator<StoredItem> {
      return eachItem(db, requireKey(id));
    },
    /** Verdicts in the suite's order, without texts, people's overrides in the graders' place. */
    listGrades(id: string): StoredGrade[] {
      const key = requireKey(id);
      return withOverrides(selectGrades(db, key), selectOverrides(db, key));
    },
    /** The same as they were graded: what an evaluation's own scores are made of. */
    listGradesAsGraded(id: string): StoredGrade[] {
      return selectGrades(db, requireKey(id));
    },
    getEvaluationItem(id: string, ordinal: number): StoredItem | null {
      return selectItem(db, requireKey(id), ordinal);
    },
    getEvaluationItemNamed(id: string, itemId: string, sample: number): StoredItem | null {
      return selectItemNamed(db, requireKey(id), itemId, sample);
    },
    listEvaluationItemRows(
      id: string,
      filter: Exclude<ItemFilter, 'flipped'>,
      page: { offset: number; limit: number },
    ): { rows: StoredItemRow[]; total: number } {
      const key = requireKey(id);
      return { rows: selectItemRows(db, key, filter, page), total: countItemRows(db, key, filter) };
    },
    countEvaluationItems(id: string, filter: Exclude<ItemFilter, 'flipped'>): number {
      return countItemRows(db, requireKey(id), filter);
    },

    listOverrides(id: string): ItemOverride[] {
      return selectOverrides(db, requireKey(id));
    },
    /** Keeps a person's verdict beside the program's. @throws Failure `unknownEvaluationItem`, `badRecord` */
    putOverride(id: string, override: ItemOverride): void {
      const checked = checkedRecord(itemOverrideSchema, override, `override of evaluation "${id}"`);
      immediately(db, () => {
        const { plan } = requireStored(id);
        const key = requireKey(id);
        if (selectItem(db, key, checked.ordinal) === null)
          throw new Failure(
            'unknownEvaluationItem',
            `Evaluation "${id}" has no answer ${checked.ordinal}.`,
            2,
          );
        upsertOverride(db, key, checked);
        appendToChain(db, now, plan.subject.runId, 'evaluation.overridden', { id, override: checked });
      });
    },
    /** Takes a person's verdict back. Nothing happens where there is none. */
    removeOverride(id: string, ordinal: number): void {
      immediately(db, () => {
        const { plan } = requireStored(id);
        if (removeOverride(db, requireKey(id), ordinal))
          appendToChain(db, now, plan.subject.runId, 'evaluation.overrideWithdrawn', { id, ordinal });
      });
    },
  };
}
