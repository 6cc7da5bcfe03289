import { join } from 'node:path';
import {
  Failure,
  type Audit,
  type AuditHead,
  type AuditItemDetail,
  type AuditPlan,
  type AuditResults,
  type Job,
  type PersonLabel,
  type Phase,
  type RolloutRecord,
  type LiveEvent,
} from '../contract/index.ts';
import { goldsOfTask } from '../evolution/index.ts';
import { writeExport } from '../library/index.ts';
import {
  auditCsv,
  auditResults,
  drawAudit,
  isAuditable,
  middleSteps,
  PAPER_PER_PHASE,
  PAPER_PHASES,
  wantedOf,
} from '../supervision/index.ts';
import { answerEnd } from './answer-end.ts';
import { judgeAudit, type JudgeTools } from './judge-audit.ts';

export type AuditTools = JudgeTools & {
  lab: { root: string };
  /** Sends an event to everyone who follows the lab. */
  emit: (event: LiveEvent) => void;
  /** Text that no earlier call returned, for ids. */
  randomId: () => string;
};

/** More than a person labels in a week; a sample is read whole by the room. */
const MOST_ITEMS = 2000;

/** What a plan would sample, before it is stored. */
export type AuditPreview = {
  wanted: number;
  sampled: number;
  byPhase: { phase: Phase; wanted: number; sampled: number; answered: number }[];
};

/** The audits of a lab: blind samples of recorded reviews, a person's labels, and what they come to. */
export class Audits {
  readonly #tools: AuditTools;

  constructor(tools: AuditTools) {
    this.#tools = tools;
  }

  /** The paper's plan for a run: two reviews of each phase but exec per step, from the middle twenty steps. */
  defaults(runId: string): AuditPlan {
    const { committedSteps } = this.#tools.store.requireRun(runId);
    return {
      runId,
      ...middleSteps(committedSteps),
      perPhase: PAPER_PER_PHASE,
      phases: [...PAPER_PHASES],
      seed: 1,
    };
  }

  preview(plan: AuditPlan): AuditPreview {
    const answered = this.#candidates(plan).filter(isAuditable);
    const sample = drawAudit(plan, answered);
    const count = (list: readonly { phase: Phase }[], phase: Phase): number =>
      list.filter((each) => each.phase === phase).length;
    const byPhase = plan.phases.map((phase) => ({
      phase,
      wanted: wantedOf({ ...plan, phases: [phase] }),
      sampled: count(sample, phase),
      answered: count(answered, phase),
    }));
    return { wanted: wantedOf(plan), sampled: sample.length, byPhase };
  }

  /** Draws and stores the sample. @throws Failure `nothingToAudit`, `auditTooLarge`, `unknownRun` (exit code 2) */
  create(plan: AuditPlan): AuditHead {
    const items = drawAudit(plan, this.#candidates(plan));
    if (items.length === 0) {
      throw new Failure(
        'nothingToAudit',
        `Steps ${plan.fromStep} to ${plan.toStep} of run "${plan.runId}" have no answered review of these phases; choose other steps or phases.`,
        2,
      );
    }
    if (items.length > MOST_ITEMS) {
      throw new Failure(
        'auditTooLarge',
        `This plan would sample ${items.length} reviews; an audit has at most ${MOST_ITEMS}. Choose fewer steps, or fewer per phase.`,
        2,
      );
    }
    const id = `audit-${this.#tools.clock.now().toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}-${this.#tools.randomId()}`;
    const head = this.#tools.store.createAudit({ id, plan, wanted: wantedOf(plan), items });
    this.#emit(plan.runId);
    return head;
  }

  /** @throws Failure `unknownAudit` (exit code 2) */
  get(id: string): Audit {
    const audit = this.#tools.store.getAudit(id);
    if (audit === null)
      throw new Failure(
        'unknownAudit',
        `There is no audit "${id}" in this lab; it may have been deleted.`,
        2,
      );
    return audit;
  }

  /** The texts of one item. Whether the supervisor's side is shown already is the caller's to decide. */
  detail(id: string, ordinal: number): AuditItemDetail {
    const { head, items } = this.get(id);
    const item = items.find((each) => each.ordinal === ordinal);
    if (item === undefined)
      throw new Failure('unknownAuditItem', `The audit "${id}" has no item ${ordinal}.`, 2);
    const { store } = this.#tools;
    const isThere = store.getRun(head.plan.runId) !== null;
    const record =
      isThere && item.rolloutId !== null ? store.getRecord(head.plan.runId, item.rolloutId) : null;
    const review = isThere ? store.getReview(head.plan.runId, item.reviewId) : null;
    return {
      item,
      agent:
        record === null
          ? null
          : {
              asked: record.rollout.user,
              text: textAt(record.rollout, item.phase),
              ...answerEnd(record.rollout),
            },
      review:
        review === null
          ? null
          : {
              decision: review.decision,
              issues: review.issues,
              feedback: review.feedback,
              leaks: review.leaks,
              prompt: review.prompt,
              milliseconds: review.milliseconds,
              tokensIn: review.tokensIn,
              tokensOut: review.tokensOut,
            },
      hidden:
        record === null || record.task === null
          ? []
          : goldsOfTask(record.task).map((gold) => (gold.kind === 'program' ? gold.source : gold.text)),
    };
  }

  /** Sets, replaces or takes back (null) labels of a person. */
  label(id: string, labels: readonly { ordinal: number; label: Omit<PersonLabel, 'at'> | null }[]): void {
    const at = this.#tools.clock.now().toISOString();
    this.#tools.store.putPersonLabels(
      id,
      labels.map(({ ordinal, label }) => ({ ordinal, label: label === null ? null : { ...label, at } })),
    );
    this.changed(id);
  }

  results(id: string): AuditResults {
    return auditResults(this.get(id));
  }

  /** Stores the figures with the audit, attested by the lab's events. */
  finish(id: string): AuditHead {
    const head = this.#tools.store.finishAudit(id, this.results(id));
    this.changed(id);
    return head;
  }

  remove(id: string): void {
    const { head } = this.get(id);
    this.#tools.store.deleteAudit(id);
    this.#emit(head.plan.runId);
  }

  /** Writes one line per item below the lab folder and tells where. A second export replaces the first. */
  writeCsv(id: string): { file: string; rows: number } {
    const audit = this.get(id);
    const file = join(this.#tools.lab.root, 'audits', `${audit.head.id}.csv`);
    writeExport(file, [auditCsv(audit)]);
    return { file, rows: audit.items.length };
  }

  /** Tells whoever watches that labels or figures of an audit changed. */
  changed(id: string): void {
    this.#emit(this.get(id).head.plan.runId);
  }

  /** Starts a job in which a model judges the sampled reviews. */
  judge(id: string, model: string, threads: number): Promise<Job> {
    return judgeAudit(this.#tools, this, id, model, threads);
  }

  #emit(runId: string): void {
    this.#tools.emit({ kind: 'changed', what: 'reviews.audits', runId });
  }

  #candidates({ runId, fromStep, toStep }: AuditPlan) {
    this.#tools.store.requireRun(runId);
    if (toStep < fromStep)
      throw new Failure(
        'usage',
        `The steps to audit run from ${fromStep} to ${toStep}; the last must not come before the first.`,
        2,
      );
    return this.#tools.store.listAuditable(runId, fromStep, toStep);
  }
}

/** What the agent wrote at a phase. */
function textAt({ plan, thought, answer }: RolloutRecord, phase: Phase): string | null {
  switch (phase) {
    case 'plan':
      return plan;
    case 'thought':
      return thought;
    case 'task':
    case 'output':
      return answer;
    case 'exec':
      return null;
  }
}
