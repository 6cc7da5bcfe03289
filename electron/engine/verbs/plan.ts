import { z } from 'zod';
import { runConfigSchema, type Job } from '../../contract/index.ts';
import type { Engine } from '../engine.ts';
import { planProblems } from '../plan/check.ts';
import { planChoices } from '../plan/choices.ts';
import { commandOf, configFromYaml, configToYaml } from '../plan/config-text.ts';
import { estimateRun } from '../plan/estimate.ts';
import { planWorld } from '../plan/plan-world.ts';
import { probeUnderWay, takeProbe } from '../plan/probe.ts';
import { router, verb } from './verb.ts';

const MAX_YAML = 200_000; // characters; the longest configuration is a hundredth of that
const PROBE = 'probe';

/** Planning a run: what can be chosen, what it would take here, and how it is written down. */
export const planVerbs = (engine: Engine) => {
  const world = planWorld(engine);
  return router({
    choices: verb.query(() => planChoices(world)),
    problems: verb.input(runConfigSchema).query(({ input }) => planProblems(world, input)),
    estimate: verb.input(runConfigSchema).query(({ input }) => estimateRun(world, input)),
    /** Takes one small real step and times it and its reviews; `plan.estimate` goes by it once the job is done. */
    probe: verb.input(runConfigSchema).mutation(({ input }): Job => {
      if (engine.jobs.list().some(({ kind, state }) => kind === PROBE && state === 'running'))
        throw probeUnderWay();
      return engine.jobs.start(
        { kind: PROBE, title: `Time a step of ${input.policy.model}`, unit: 'rollout' },
        async (job) => {
          const probe = await takeProbe(world, input, {
            signal: job.signal,
            besides: engine.activity().atWork.length,
            onStage: (done, total) => {
              job.total(total);
              job.at(done);
            },
          });
          engine.live.tell({ kind: 'changed', what: 'plan', runId: null });
          return probe;
        },
      );
    }),
    text: verb
      .input(runConfigSchema)
      .query(({ input }) => ({ command: commandOf(input), yaml: configToYaml(input) })),
    read: verb
      .input(z.object({ yaml: z.string().max(MAX_YAML) }))
      .query(({ input }) => configFromYaml(input.yaml)),
  });
};
