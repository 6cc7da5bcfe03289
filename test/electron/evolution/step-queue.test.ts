import { describe, expect, it } from 'vitest';
import { PHASES, runConfigSchema, type Phase, type ReviewQueue } from '../../../electron/contract/index.ts';
import { ReviewCap, StepQueue } from '../../../electron/evolution/loop/supervision.ts';
import type { StepContext } from '../../../electron/evolution/loop/run-state.ts';

/** A step whose clock moves by hand. */
function step(reviewer: StepContext['reviewer'] = { kind: 'rubric' } as StepContext['reviewer']) {
  const told: ReviewQueue[] = [];
  let at = 0;
  const clock = { now: () => new Date(at), monotonicMs: () => at } as StepContext['clock'];
  const queue = new StepQueue({ clock, reviewer, onQueue: (one) => void told.push(one) }, 60);
  return { told, queue, pass: (ms: number) => (at += ms) };
}

const round = { waiting: 0, answering: 0, failed: 1, skipped: 0, answerSeconds: 4, budgetLeftSeconds: 56 };

describe('the queue of a step', () => {
  it('is there from the beginning of the step, with all of its time', () => {
    expect(step().told).toEqual([
      {
        waiting: 0,
        answering: 0,
        answered: 0,
        failed: 0,
        skipped: 0,
        answerSeconds: 0,
        budgetLeftSeconds: 60,
        waitedSeconds: 0,
        waitsSince: null,
      },
    ]);
  });

  it('adds up the rounds of a step that takes items again', () => {
    const { queue, told } = step();
    queue.nextRound()({ ...round, answered: 2 });
    queue.nextRound()({ ...round, answered: 1, waiting: 3, failed: 0, budgetLeftSeconds: 50 });
    expect(told.at(-1)).toMatchObject({
      waiting: 3,
      answered: 3,
      failed: 1,
      answerSeconds: 8,
      budgetLeftSeconds: 50,
    });
  });

  it('says since when the step stands still for it, and for how long it did, also where the wait fails', async () => {
    const { queue, told, pass } = step();
    pass(5000);
    await queue.wait(async () => pass(3000));
    expect(told.at(-2)).toMatchObject({ waitedSeconds: 0, waitsSince: '1970-01-01T00:00:05.000Z' });
    expect(told.at(-1)).toMatchObject({ waitedSeconds: 3, waitsSince: null });
    const failing = queue.wait(async () => {
      pass(1000);
      throw new Error('lost');
    });
    await expect(failing).rejects.toThrow('lost');
    expect(told.at(-1)).toMatchObject({ waitedSeconds: 4, waitsSince: null });
  });

  it('of a step that nobody reviews is silent', async () => {
    const { queue, told } = step(null);
    await queue.wait(async () => 1);
    expect(told).toEqual([]);
  });
});

describe('a limit of reviews', () => {
  it('draws as many places of each phase, each phase its own', () => {
    const config = runConfigSchema.parse({ supervision: { maxReviewsPerPhase: 5 } });
    const sizes = Array.from({ length: 8 }, (_, at) => ({ batch: `b${at}`, size: 10 }));
    const cap = new ReviewCap({ config, step: 3 } as never, { batchSizes: () => sizes } as never, []);
    const admitted = (phase: Phase): string[] =>
      cap
        .admitted(
          sizes.flatMap(({ batch, size }) =>
            Array.from({ length: phase === 'exec' ? 1 : size }, (_, index) => ({
              item: { phase, batch, index: phase === 'exec' ? null : index } as never,
            })),
          ),
        )
        .map(({ item: { batch, index } }) => `${batch}/${index}`);
    const drawn = PHASES.map(admitted);
    for (const places of drawn) expect(places).toHaveLength(5);
    expect(new Set(drawn.map((places) => places.join(' '))).size).toBe(PHASES.length);
    expect(cap.metrics()).toMatchObject({
      'supervision/plan/eligible': 80,
      'supervision/plan/admitted': 5,
      'supervision/exec/eligible': 8,
    });
  });
});
