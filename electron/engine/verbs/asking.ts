import { z } from 'zod';
import { ASKED_FRAMES, askedSideSchema, askingOrderSchema, expectationSchema } from '../../contract/index.ts';
import { addOwnQuestion } from '../../evaluation/index.ts';
import type { Engine } from '../engine.ts';
import { router, verb } from './verb.ts';

const ofQuestion = z.object({ id: z.string().min(1) });
const subject = askedSideSchema.shape.subject;

/** Asking a model: questions that a person types, their answers as they are written, and those of before. */
export const askingVerbs = (engine: Engine) =>
  router({
    /** Questions whose answers have not ended, and the runs that are at work meanwhile. */
    state: verb.query(() => ({
      open: engine.asking.open(),
      atWork: engine
        .activity()
        .atWork.map((id) => ({ id, name: engine.storeOf(id).requireRun(id).config.name })),
    })),
    /** The lines that "the context of its run" means for this subject; null where it has none. */
    context: verb.input(z.object({ subject })).query(({ input }) => engine.asking.contextOf(input.subject)),
    /** Loads what will be asked. */
    prepare: verb
      .input(z.object({ subjects: z.array(subject).min(1).max(2) }))
      .mutation(async ({ input }) => {
        await engine.asking.prepare(input.subjects);
        return null;
      }),
    ask: verb.input(askingOrderSchema).mutation(({ input }) => engine.asking.ask(input)),
    cancel: verb.input(ofQuestion).mutation(({ input }) => {
      engine.asking.cancel(input.id);
      return null;
    }),
    /** Newest first; `next` asks for those before. */
    list: verb
      .input(z.object({ cursor: z.string().nullish(), limit: z.int().min(1).max(200).default(50) }))
      .query(({ input }) => {
        const rows = engine.store.listAsked(input.cursor ?? null, input.limit + 1);
        const page = rows.slice(0, input.limit);
        return { rows: page, next: rows.length > page.length ? (page.at(-1)?.id ?? null) : null };
      }),
    get: verb.input(ofQuestion).query(({ input }) => engine.store.getAsked(input.id)),
    /** Of each answer, in their order. */
    tokens: verb.input(ofQuestion).query(({ input }) => engine.store.askedTokens(input.id)),
    /** Makes the question an item of a set of the person's own, which the suite "own-questions" asks. */
    addToSuite: verb
      .input(
        z.object({
          question: askingOrderSchema.shape.question,
          frame: z.enum(ASKED_FRAMES),
          expect: expectationSchema,
          set: z.string().trim().min(1).max(100),
        }),
      )
      .mutation(({ input }) => addOwnQuestion(engine, input)),
    remove: verb
      .input(z.object({ ids: z.array(z.string().min(1)).min(1).max(500) }))
      .mutation(({ input }) => {
        engine.asking.remove(input.ids);
        return null;
      }),
  });
