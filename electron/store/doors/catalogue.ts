import type { Database } from 'better-sqlite3';
import { Failure, evaluationRecordSchema, modelRecordSchema } from '../../contract/index.ts';
import type { EvaluationItem, EvaluationRecord, ModelRecord } from '../../contract/index.ts';
import { checkedRecord } from '../checked-record.ts';
import { evaluationSha256, modelSha256 } from '../digests.ts';
import { selectSetting, upsertSetting } from '../opening/settings.ts';
import {
  insertEvaluation,
  selectEvaluationHead,
  selectEvaluationHeads,
  selectEvaluationItems,
} from '../queries/evaluations.ts';
import type { EvaluationFilter, EvaluationHead } from '../queries/evaluations.ts';
import { removeModelRow, selectModel, selectModels, upsertModel } from '../queries/models.ts';
import { immediately } from '../sql.ts';
import { wellFormed } from '../well-formed-text.ts';
import { appendToChain } from './events.ts';
import type { Clock } from './events.ts';

export function readEvaluation(db: Database, id: string): EvaluationRecord | null {
  const head = selectEvaluationHead(db, id);
  return head === null ? null : { ...head, items: selectEvaluationItems(db, id) };
}

/** Models, evaluations and settings of the lab. */
export function catalogueDoor(db: Database, now: Clock) {
  return {
    /** Adds a model; one of the same name is replaced. */
    putModel(model: ModelRecord): void {
      const record = checkedRecord(modelRecordSchema, model, `model "${model.name}"`);
      immediately(db, () => {
        const before = selectModel(db, record.name);
        const recordSha256 = modelSha256(record);
        if (before !== null && modelSha256(before) === recordSha256) return;
        upsertModel(db, record);
        appendToChain(db, now, null, 'model.stored', {
          name: record.name,
          kind: record.kind,
          sha256: record.sha256,
          recordSha256,
        });
      });
    },
    getModel(name: string): ModelRecord | null {
      return selectModel(db, name);
    },
    listModels(): ModelRecord[] {
      return selectModels(db);
    },
    /** Forgets the record, not the file. Returns false when there was none. */
    removeModel(name: string): boolean {
      return immediately(db, () => {
        const removed = removeModelRow(db, name);
        if (removed) appendToChain(db, now, null, 'model.removed', { name });
        return removed;
      });
    },

    /** Stores a finished evaluation with its items. Storing the same again does nothing; the same id with other data fails with kind `evaluationConflict`. */
    putEvaluation(evaluation: EvaluationRecord): void {
      const record = checkedRecord(evaluationRecordSchema, evaluation, `evaluation "${evaluation.id}"`);
      const sha256 = evaluationSha256(record);
      immediately(db, () => {
        const before = readEvaluation(db, record.id);
        if (before !== null) {
          if (evaluationSha256(before) === sha256) return;
          throw new Failure(
            'evaluationConflict',
            `Evaluation "${record.id}" is stored with another result; give the new one its own id.`,
          );
        }
        insertEvaluation(db, record);
        appendToChain(db, now, record.runId, 'evaluation.stored', {
          id: record.id,
          sha256,
          suite: record.suite,
          suiteSha256: record.suiteSha256,
          weightsSha256: record.weightsSha256,
          contextHash: record.contextHash,
          seed: record.seed,
          n: record.n,
          passed: record.passed,
        });
      });
    },
    /** In the order they were stored, without items. `runId: null` finds those that belong to no run. */
    listEvaluations(filter: EvaluationFilter = {}): EvaluationHead[] {
      return selectEvaluationHeads(db, filter);
    },
    getEvaluation(id: string): EvaluationRecord | null {
      return readEvaluation(db, id);
    },
    getEvaluationItems(id: string): EvaluationItem[] {
      return selectEvaluationItems(db, id);
    },

    /** A value kept for the lab, null when it was never set. Names beginning with "app." are the caller's to choose. */
    getSetting(name: `app.${string}`): unknown {
      return selectSetting(db, name);
    },
    /** @param value plain JSON data */
    setSetting(name: `app.${string}`, value: unknown): void {
      immediately(db, () => {
        upsertSetting(db, name, wellFormed(value));
        appendToChain(db, now, null, 'setting.stored', { name, value });
      });
    },
  };
}
