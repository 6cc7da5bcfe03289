import { z } from 'zod';
import type { Engine } from '../engine.ts';
import { lineLives, outcomesAround } from '../../live/index.ts';
import { ofRun, router, verb } from './verb.ts';

const MOST_CAUSES = 200;

/** The supervision context C_t of a run and where each of its lines came from. */
export const contextVerbs = (engine: Engine) =>
  router({
    get: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => engine.storeOf(input.runId).getContext(input.runId, input.step)),
    lines: verb.input(ofRun).query(({ input }) => engine.storeOf(input.runId).contextLines(input.runId)),
    /** When each line entered, was renewed and left, and why it left. */
    lives: verb.input(ofRun).query(({ input }) => lineLives(engine.storeOf(input.runId), input.runId)),
    /** What came of the steps before and after `at`, the first step under a changed context. */
    around: verb
      .input(ofRun.extend({ at: z.int().positive(), window: z.int().min(1).max(50) }))
      .query(({ input: { runId, at, window } }) => outcomesAround(engine.storeOf(runId), runId, at, window)),
    lineage: verb
      .input(ofRun.extend({ lineId: z.string() }))
      .query(({ input }) => engine.storeOf(input.runId).lineageOf(input.runId, input.lineId, MOST_CAUSES)),
    summaries: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => engine.storeOf(input.runId).listSummaries(input.runId, input.step)),
    /** What the supervisor's model was shown and wrote at the end of a step. */
    wordings: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => engine.storeOf(input.runId).listWordings(input.runId, input.step)),
  });
