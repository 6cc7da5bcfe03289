import { joinedReads } from '../../evaluation/index.ts';
import { makeReport, programVersions, reportSubjectSchema, type Report } from '../../reports/index.ts';
import { z } from 'zod';
import type { Engine } from '../engine.ts';
import { router, verb } from './verb.ts';

/** Reports: a page of stored records that needs nothing else. */
export const reportVerbs = (engine: Engine) =>
  router({
    /** A job, which comes to the page and its name. */
    make: verb.input(reportSubjectSchema).mutation(({ input }) =>
      engine.jobs.start({ kind: 'report', title: 'Report', unit: 'part' }, (job) =>
        makeReport(
          {
            storeOf: (runId) => engine.storeOf(runId),
            evaluations: joinedReads(engine.store, engine.sample.store),
            resources: engine.resources,
            program: programVersions(),
          },
          input,
          engine.clock.now(),
          job,
        ),
      ),
    ),
    /** What a job came to; null while it is at work, and once it is forgotten. */
    made: verb
      .input(z.object({ jobId: z.string().min(1) }))
      .query(({ input }) => engine.jobs.resultOf<Report>(input.jobId)),
  });
