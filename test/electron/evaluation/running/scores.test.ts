import { describe, expect, it } from 'vitest';
import { wilsonInterval } from '../../../../electron/core/index.ts';
import { type GradeRow } from '../../../../electron/evaluation/suites/graded-suite.ts';
import { meanScore, passAtKScores } from '../../../../electron/evaluation/suites/scores.ts';

/** `passes[i]` says how many of the answers to item i pass. */
const answers = (passes: readonly number[], each: number): GradeRow[] =>
  passes.flatMap((c, item) =>
    Array.from(
      { length: each },
      (_, sample): GradeRow =>
        ({
          itemId: `item ${item}`,
          sample,
          grade: {
            outcome: sample < c ? 'passed' : 'failed',
            score: null,
            method: 'test',
            reason: null,
            flags: [],
            details: {},
          },
        }) as unknown as GradeRow,
    ),
  );

describe('Scores of an evaluation', () => {
  it('have an interval also where no item was solved at all, and where every one was', () => {
    for (const [passes, hits] of [
      [0, 0],
      [10, 4],
    ] as const) {
      const [first] = passAtKScores(answers([passes, passes, passes, passes], 10), 1);
      const wilson = wilsonInterval(hits, 4);
      expect(first).toMatchObject({
        name: 'pass@1',
        value: hits / 4,
        low: wilson.low,
        high: wilson.high,
        n: 4,
        interval: 'wilson',
      });
    }
  });

  it('come from drawing items again where they differ', () => {
    const [first] = passAtKScores(answers([0, 5, 10, 10], 10), 1);
    expect(first).toMatchObject({ value: 0.625, interval: 'bootstrap', n: 4 });
    expect(first?.low).toBeLessThan(0.625);
    expect(first?.high).toBeGreaterThan(0.625);
  });

  it('repeat with their seed and are absent without answers', () => {
    expect(meanScore('mean', [1, 2, 5], 'scale', 'lower', 7)).toEqual(
      meanScore('mean', [1, 2, 5], 'scale', 'lower', 7),
    );
    expect(meanScore('mean', [], 'scale', 'lower', 7)).toMatchObject({ value: null, low: null, n: 0 });
  });
});
