import { z } from 'zod';
import { Failure, PHASES, RATED_TASK_TYPES, type Job } from '../../contract/index.ts';
import {
  beginDemo,
  DEMO_DEFAULTS,
  demoDefaults,
  demoOptionsSchema,
  demoPairs,
  isAskedAtEnd,
  isSample,
  requireComparable,
  runDemo,
  storyAnswers,
  storyCause,
  storyCosts,
  storyLines,
  storyQuestions,
  storyTracks,
  type DemoRuns,
  type StoryPair,
} from '../../experiments/index.ts';
import type { Engine } from '../engine.ts';
import { router, verb } from './verb.ts';

const ofPair = z.object({ alone: z.string().min(1), supervised: z.string().min(1) });
const ofSuite = ofPair.extend({ suite: z.string().min(1) });

/** @throws Failure `unknownRun`, `usage` (exit code 2) for two that are not kept in one place or began differently. */
function pairOf(engine: Engine, { alone, supervised }: DemoRuns): StoryPair {
  const store = engine.storeOf(alone);
  if (engine.storeOf(supervised) !== store)
    throw new Failure(
      'usage',
      'A run of the recorded sample is compared with the other one of the sample only.',
      2,
    );
  const pair = { store, alone, supervised };
  requireComparable(pair);
  return pair;
}

/** Takes both runs to their end, then asks both the same questions. One job a pair. */
function finish(engine: Engine, runs: DemoRuns, items: number = DEMO_DEFAULTS.items): Job {
  const title = titleOf(runs);
  if (engine.jobs.list().some((job) => job.title === title && job.state === 'running'))
    throw new Failure('runAtWork', `The demo of run "${runs.supervised}" is at work already.`, 2);
  return engine.jobs.start(
    {
      kind: 'demo',
      title,
      unit: 'part',
      keeps: 'It was stopped; steps and answers so far are kept, and going on makes the others.',
    },
    (job) =>
      runDemo(
        engine,
        { continueWith: items, runs },
        ({ done, total }) => {
          job.total(total);
          job.at(done);
          engine.emit({ kind: 'changed', what: 'evaluations', runId: null });
        },
        job.signal,
      ),
  );
}

const titleOf = ({ supervised }: DemoRuns): string =>
  `Demo ${supervised}: both runs, and the same questions to both`;

/** Two runs from the same weights and seed, one of them supervised: started, finished, and told from what they stored. */
export const demoVerbs = (engine: Engine) =>
  router({
    /** Starts the two arms and their comparison, as `anchor demo` does. */
    start: verb
      .input(demoOptionsSchema.partial().optional())
      .mutation(({ input }): DemoRuns & { job: Job } => {
        const options = { ...demoDefaults(input?.framework ?? DEMO_DEFAULTS.framework), ...input };
        const [alone, supervised] = beginDemo(engine, options);
        const runs = { alone: alone!.id, supervised: supervised!.id };
        return { ...runs, job: finish(engine, runs, options.items) };
      }),
    /** Goes on with a demo that was cut off, from whatever is missing. */
    goOn: verb
      .input(ofPair.extend({ items: demoOptionsSchema.shape.items.optional() }))
      .mutation(({ input }) => {
        if (isSample(input.alone) || isSample(input.supervised))
          throw new Failure(
            'usage',
            'The recorded sample cannot be gone on from; start a demo of your own.',
            2,
          );
        pairOf(engine, input);
        return finish(engine, input, input.items);
      }),
    /** Demos of the lab, newest first. */
    pairs: verb.query(() => demoPairs(engine.store)),
    /** The two runs as they stand, the suites that are followed along them, and whether the comparison is complete. */
    story: verb.input(ofPair).query(({ input }) => {
      const pair = pairOf(engine, input);
      const arm = (runId: string) => {
        const { id, config, state, committedSteps, reason, policySha256 } = pair.store.requireRun(runId);
        return {
          id,
          name: config.name,
          state,
          reason,
          committedSteps,
          steps: config.steps,
          seed: config.seed,
          /** The weights it began with; null until it has. */ policySha256: policySha256 ?? null,
          /** Of its prompts, rated by the misspecified user. */ rewardedShare: config.rewardedPrompts.share,
          isReviewed: PHASES.some((phase) => config.supervision.phases[phase] > 0),
        };
      };
      return {
        alone: arm(input.alone),
        supervised: arm(input.supervised),
        tracks: storyTracks(pair),
        isAsked: isAskedAtEnd(pair),
        isAtWork: engine.jobs.list().some((job) => job.title === titleOf(input) && job.state === 'running'),
      };
    }),
    questions: verb.input(ofSuite).query(({ input }) => storyQuestions(pairOf(engine, input), input.suite)),
    answers: verb
      .input(ofSuite.extend({ itemId: z.string().min(1) }))
      .query(({ input }) => storyAnswers(pairOf(engine, input), input.suite, input.itemId)),
    cause: verb
      .input(ofPair.extend({ kind: z.enum(RATED_TASK_TYPES), itemId: z.string().min(1) }))
      .query(({ input }) => storyCause(pairOf(engine, input), input.kind, input.itemId)),
    lines: verb.input(ofPair).query(({ input }) => storyLines(pairOf(engine, input).store, input.supervised)),
    costs: verb.input(ofPair).query(({ input }) => storyCosts(pairOf(engine, input))),
  });
