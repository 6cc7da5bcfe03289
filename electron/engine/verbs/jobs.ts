import { z } from 'zod';
import type { Engine } from '../engine.ts';
import { router, verb } from './verb.ts';

/** Work in the background: what is going on, and how to stop it. */
export const jobVerbs = (engine: Engine) =>
  router({
    list: verb.query(() => engine.jobs.list()),
    cancel: verb
      .input(z.object({ id: z.string().min(1) }))
      .mutation(({ input }) => engine.jobs.cancel(input.id)),
  });
