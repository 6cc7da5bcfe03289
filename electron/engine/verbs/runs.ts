import { z } from 'zod';
import {
  checkpointFormatSchema,
  runAnnotationSchema,
  runConfigSchema,
  runOrderSchema,
  runRowFilterSchema,
  runStateSchema,
  MEASURE_NAMES,
  MEASURES,
  type Verifications,
} from '../../contract/index.ts';
import type { Engine } from '../engine.ts';
import { isSample } from '../../experiments/index.ts';
import { commandOf } from '../../plan/index.ts';
import {
  flipsBetween,
  joinedReads,
  runScoreChanges,
  scoresOfRun,
  wiresOfRun,
} from '../../evaluation/index.ts';
import { diskUse } from '../../machine/index.ts';
import type { ExportedRun } from '../runs/export-run.ts';
import { whatIsRedone } from '../runs/run-queue.ts';
import { ofPage, ofRun, router, verb } from './verb.ts';
import { verifyRun } from './verification.ts';

/** Compared at once; beyond this a screen shows bands, not lines. */
const MOST_COMPARED = 200;
const ofRuns = z.object({ runIds: z.array(z.string().min(1)).min(1).max(MOST_COMPARED) });

/** Where each run is kept; runs that are gone are left out. */
const storesOf = (engine: Engine, runIds: readonly string[]): { runId: string; store: Engine['store'] }[] =>
  runIds.flatMap((runId) => {
    const store = isSample(runId) ? engine.sample.store : engine.store;
    return store === null || store.getRun(runId) === null ? [] : [{ runId, store }];
  });

/** Runs: find, start, steer, measure, compare, annotate, export, delete. */
export const runVerbs = (engine: Engine) =>
  router({
    list: verb
      .input(
        ofPage.extend({ states: z.array(runStateSchema).optional(), text: z.string().optional() }).optional(),
      )
      .query(({ input }) =>
        engine.store.listRuns(
          { states: input?.states, text: input?.text },
          { cursor: input?.cursor, limit: input?.limit },
        ),
      ),
    rows: verb
      .input(ofPage.extend({ filter: runRowFilterSchema.optional(), order: runOrderSchema.optional() }))
      .query(({ input }) =>
        engine.store.pageRunRows(input.filter, input.order, { cursor: input.cursor, limit: input.limit }),
      ),
    /** The recorded sample's runs, in the order in which they were recorded; none while it is not open. */
    sample: verb.query(
      () => engine.sample.store?.pageRunRows({}, { by: 'created', descending: false }).rows ?? [],
    ),
    row: verb.input(ofRun).query(({ input }) => engine.store.getRunRow(input.runId)),
    get: verb.input(ofRun).query(({ input }) => engine.storeOf(input.runId).getRun(input.runId)),
    steps: verb
      .input(ofRun.extend({ after: z.int().optional() }))
      .query(({ input }) => engine.storeOf(input.runId).listSteps(input.runId, { after: input.after })),
    metricNames: verb.input(ofRun).query(({ input }) => engine.storeOf(input.runId).metricNames(input.runId)),
    metrics: verb
      .input(
        ofRun.extend({
          names: z.array(z.string()).max(100),
          every: z.int().positive().optional(),
          kind: z.enum(['metric', 'timing']).optional(),
        }),
      )
      .query(({ input }) =>
        engine
          .storeOf(input.runId)
          .metricSeries(input.runId, input.names, { every: input.every, kind: input.kind }),
      ),
    checkpoints: verb
      .input(ofRun)
      .query(({ input }) => engine.storeOf(input.runId).listCheckpoints(input.runId)),

    /** Several runs side by side: what each was told, worked with and came to. Runs that are gone are left out: a link outlives them. */
    compare: verb.input(ofRuns).query(({ input }) =>
      storesOf(engine, input.runIds).map(({ runId, store }) => ({
        run: store.requireRun(runId),
        row: store.getRunRow(runId),
        sandboxLevels: store.sandboxLevels(runId),
      })),
    ),
    /** One measure of several runs over their steps. */
    curves: verb.input(ofRuns.extend({ measure: z.enum(MEASURE_NAMES) })).query(({ input }) => {
      const { names, combine } = MEASURES[input.measure];
      return storesOf(engine, input.runIds).map(({ runId, store }) => store.runCurve(runId, names, combine));
    }),
    /** Scores of the checkpoints of several runs, and what their tripwires put into curves of them. */
    scores: verb.input(ofRuns).query(({ input }) =>
      storesOf(engine, input.runIds).map(({ runId, store }) => ({
        runId,
        scores: scoresOfRun(store, runId),
        ...wiresOfRun(store, runId),
      })),
    ),
    /** How the scores of runs at their last evaluated steps differ from those of the first, over the items that both answered. */
    scoreChanges: verb.input(ofRuns).query(({ input: { runIds } }) => {
      const [base, ...others] = storesOf(engine, runIds).map(({ runId, store }) => ({
        runId,
        scores: store.getRunRow(runId)?.scores ?? [],
      }));
      const reads = joinedReads(engine.store, engine.sample.store);
      return others.map(({ runId, scores }) => ({
        runId,
        changes: runScoreChanges(reads, base?.scores ?? [], scores),
      }));
    }),
    /** Items on which two evaluations disagree. */
    flips: verb
      .input(z.object({ before: z.string().min(1), after: z.string().min(1) }))
      .query(({ input }) =>
        flipsBetween(joinedReads(engine.store, engine.sample.store), input.before, input.after),
      ),
    /** What the list does not show of a run: its last event, what resuming repeats, the command that starts the same. */
    details: verb.input(ofRun).query(({ input: { runId } }) => {
      const run = engine.store.requireRun(runId);
      return {
        run,
        active: engine.isActive(runId),
        redo: whatIsRedone(run, engine.store),
        lastEvent: engine.store.lastEventOf(runId),
        command: commandOf(run.config),
        /** Steps that a run of its own can go on from. */
        branchSteps: [...new Set(engine.store.listCheckpoints(runId).map(({ step }) => step))].filter(
          (step) => step < run.config.steps,
        ),
      };
    }),
    disk: verb
      .input(ofRun)
      .query(({ input }) => diskUse(engine.lab.run(engine.store.requireRun(input.runId).folder))),
    activity: verb.query(() => engine.activity()),

    start: verb.input(runConfigSchema).mutation(({ input }) => engine.startRun(input)),
    resume: verb.input(ofRun).mutation(({ input }) => engine.resume(input.runId)),
    /** Goes on from an earlier step in a run of its own. */
    branch: verb
      .input(ofRun.extend({ step: z.int().min(0) }))
      .mutation(({ input }) => engine.branch(input.runId, input.step)),
    pause: verb.input(ofRun).mutation(({ input }) => engine.pause(input.runId)),
    stop: verb.input(ofRun).mutation(({ input }) => engine.stop(input.runId)),
    annotate: verb
      .input(
        ofRuns.extend({
          change: runAnnotationSchema.partial(),
          /** Tags to add to those there are, for several runs at once. */ addTags:
            runAnnotationSchema.shape.tags.optional(),
        }),
      )
      .mutation(({ input: { runIds, change, addTags = [] } }) => {
        const annotations = runIds.map((runId) =>
          engine.storeOf(runId).annotateRun(runId, {
            ...change,
            ...(addTags.length === 0
              ? {}
              : { tags: [...new Set([...engine.storeOf(runId).getAnnotation(runId).tags, ...addTags])] }),
          }),
        );
        engine.emit({
          kind: 'changed',
          what: 'runs',
          runId: runIds.length === 1 ? (runIds[0] as string) : null,
        });
        return annotations;
      }),
    delete: verb.input(ofRun).mutation(({ input }) => engine.deleteRun(input.runId)),
    /** A job, which comes to the folder and what is in it. */
    export: verb
      .input(ofRun.extend({ target: z.string().min(1), formats: z.array(checkpointFormatSchema) }))
      .mutation(({ input }) => engine.exportRun(input.runId, input.target, input.formats)),
    /** What an export wrote and where; null while it is at work, and once it is forgotten. */
    exported: verb
      .input(z.object({ jobId: z.string().min(1) }))
      .query(({ input }) => engine.jobs.resultOf<ExportedRun>(input.jobId)),
    /** A job, which comes to what differs of the run and its evaluations where they are computed again. */
    verify: verb.input(ofRun).mutation(({ input: { runId } }) => verifyRun(engine, runId)),
    /** What a verification found; null while it is at work, and once it is forgotten. */
    verification: verb
      .input(z.object({ jobId: z.string().min(1) }))
      .query(({ input }) => engine.jobs.resultOf<Verifications>(input.jobId)),
  });
