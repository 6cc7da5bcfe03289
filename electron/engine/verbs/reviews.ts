import { z } from 'zod';
import {
  auditPlanSchema,
  labelVerdictSchema,
  personDraftSchema,
  personLabelSchema,
} from '../../contract/index.ts';
import { auditLabel, labelAccuracy, labelsToAudit } from '../../supervision/index.ts';
import type { Engine } from '../engine.ts';
import { ofRun, router, verb } from './verb.ts';

const ofRunOrAll = z.object({ /** null: of all runs at work. */ runId: z.string().min(1).nullable() });
const ofQuestion = ofRun.extend({ id: z.string().min(1) });

const ofAudit = z.object({ auditId: z.string().min(1) });
const ordinal = z.int().nonnegative();

/** Samples of recorded reviews: drawing, labelling, judging, measuring. */
const auditVerbs = (engine: Engine) =>
  router({
    list: verb.input(ofRunOrAll).query(({ input }) => engine.store.listAudits(input.runId)),
    defaults: verb.input(ofRun).query(({ input }) => engine.audits.defaults(input.runId)),
    preview: verb.input(auditPlanSchema).query(({ input }) => engine.audits.preview(input)),
    get: verb.input(ofAudit).query(({ input }) => engine.audits.get(input.auditId)),
    item: verb
      .input(ofAudit.extend({ ordinal }))
      .query(({ input }) => engine.audits.detail(input.auditId, input.ordinal)),
    results: verb.input(ofAudit).query(({ input }) => engine.audits.results(input.auditId)),
    create: verb.input(auditPlanSchema).mutation(({ input }) => engine.audits.create(input)),
    label: verb
      .input(
        ofAudit.extend({
          labels: z
            .array(z.strictObject({ ordinal, label: personLabelSchema.omit({ at: true }).nullable() }))
            .min(1)
            .max(2000),
        }),
      )
      .mutation(({ input }) => engine.audits.label(input.auditId, input.labels)),
    judge: verb
      .input(ofAudit.extend({ model: z.string().min(1), threads: z.int().positive().max(256).default(1) }))
      .mutation(({ input }) => engine.audits.judge(input.auditId, input.model, input.threads)),
    finish: verb.input(ofAudit).mutation(({ input }) => engine.audits.finish(input.auditId)),
    writeCsv: verb.input(ofAudit).mutation(({ input }) => engine.audits.writeCsv(input.auditId)),
    remove: verb.input(ofAudit).mutation(({ input }) => engine.audits.remove(input.auditId)),
  });

/** Labels that nobody knows to be right, and a person who looks at a part of them. */
const labelVerbs = (engine: Engine) =>
  router({
    /** Read again as `committedSteps` grows. */
    accuracy: verb
      .input(ofRun.extend({ committedSteps: z.int().nonnegative() }))
      .query(({ input: { runId } }) => labelAccuracy(engine.storeOf(runId), runId)),
    waiting: verb.input(ofRun).query(({ input: { runId } }) => labelsToAudit(engine.storeOf(runId), runId)),
    audit: verb
      .input(ofRun.extend({ taskId: z.string().min(1), verdict: labelVerdictSchema }))
      .mutation(({ input: { runId, taskId, verdict } }) => {
        auditLabel(engine.store, runId, taskId, verdict);
        for (const what of ['reviews.labels.waiting', 'reviews.labels.accuracy'])
          engine.emit({ kind: 'changed', what, runId });
        return { done: true };
      }),
  });

/** A person as supervisor of runs at work, and as auditor of what was reviewed. */
export const reviewVerbs = (engine: Engine) =>
  router({
    audits: auditVerbs(engine),
    labels: labelVerbs(engine),
    /** How many questions wait and when the first goes to its fallback; for banners. */
    waiting: verb.input(ofRunOrAll).query(({ input }) => engine.people.waiting(input.runId)),
    questions: verb.input(ofRunOrAll).query(({ input }) => engine.people.questions(input.runId)),
    question: verb.input(ofQuestion).query(({ input }) => engine.people.question(input.runId, input.id)),
    history: verb.input(ofRunOrAll).query(({ input }) => engine.people.history(input.runId)),
    answer: verb
      .input(
        ofQuestion.extend({
          decision: z.enum(['continue', 'retry']),
          issues: z.array(z.string()).max(8),
          feedback: z.string().max(4000),
        }),
      )
      .mutation(({ input: { runId, id, ...answer } }) => engine.people.answer(runId, id, answer)),
    keepDraft: verb
      .input(ofQuestion.extend({ draft: personDraftSchema.nullable() }))
      .mutation(({ input }) => engine.people.keepDraft(input.runId, input.id, input.draft)),
    passOn: verb
      .input(
        z.object({ questions: z.array(ofQuestion).min(1).max(5000), how: z.enum(['hand-over', 'skip']) }),
      )
      .mutation(({ input }) => ({ done: engine.people.passOn(input.questions, input.how) })),
  });
