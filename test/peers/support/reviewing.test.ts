import { describe, expect, it } from 'vitest';
import { reviewsAnHour, waitsOf } from './reviewing.ts';

describe('Reviews an hour', () => {
  it('are those of use in all the time that reviewing took, with and without those that asked no model', () => {
    const reviews = { done: 30, quarantined: 5, 'skipped-by-budget': 10 };
    expect(reviewsAnHour({ reviews, byModel: 6, timings: { supervise: 450, step: 481 } })).toEqual({
      all: 240,
      byModel: 48,
    });
  });

  it('are none where every answer was of no use, and unknown where no model was asked', () => {
    const failed = { reviews: { failed: 3 }, byModel: 0, timings: { supervise: 60 } };
    expect(reviewsAnHour(failed)).toEqual({ all: 0, byModel: 0 });
    const unasked = { reviews: { done: 38 }, byModel: 0, timings: { supervise: 0 } };
    expect(reviewsAnHour(unasked)).toEqual({ all: Number.NaN, byModel: Number.NaN });
  });
});

describe("Supervision's wait", () => {
  it('is the share of a step for reviews and for the next context, the mean and the most of any step', () => {
    const steps = [
      { timings: { step: 10, supervise_wait: 0, context: 1 } },
      { timings: { step: 20, supervise_wait: 1, context: 0 } },
      { timings: { step: 5, supervise_wait: 0.5, context: 0.25 } },
    ];
    const { mean, most } = waitsOf(steps);
    expect(mean.reviews).toBeCloseTo(0.05, 12);
    expect(mean.context).toBeCloseTo(0.05, 12);
    expect(mean.all).toBeCloseTo(0.1, 12);
    expect(most.reviews).toBeCloseTo(0.1, 12);
    expect(most.context).toBeCloseTo(0.1, 12);
    expect(most.all).toBeCloseTo(0.15, 12);
  });
});
