import type { Database } from 'better-sqlite3';
import {
  auditHeadSchema,
  auditItemSchema,
  auditJudgeSchema,
  auditPlanSchema,
  auditResultsSchema,
  Failure,
  judgeLabelSchema,
  personLabelSchema,
  type Audit,
  type AuditHead,
  type AuditItem,
  type AuditJudge,
  type AuditPlan,
  type AuditResults,
  type JudgeLabel,
  type PersonLabel,
} from '../../contract/index.ts';
import { attestedText, CONTRADICTS, recordsSha256 } from '../audit-log/digests.ts';
import { appendToChain, type Clock } from '../audit-log/events.ts';
import { checkedRecord, immediately } from '../sql.ts';
import { knownRun } from '../runs/repository.ts';
import {
  insertAudit,
  removeAuditLabel,
  removeAuditRow,
  removeJudgeLabels,
  selectAuditable,
  selectAuditHead,
  selectAuditHeads,
  selectAuditItems,
  selectAuditLabels,
  updateAuditJudge,
  updateAuditResults,
  upsertAuditLabel,
} from './rows.ts';
import type { AuditableReview } from './rows.ts';

/** Attested by the `audit.created` event: the plan and the sample drawn by it. */
export const sampleSha256 = (plan: AuditPlan, items: readonly AuditItem[]): string =>
  recordsSha256('anchor-audit-sample-v1', [plan, ...items]);
/** Attested by the `audit.finished` event: the figures and every label behind them. */
const outcomeSha256 = ({ head, labels }: Audit): string =>
  recordsSha256('anchor-audit-outcome-v1', [head.judge, head.results, ...labels]);

function readAudit(db: Database, id: string): Audit | null {
  const head = selectAuditHead(db, id);
  return head === null ? null : { head, items: selectAuditItems(db, id), labels: selectAuditLabels(db, id) };
}

/** The sample as it is stored, for comparison with what was attested; `nothing` when it is gone. @param whole with what first events left out */
export function auditAsStored(db: Database, id: string, whole: boolean): string {
  const head = selectAuditHead(db, id);
  if (head === null) return 'nothing';
  const { createdAt, runName, wanted, plan } = head;
  const sha256 = sampleSha256(plan, selectAuditItems(db, id));
  const ofRun = selectAuditHeads(db, plan.runId).some((each) => each.id === id);
  if (!ofRun || head.sampleSha256 !== sha256) return CONTRADICTS;
  return attestedText(sha256, whole ? { createdAt, runName, wanted } : {});
}

/** Attested by `audit.labelled` and `audit.judge`: labels and judge of an audit that is open or closed. */
export function auditLabelsAsStored(db: Database, id: string): string {
  const judge = selectAuditHead(db, id)?.judge ?? null;
  return recordsSha256('anchor-audit-labels-v1', [judge, ...selectAuditLabels(db, id)]);
}

/** Figures and labels of a finished audit as stored; `nothing` while it is open. */
export function auditOutcomeAsStored(db: Database, id: string, whole: boolean): string {
  const audit = readAudit(db, id);
  if (audit === null || audit.head.results === null) return 'nothing';
  return attestedText(outcomeSha256(audit), whole ? { finishedAt: audit.head.finishedAt } : {});
}

function knownAudit(db: Database, id: string): Audit {
  const audit = readAudit(db, id);
  if (audit === null)
    throw new Failure('unknownAudit', `There is no audit "${id}" in this lab; it may have been deleted.`, 2);
  return audit;
}

/** Audits of recorded reviews. */
export function auditRepository(db: Database, now: Clock) {
  /** A label that changes after the audit was closed takes its figures back: they are of other labels. */
  const reopen = (id: string): void => {
    if (selectAuditHead(db, id)?.results == null) return;
    updateAuditResults(db, id, null, null);
    appendToChain(db, now, null, 'audit.reopened', { id });
  };
  const attestLabels = (id: string): void => {
    appendToChain(db, now, null, 'audit.labelled', { id, labelsSha256: auditLabelsAsStored(db, id) });
    reopen(id);
  };
  const requireItem = (id: string, ordinal: number): void => {
    if (!knownAudit(db, id).items.some((item) => item.ordinal === ordinal))
      throw new Failure('unknownAuditItem', `The audit "${id}" has no item ${ordinal}.`, 2);
  };
  return {
    /** Answered reviews of a range of steps, both ends included, without their texts. */
    listAuditable(runId: string, fromStep: number, toStep: number): AuditableReview[] {
      return selectAuditable(db, runId, fromStep, toStep);
    },
    /** Stores a sample. It can be deleted with its audit but never changed. @throws Failure `unknownRun`, `badRecord` */
    createAudit({
      id,
      plan,
      wanted,
      items,
    }: {
      id: string;
      plan: AuditPlan;
      wanted: number;
      items: readonly AuditItem[];
    }): AuditHead {
      return immediately(db, () => {
        const run = knownRun(db, plan.runId);
        const sample = items.map((item) =>
          checkedRecord(auditItemSchema, item, `item ${item.ordinal} of audit "${id}"`),
        );
        const checkedPlan = checkedRecord(auditPlanSchema, plan, `plan of audit "${id}"`);
        const head = checkedRecord(
          auditHeadSchema,
          {
            id,
            createdAt: now().toISOString(),
            runName: run.config.name,
            plan: checkedPlan,
            wanted,
            sampleSha256: sampleSha256(checkedPlan, sample),
            judge: null,
            results: null,
            finishedAt: null,
          },
          `audit "${id}"`,
        );
        insertAudit(db, head, sample);
        appendToChain(db, now, plan.runId, 'audit.created', {
          id,
          sha256: head.sampleSha256,
          items: sample.length,
          seed: plan.seed,
          createdAt: head.createdAt,
          runName: head.runName,
          wanted: head.wanted,
        });
        return head;
      });
    },
    /** Newest first; null for those of every run. */
    listAudits(runId: string | null): AuditHead[] {
      return selectAuditHeads(db, runId);
    },
    getAudit(id: string): Audit | null {
      return readAudit(db, id);
    },
    /** Sets or takes back (null) a person's label. @throws Failure `unknownAudit`, `unknownAuditItem`, `badRecord` */
    putPersonLabels(id: string, labels: readonly { ordinal: number; label: PersonLabel | null }[]): void {
      immediately(db, () => {
        for (const { ordinal, label } of labels) {
          requireItem(id, ordinal);
          if (label === null) removeAuditLabel(db, id, ordinal, 'person');
          else
            upsertAuditLabel(
              db,
              id,
              ordinal,
              'person',
              checkedRecord(personLabelSchema, label, `label ${ordinal} of audit "${id}"`),
            );
        }
        attestLabels(id);
      });
    },
    putJudgeLabel(id: string, ordinal: number, label: JudgeLabel): void {
      immediately(db, () => {
        requireItem(id, ordinal);
        upsertAuditLabel(
          db,
          id,
          ordinal,
          'judge',
          checkedRecord(judgeLabelSchema, label, `judgement ${ordinal} of audit "${id}"`),
        );
        attestLabels(id);
      });
    },
    /** Names the judge. Judgements of another one are removed: figures never mix judges. */
    setAuditJudge(id: string, judge: AuditJudge): void {
      immediately(db, () => {
        const { head } = knownAudit(db, id);
        if (head.judge !== null && head.judge.sha256 !== judge.sha256) removeJudgeLabels(db, id);
        updateAuditJudge(db, id, checkedRecord(auditJudgeSchema, judge, `judge of audit "${id}"`));
        reopen(id);
        appendToChain(db, now, null, 'audit.judge', {
          id,
          model: judge.model,
          modelSha256: judge.sha256,
          fit: judge.fit,
          asked: judge.probe.asked,
          right: judge.probe.right,
          labelsSha256: auditLabelsAsStored(db, id),
        });
      });
    },
    /** Closes the audit with its figures. */
    finishAudit(id: string, results: AuditResults): AuditHead {
      return immediately(db, () => {
        knownAudit(db, id);
        updateAuditResults(
          db,
          id,
          checkedRecord(auditResultsSchema, results, `results of audit "${id}"`),
          now().toISOString(),
        );
        const audit = knownAudit(db, id);
        appendToChain(db, now, null, 'audit.finished', {
          id,
          sha256: outcomeSha256(audit),
          finishedAt: audit.head.finishedAt,
        });
        return audit.head;
      });
    },
    /** Deletes sample and labels; the events keep that there was one. */
    deleteAudit(id: string): void {
      immediately(db, () => {
        const { head, labels } = knownAudit(db, id);
        reopen(id);
        removeAuditRow(db, id);
        appendToChain(db, now, null, 'audit.deleted', { id, runId: head.plan.runId, labels: labels.length });
      });
    },
  };
}
