import { describe, expect, it } from 'vitest';
import {
  everyPhase,
  Failure,
  runConfigSchema,
  type RzeroConfig,
  type StepCommit,
  type TaskRecord,
} from '../../../../electron/contract/index.ts';
import { castVotes, type RzeroRun } from '../../../../electron/evolution/frameworks/rzero/voting.ts';
import { beginRun } from '../../../../electron/evolution/frameworks/rzero/state.ts';
import type { StepContext } from '../../../../electron/evolution/loop/run-state.ts';
import type { WeightSet } from '../../../../electron/models/index.ts';
import { initialContext, scriptedReviewer } from '../../../../electron/supervision/index.ts';
import { packOf } from '../scripted-steps.ts';
import { SMALL, takeSteps } from './scripted-run.ts';

const ITERATION = 8;
const hashes = (commits: readonly StepCommit[]): string[] => commits.map(({ step }) => step.stepHash);

describe('a comparing process that dies', () => {
  it('ends a step of L in its sentence, keeps the steps before, and leaves the rest as it would have been', async () => {
    const whole = await takeSteps({}, ITERATION);
    const stored: StepCommit[] = [];
    const dies = takeSteps({}, ITERATION, {
      onCommit: (commit) => stored.push(commit),
      same: (a, b) => {
        if (stored.length === 4)
          throw new Failure('processLost', 'The grader died and could not be started again; resume the run.');
        return a.trim() === b.trim();
      },
    });
    await expect(dies).rejects.toThrow('The grader died and could not be started again; resume the run.');
    expect(stored.at(-1)?.step.stage).toBe('pose');
    expect(hashes(stored)).toEqual(hashes(whole.commits).slice(0, 4));
  });
});

describe('supervision that can never enter', () => {
  it('leaves a run as one without: the same texts, labels, advantages, weights and contexts', async () => {
    const says = scriptedReviewer(packOf('instruct'), () => ({
      decision: 'continue',
      issues: ['too_easy'],
      feedback: 'Ask for more steps.',
    }));
    const supervised = await takeSteps(
      { supervision: { phases: everyPhase(1), minimumSupport: 1_000_000, merge: 'text' } },
      ITERATION,
      { reviewer: says },
    );
    const alone = await takeSteps({ supervision: { phases: everyPhase(0) } }, ITERATION);
    const reviews = supervised.commits.flatMap((commit) => commit.reviews);
    expect(reviews.length).toBeGreaterThan(100);
    expect(alone.commits.flatMap((commit) => commit.reviews)).toEqual([]);
    for (const [at, commit] of supervised.commits.entries()) {
      const other = alone.commits[at]!;
      expect(commit.rollouts).toEqual(other.rollouts);
      expect(commit.tasks).toEqual(other.tasks);
      expect(commit.nextContext).toEqual(other.nextContext);
      expect(commit.checkpoint).toEqual(other.checkpoint);
    }
    expect(supervised.log.updates).toEqual(alone.log.updates);
  });
});

describe('votes', () => {
  it('of a question are counted while answers to others are still being written', async () => {
    const task = (id: string): TaskRecord => ({
      id,
      taskType: 'question',
      step: 1,
      origin: 'posed',
      rolloutId: null,
      program: '',
      inputs: [],
      outputs: [],
      message: `What is ${id}?`,
      imports: [],
      solveRate: null,
    });
    const config = runConfigSchema.parse(SMALL);
    const framework = config.framework as RzeroConfig;
    const counted = Promise.withResolvers<void>();
    // The second question's answers come only once the first one's are counted: whoever waits for all would wait for ever.
    const weights = {
      countTokens: async (items: readonly unknown[]) => items.map(() => 1),
      generate: async (
        _key: string,
        items: readonly { key: string; n: number }[],
        _sampling: unknown,
        _signal: unknown,
        onRollout: (rollout: unknown) => void,
      ) => {
        for (const [place, { key, n }] of items.entries()) {
          if (place === 1) await counted.promise;
          for (let index = 0; index < n; index += 1)
            onRollout({
              key,
              index,
              text: `\\boxed{${index % 2}}`,
              finish: 'stop',
              rolloutId: `${key}/${index}`,
            });
        }
      },
    } as unknown as WeightSet;
    const votes = await castVotes(
      {
        config: { ...config, framework },
        step: 5,
        context: initialContext(),
        state: beginRun(framework),
        previousHash: '',
      } as RzeroRun,
      {
        weights: () => weights,
        pack: packOf('instruct'),
        answers: { same: async (a: string, b: string) => a === b, setAside: { timeouts: 0, lost: 0 } },
        signal: new AbortController().signal,
        onProgress: () => {},
      } as unknown as StepContext,
      {
        role: 'solver',
        settings: framework.label,
        ballots: ['a', 'b'].map((id, index) => ({ task: task(id), batch: 'label', index })),
        onVote: ({ ballot }) => {
          if (ballot.task.id === 'a') counted.resolve();
        },
      },
    );
    expect(votes.map(({ agreement }) => agreement)).toEqual([3 / 5, 3 / 5]);
  });
});
