import { z } from 'zod';
import { phaseSchema } from '../../contract/index.ts';
import {
  calibrateJudge,
  chooseJudge,
  chosenJudge,
  listCalibrations,
  listJudges,
  RUBRICS,
} from '../../evaluation/index.ts';
import { lastJudgeProbe } from '../../reviewing/index.ts';
import type { Engine } from '../engine.ts';
import { router, verb } from './verb.ts';

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
