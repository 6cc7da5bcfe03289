import { z } from 'zod';
import {
  evaluationRequestSchema,
  evaluationRowFilterSchema,
  evaluationRowOrderSchema,
  evaluationStateSchema,
  Failure,
  itemFilterSchema,
  matrixRequestSchema,
  type GradedItem,
  type ItemOverride,
  phaseSchema,
} from '../../contract/index.ts';
import type { Engine } from '../engine.ts';
import { exportItems, type ExportedItems } from '../exports/export-items.ts';
import {
  compareEvaluations,
  joinedReads,
  storeWith,
  pageItems,
  matrixText,
  TABLE_FORMATS,
  matrixOf,
  runAggregates,
  listSummaries,
  pageSummaries,
  requireSummary,
  suiteOf,
  subjectChoices,
  suiteChoices,
  wiresOfRun,
  calibrateJudge,
  chooseJudge,
  chosenJudge,
  listCalibrations,
  listJudges,
  RUBRICS,
  type EvaluationReads,
} from '../../evaluation/index.ts';
import { isSample } from '../../experiments/index.ts';
import { ofPage, router, verb } from './verb.ts';
import { lastJudgeProbe } from '../../reviewing/index.ts';
import { verifyEvaluation } from './verification.ts';

const contextSchema = z.union([
  z.object({ runId: z.string(), step: z.int().positive() }),
  z.object({ lines: z.array(z.string().trim().min(1).max(160)).min(1).max(12) }),
]);
const ofId = z.object({ id: z.string().min(1) });
const ofAnswer = ofId.extend({ ordinal: z.int().nonnegative() });

/** Tables and comparisons read the sample as they read the lab's own evaluations. */
const reads = (engine: Engine): EvaluationReads => joinedReads(engine.store, engine.sample.store);

/** Evaluations outlive their runs, so only the sample's are looked for elsewhere as well: the recorded ones, and those made here since. */
const readsFor = (engine: Engine, runId: string | undefined): EvaluationReads =>
  runId !== undefined && isSample(runId) ? reads(engine) : engine.store;

export type ShownItem = {
  item: GradedItem;
  override: ItemOverride | null;
  /** Its texts are hidden until a person asks to see them. */ hazardous: boolean;
};

/** Evaluations: what there is, how it compares, and having more made. */
export const evaluationVerbs = (engine: Engine) =>
  router({
    /** Finished ones as runs and their tables know them. */
    list: verb
      .input(z.object({ runId: z.string().optional() }).optional())
      .query(({ input }) => readsFor(engine, input?.runId).listEvaluations({ runId: input?.runId })),
    evaluate: verb
      .input(
        z.object({
          policy: z.union([
            z.object({ runId: z.string(), step: z.int().nonnegative() }),
            z.object({ model: z.string() }),
          ]),
          suites: z.array(z.string()).min(1),
          limit: z.int().positive(),
          seed: z.int().nonnegative(),
          contexts: z.array(contextSchema.nullable()).min(1),
        }),
      )
      .mutation(({ input }) => engine.evaluate(input)),

    suites: verb.query(() => suiteChoices(engine)),
    subjects: verb.query(() => subjectChoices(engine, engine.sample)),
    /** Tripwires of a run: those that were touched, oldest first, and the values they watch for. */
    wires: verb
      .input(z.object({ runId: z.string().min(1) }))
      .query(({ input }) => wiresOfRun(engine.storeOf(input.runId), input.runId)),
    summaries: verb
      .input(
        z
          .object({
            subject: z.string().optional(),
            suite: z.string().optional(),
            runId: z.string().optional(),
            states: z.array(evaluationStateSchema).optional(),
          })
          .optional(),
      )
      .query(({ input }) => listSummaries(readsFor(engine, input?.runId), input ?? {})),
    /** A page of this lab's evaluations in any order; the first one with what the list can be narrowed to. */
    rows: verb
      .input(
        ofPage.extend({
          filter: evaluationRowFilterSchema.optional(),
          order: evaluationRowOrderSchema.optional(),
        }),
      )
      .query(({ input: { filter, order, cursor, limit } }) =>
        pageSummaries(engine.store, filter, order, { cursor, limit }),
      ),
    get: verb.input(ofId).query(({ input }) => requireSummary(reads(engine), input.id)),
    /** A job, which comes to what differs where verdicts, scores and intervals are computed again. */
    verify: verb.input(ofId).mutation(({ input: { id } }) => {
      const { plan } = requireSummary(reads(engine), id);
      return verifyEvaluation(engine, id, `${plan.suite}, ${plan.subject.label}`);
    }),
    /** The paper's aggregates of runs at their last evaluated checkpoints, for lists of runs. */
    ofRuns: verb
      .input(z.object({ runIds: z.array(z.string().min(1)).max(500) }))
      .query(({ input }) => runAggregates(engine.store, input.runIds)),
    matrix: verb.input(matrixRequestSchema).query(({ input }) => matrixOf(reads(engine), input)),

    estimate: verb.input(evaluationRequestSchema).query(({ input }) => engine.evaluations.estimate(input)),
    start: verb.input(evaluationRequestSchema).mutation(({ input }) => engine.evaluations.start(input)),
    unfinished: verb.query(() => engine.evaluations.unfinished()),
    resume: verb
      .input(z.object({ ids: z.array(z.string().min(1)).min(1) }))
      .mutation(({ input }) => engine.evaluations.resume(input.ids)),
    rerun: verb.input(ofId).mutation(({ input }) => engine.evaluations.rerun(input.id)),
    remove: verb.input(ofId).mutation(({ input }) => {
      engine.evaluations.remove(input.id);
      return null;
    }),

    items: verb
      .input(
        ofId.extend({
          against: z.string().nullish(),
          show: itemFilterSchema.default('all'),
          cursor: z.string().nullish(),
          limit: z.int().min(1).max(500).default(100),
        }),
      )
      .query(({ input }) =>
        pageItems(reads(engine), { ...input, against: input.against ?? null, cursor: input.cursor ?? null }),
      ),
    item: verb.input(ofAnswer).query(({ input }): ShownItem => {
      const shown = shownItem(engine, input.id, reads(engine).getEvaluationItem(input.id, input.ordinal));
      if (shown === null)
        throw new Failure(
          'unknownEvaluationItem',
          `Evaluation "${input.id}" has no graded answer ${input.ordinal} yet.`,
          2,
        );
      return shown;
    }),
    /** The answer to the same question in another evaluation; null where there is none. */
    itemOf: verb
      .input(ofId.extend({ itemId: z.string().min(1), sample: z.int().nonnegative().default(0) }))
      .query(({ input }) =>
        shownItem(
          engine,
          input.id,
          reads(engine).getEvaluationItemNamed(input.id, input.itemId, input.sample),
        ),
      ),
    compare: verb
      .input(z.object({ before: z.string().min(1), after: z.string().min(1) }))
      .query(({ input }) => compareEvaluations(reads(engine), input.before, input.after)),

    /** A person's word on an answer, kept beside the verdict. */
    override: verb
      .input(
        ofAnswer.extend({
          outcome: z.enum(['passed', 'failed']),
          by: z.string().trim().min(1).max(120),
          note: z.string().max(2000),
        }),
      )
      .mutation(({ input: { id, ...override } }) => {
        engine.store.putOverride(id, { ...override, at: engine.clock.now().toISOString() });
        return changed(engine, id);
      }),
    withdrawOverride: verb.input(ofAnswer).mutation(({ input }) => {
      engine.store.removeOverride(input.id, input.ordinal);
      return changed(engine, input.id);
    }),

    exportMatrix: verb
      .input(z.object({ request: matrixRequestSchema, format: z.enum(TABLE_FORMATS) }))
      .query(({ input }) => ({ text: matrixText(matrixOf(reads(engine), input.request), input.format) })),
    /** A job, which comes to the file. */
    exportItems: verb
      .input(ofId.extend({ format: z.enum(['inspect', 'csv']), target: z.string().min(1).max(4096) }))
      .mutation(({ input }) =>
        exportItems(engine, storeWith(engine.store, engine.sample.store, input.id), input),
      ),
    /** The file that an export wrote; null while it is at work, and once it is forgotten. */
    exported: verb
      .input(z.object({ jobId: z.string().min(1) }))
      .query(({ input }) => engine.jobs.resultOf<ExportedItems>(input.jobId)),
  });

function shownItem(
  engine: Engine,
  id: string,
  found: ReturnType<Engine['store']['getEvaluationItem']>,
): ShownItem | null {
  if (found === null || found.grade === null) return null;
  const { plan } = reads(engine).requireStoredEvaluation(id);
  const override =
    reads(engine)
      .listOverrides(id)
      .find(({ ordinal }) => ordinal === found.ordinal) ?? null;
  return {
    item: { ...found, grade: found.grade },
    override,
    hazardous: suiteOf(plan.suite)?.hazardous ?? false,
  };
}

function changed(engine: Engine, id: string) {
  const summary = requireSummary(engine.store, id);
  const { runId } = summary.plan.subject;
  engine.evaluations.changed(runId);
  // Lists of runs and comparisons of them show scores too.
  engine.emit({ kind: 'changed', what: 'runs', runId });
  return summary;
}

/** Models that judge answers, and how far they can be trusted. */
export const judgeVerbs = (engine: Engine) =>
  router({
    list: verb.query(() => listJudges(engine.store)),
    /** What judges are told; the version names the wording. */
    rubrics: verb.query(() =>
      RUBRICS.map(({ name, version, system, question }) => ({ name, version, system, question })),
    ),
    calibrations: verb.query(() => listCalibrations(engine.store)),
    calibrate: verb
      .input(
        z.object({
          model: z.string().min(1),
          path: z.string().min(1).max(4096),
          limit: z.int().positive().nullable(),
        }),
      )
      .mutation(({ input }) => calibrateJudge(engine, input)),
    /** How well a model of the library judged items with known answers, the last time that was asked. */
    lastProbe: verb
      .input(z.object({ model: z.string().min(1) }))
      .query(({ input }) => lastJudgeProbe(engine, input.model)),
    probe: verb
      .input(
        z.object({
          model: z.string().min(1).max(4096),
          items: z.int().positive().max(10_000),
          phases: z.array(phaseSchema).min(1),
          seed: z.int().nonnegative(),
          threads: z.int().positive().max(256),
        }),
      )
      .mutation(({ input }) => engine.probeJudge(input)),
    chosen: verb.query(() => chosenJudge(engine.store)),
    choose: verb.input(z.object({ model: z.string().min(1).nullable() })).mutation(async ({ input }) => {
      await chooseJudge(engine, input.model);
      return null;
    }),
  });
