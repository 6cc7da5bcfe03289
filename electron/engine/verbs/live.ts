import { tracked } from '@trpc/server';
import { z } from 'zod';
import type { Lab } from '../../store/index.ts';
import type { Engine } from '../engine.ts';
import {
  cursorToText,
  textToCursor,
  feedHeads,
  memoryPlanned,
  stepInside,
  timelineOf,
  metricsAlong,
} from '../../live/index.ts';
import { saidAndWasOf } from '../../contract/index.ts';
import { frameworkOf, reasonOf, spansOf } from '../../evolution/index.ts';
import { keepNewest, keptSteps } from '../../machine/index.ts';
import { ofRun, router, verb } from './verb.ts';
import { scoresOfRun } from '../../evaluation/index.ts';
import { coinsOf, tryLeak } from '../../experiments/index.ts';

/** Rows of a run with the sentence for the reason of each. */
function withSentences<T extends { reason: string | null }>(
  engine: Engine,
  runId: string,
  rowsOf: (store: Lab) => T[],
): (T & { sentence: string | null })[] {
  const store = engine.storeOf(runId);
  const framework = store.getRun(runId)?.config.framework;
  return rowsOf(store).map((row) => ({
    ...row,
    sentence: row.reason === null || framework === undefined ? null : reasonOf(framework, row.reason),
  }));
}

/** Proposals that are shown as those paid most. */
const MOST_PAID = 50;

/** What happens, as it happens, and what a window needs that opens in the middle of it. */
export const liveVerbs = (engine: Engine) =>
  router({
    /** Batches of events; a reader that was cut off goes on after `lastEventId`, without a loss and without a double. */
    events: verb
      .input(z.object({ lastEventId: z.string().nullish() }).optional())
      .subscription(async function* ({ input, signal }) {
        const from =
          input?.lastEventId == null ? null : (textToCursor(input.lastEventId) ?? { epoch: '', seq: 0 });
        // Taken before the feed looks: what happens in between is then sent again rather than lost, and a reader drops doubles.
        const begin = engine.live.cursor();
        let { seq } = from ?? begin;
        for await (const batch of engine.live.follow(from, signal ?? new AbortController().signal)) {
          seq = batch.events.at(-1)?.seq ?? (batch.missed ? begin.seq : seq);
          yield tracked(cursorToText({ epoch: batch.epoch, seq }), batch);
        }
      }),
    /** Timings, reviews and retries of every committed step. Later steps come as events. */
    timeline: verb.input(ofRun).query(({ input }) => timelineOf(engine.storeOf(input.runId), input.runId)),
    /** Metrics along the same steps as `timeline`. */
    metrics: verb
      .input(ofRun.extend({ names: z.array(z.string()).max(100) }))
      .query(({ input: { runId, names } }) => {
        const store = engine.storeOf(runId);
        const { steps } = timelineOf(store, runId);
        return { steps, values: metricsAlong(store, runId, steps, names) };
      }),
    /** The stages of all steps, those to come included; empty for a framework of one stage. */
    schedule: verb.input(ofRun).query(({ input: { runId } }) => {
      const { config } = engine.storeOf(runId).requireRun(runId);
      return spansOf(frameworkOf(config.framework), config);
    }),
    /** How often the tasks of each step are solved; read again as `committedSteps` grows. */
    difficulties: verb
      .input(ofRun.extend({ committedSteps: z.int().nonnegative() }))
      .query(({ input: { runId } }) => engine.storeOf(runId).stepDifficulties(runId)),
    /** What became of the proposals of each step, with its reason in a sentence; read again as `committedSteps` grows. */
    proposals: verb
      .input(ofRun.extend({ committedSteps: z.int().nonnegative() }))
      .query(({ input: { runId } }) =>
        withSentences(engine, runId, (store) => store.proposalOutcomes(runId)),
      ),
    /** The proposals that were paid most, and how the answers to them came out; read again as `committedSteps` grows. */
    paid: verb
      .input(ofRun.extend({ committedSteps: z.int().nonnegative() }))
      .query(({ input: { runId } }) => engine.storeOf(runId).paidProposals(runId, MOST_PAID)),
    /** Where the time of one stored step went, and what was waited for; null while it is not stored. */
    inside: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input: { runId, step } }) => stepInside(engine.storeOf(runId), runId, step)),
    /** What of each step came to nothing, with its reason in a sentence. */
    unused: verb
      .input(ofRun)
      .query(({ input: { runId } }) => withSentences(engine, runId, (store) => store.unusedCounts(runId))),
    /** What was said of the run's steps before they were taken, and what they took; null where nothing was said. */
    saidAndWas: verb
      .input(ofRun.extend({ committedSteps: z.int().nonnegative() }))
      .query(({ input: { runId } }) => {
        const store = engine.storeOf(runId);
        return saidAndWasOf(store, runId, store.requireRun(runId).config.steps);
      }),
    /** What the trainer planned when it loaded the run's weights last, by role. */
    memory: verb.input(ofRun).query(({ input: { runId } }) => memoryPlanned(engine.storeOf(runId), runId)),
    /** Rows of the feed of stored steps; those of the step under way come as events. */
    heads: verb
      .input(ofRun.extend({ fromStep: z.int(), toStep: z.int().nonnegative() }))
      .query(({ input: { runId, fromStep, toStep } }) =>
        feedHeads(engine.storeOf(runId), runId, fromStep, toStep),
      ),
    /** Scores of the run's checkpoints, oldest evaluation first. */
    scores: verb.input(ofRun).query(({ input: { runId } }) => scoresOfRun(engine.storeOf(runId), runId)),
    /** The processes a run depends on, as the last event about each has them. */
    children: verb.input(ofRun).query(({ input }) => engine.monitor.statesOf(input.runId)),
    /** How far the reviewer of the run has come in its step, as it was told last. */
    queue: verb.input(ofRun).query(({ input }) => engine.live.lastQueue(input.runId)),
    /** The machine over the last hour, oldest first; empty while nothing was measured. */
    resources: verb.query(() => engine.meter.kept()),
    /** The machine now; whoever watches gets the sample as an event too. */
    measure: verb.mutation(() => engine.meter.sample()),
    /** What resuming would repeat, in one sentence, before anybody decides. */
    redo: verb.input(ofRun).query(({ input }) => engine.redoOf(input.runId)),
    /** Steps whose checkpoints stay whatever the run's rule says. */
    keptCheckpoints: verb
      .input(ofRun)
      .query(({ input }) => [...keptSteps(engine.storeOf(input.runId), input.runId)]),
    /** Keeps the newest stored checkpoint for good. */
    keepCheckpoint: verb.input(ofRun).mutation(({ input }) => {
      const kept = keepNewest(engine.storeOf(input.runId), input.runId);
      engine.emit({ kind: 'changed', what: 'live.keptCheckpoints', runId: input.runId });
      return kept;
    }),
  });

/** The recorded sample run and what a person tries out on it. */
export const tourVerbs = (engine: Engine) =>
  router({
    state: verb.query(() => engine.sample.state()),
    open: verb.mutation(() => engine.sample.open()),
    play: verb
      .input(z.object({ /** Seconds of the recording in one. */ speed: z.number().min(1).max(600) }))
      .mutation(({ input }) => engine.sample.play(input.speed)),
    pause: verb.mutation(() => engine.sample.pause()),
    toEnd: verb.mutation(() => engine.sample.toEnd()),
    /** Stores all of the sample for a lab that has nothing else to show; nothing where a person took it out. */
    show: verb.mutation(async () => {
      if (engine.sample.state().isRemoved) return engine.sample.state();
      await engine.sample.open();
      return engine.sample.toEnd();
    }),
    restart: verb.mutation(() => engine.sample.restart()),
    remove: verb.mutation(() => engine.sample.remove()),
    /** Trains the weights of the sample's runs again from its records, so that they can be asked; the answer is the job. */
    makeCheckpoints: verb.mutation(() => engine.sample.makeCheckpoints()),
    coins: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => coinsOf(engine.sample.storeOf(input.runId), input.runId, input.step)),
    tryLeak: verb
      .input(ofRun.extend({ recordId: z.string().min(1), feedback: z.string().max(4000) }))
      .query(({ input }) =>
        tryLeak(engine.sample.storeOf(input.runId), input.runId, input.recordId, input.feedback),
      ),
  });
