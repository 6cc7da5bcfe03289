import { EventEmitter, on } from 'node:events';
import { initTRPC, TRPCError, tracked } from '@trpc/server';
import { z } from 'zod';
import { Failure, runConfigSchema, runStateSchema, type ProgressEvent } from '../contract/index.ts';
import type { Engine } from './engine.ts';

const t = initTRPC.create();

/** A failure the caller can act on keeps its sentence; anything else stays an internal error. */
const verb = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (!result.ok && result.error.cause instanceof Failure) {
    const { message, exitCode } = result.error.cause;
    throw new TRPCError({ code: exitCode === 2 ? 'BAD_REQUEST' : 'PRECONDITION_FAILED', message, cause: result.error.cause });
  }
  return result;
});

const runId = z.object({ runId: z.string().min(1) });

/** The engine's verbs with their input schemas; hosts serve it over their sockets. */
export function createRouter(engine: Engine) {
  return t.router({
    runs: verb.input(z.object({ cursor: z.string().nullish(), limit: z.int().min(1).max(500).optional(), states: z.array(runStateSchema).optional(), text: z.string().optional() }).optional())
      .query(({ input }) => engine.store.listRuns({ states: input?.states, text: input?.text }, { cursor: input?.cursor, limit: input?.limit })),
    run: verb.input(runId).query(({ input }) => engine.store.getRun(input.runId)),
    steps: verb.input(runId.extend({ after: z.int().optional() })).query(({ input }) => engine.store.listSteps(input.runId, { after: input.after })),
    records: verb.input(runId.extend({ cursor: z.string().nullish(), limit: z.int().min(1).max(500).optional(), step: z.int().optional() }))
      .query(({ input }) => engine.store.pageRollouts(input.runId, input.step === undefined ? {} : { fromStep: input.step, toStep: input.step }, { cursor: input.cursor, limit: input.limit })),
    record: verb.input(runId.extend({ recordId: z.string() })).query(({ input }) => engine.store.getRecord(input.runId, input.recordId)),
    search: verb.input(z.object({ runId: z.string().nullable(), text: z.string().min(1), limit: z.int().max(500).optional() }))
      .query(({ input }) => engine.store.searchRecords(input.runId, input.text, input.limit)),
    context: verb.input(runId.extend({ step: z.int().positive() })).query(({ input }) => engine.store.getContext(input.runId, input.step)),
    lineage: verb.input(runId.extend({ lineId: z.string() })).query(({ input }) => engine.store.lineageOf(input.runId, input.lineId)),
    contextLines: verb.input(runId).query(({ input }) => engine.store.contextLines(input.runId)),
    reviews: verb.input(runId.extend({ step: z.int().positive() })).query(({ input }) => engine.store.listReviews(input.runId, input.step)),
    summaries: verb.input(runId.extend({ step: z.int().positive() })).query(({ input }) => engine.store.listSummaries(input.runId, input.step)),
    metricNames: verb.input(runId).query(({ input }) => engine.store.metricNames(input.runId)),
    metrics: verb.input(runId.extend({ names: z.array(z.string()).max(100), every: z.int().positive().optional(), kind: z.enum(['metric', 'timing']).optional() }))
      .query(({ input }) => engine.store.metricSeries(input.runId, input.names, { every: input.every, kind: input.kind })),
    issueCounts: verb.input(runId).query(({ input }) => engine.store.issueCounts(input.runId)),
    supervisionCost: verb.input(runId).query(({ input }) => engine.store.supervisionCost(input.runId)),
    models: verb.query(() => engine.store.listModels()),
    evaluations: verb.input(z.object({ runId: z.string().optional() }).optional()).query(({ input }) => engine.store.listEvaluations({ runId: input?.runId })),
    doctor: verb.query(() => engine.doctor()),
    start: verb.input(runConfigSchema).mutation(({ input }) => engine.startRun(input)),
    resume: verb.input(runId).mutation(({ input }) => engine.resume(input.runId)),
    pause: verb.input(runId).mutation(({ input }) => engine.pause(input.runId)),
    stop: verb.input(runId).mutation(({ input }) => engine.stop(input.runId)),
    deleteRun: verb.input(runId).mutation(({ input }) => engine.deleteRun(input.runId)),
    exportRun: verb.input(runId.extend({ target: z.string().min(1), formats: z.array(z.enum(['safetensors', 'gguf'])) }))
      .mutation(({ input }) => engine.exportRun(input.runId, input.target, input.formats)),
    evaluate: verb.input(z.object({
      policy: z.union([z.object({ runId: z.string(), step: z.int().nonnegative() }), z.object({ model: z.string() })]), suites: z.array(z.string()).min(1),
      limit: z.int().positive(), seed: z.int().nonnegative(), contexts: z.array(z.union([z.object({ runId: z.string(), step: z.int().positive() }), z.object({ lines: z.array(z.string().trim().min(1).max(160)).min(1).max(12) })]).nullable()).min(1),
    })).mutation(({ input }) => engine.evaluate(input)),
    importModel: verb.input(z.object({ path: z.string().min(1), name: z.string().min(1).nullable() })).mutation(({ input }) => engine.importModel(input.path, input.name)),
    /** Live progress; `seq` lets a reader notice a gap. Stored events are read with `events`. */
    progress: verb.subscription(async function* ({ signal }) {
      const local = new EventEmitter();
      const unsubscribe = engine.onProgress((event) => local.emit('progress', event));
      try {
        for await (const [event] of on(local, 'progress', { signal })) {
          const progress = event as ProgressEvent;
          yield tracked(String(progress.seq), progress);
        }
      } finally {
        unsubscribe();
      }
    }),
    events: verb.input(z.object({ runId: z.string().nullable(), afterSeq: z.int().optional(), limit: z.int().max(500).optional() }))
      .query(({ input }) => engine.store.listEvents(input.runId, { afterSeq: input.afterSeq, limit: input.limit })),
  });
}

export type EngineRouter = ReturnType<typeof createRouter>;
