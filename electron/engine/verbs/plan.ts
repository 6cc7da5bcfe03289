import { z } from 'zod';
import { runConfigSchema, type Job, Failure } from '../../contract/index.ts';
import type { Engine } from '../engine.ts';
import {
  planProblems,
  planChoices,
  commandOf,
  configFromYaml,
  configToYaml,
  estimateRun,
  planMemory,
  planMethods,
  takeProbe,
} from '../../plan/index.ts';
import { router, verb } from './verb.ts';

/** Characters; the longest configuration is a tenth of that. */
const MAX_YAML = 32_000;
const PROBE = 'probe';

/** Planning a run: what can be chosen, what it would take here, and how it is written down. */
export const planVerbs = (engine: Engine) =>
  router({
    choices: verb.query(() => planChoices(engine)),
    problems: verb.input(runConfigSchema).query(({ input }) => planProblems(engine, input)),
    /** With how busy the machine is now, beside which the loads stand that its figures were measured under. */
    estimate: verb
      .input(runConfigSchema)
      .query(async ({ input }) => ({ ...estimateRun(engine, input), load: await engine.meter.load() })),
    /** Starts a trainer, which reckons before it loads; seconds, so it is asked for. */
    memory: verb.input(runConfigSchema).query(({ input }) => planMemory(engine, input)),
    /** The same of every way to train, with what is known of its time. */
    methods: verb.input(runConfigSchema).query(({ input }) => planMethods(engine, input)),
    /** Takes one small real step and times it and its reviews; `plan.estimate` goes by it once the job is done. */
    probe: verb.input(runConfigSchema).mutation(({ input }): Job => {
      if (engine.jobs.list().some(({ kind, state }) => kind === PROBE && state === 'running'))
        throw new Failure('probeUnderWay', 'A step is being timed already; wait for it, or cancel it.', 2);
      return engine.jobs.start(
        { kind: PROBE, title: `Time a step of ${input.policy.model}`, unit: 'rollout' },
        async (job) => {
          const probe = await takeProbe(engine, input, {
            signal: job.signal,
            besides: engine.activity().atWork.length,
            onStage: (done, total) => {
              job.total(total);
              job.at(done);
            },
          });
          engine.emit({ kind: 'changed', what: 'plan', runId: null });
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
