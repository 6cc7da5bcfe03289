import { z } from 'zod';
import type { Engine } from '../engine.ts';
import { coinsOf, tryLeak } from '../../experiments/index.ts';
import { ofRun, router, verb } from './verb.ts';

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
    restart: verb.mutation(() => engine.sample.restart()),
    remove: verb.mutation(() => engine.sample.remove()),
    coins: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => coinsOf(engine.sample.storeOf(input.runId), input.runId, input.step)),
    tryLeak: verb
      .input(ofRun.extend({ recordId: z.string().min(1), feedback: z.string().max(4000) }))
      .query(({ input }) =>
        tryLeak(engine.sample.storeOf(input.runId), input.runId, input.recordId, input.feedback),
      ),
  });
