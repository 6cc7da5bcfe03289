import { describe, expect, it } from 'vitest';
import { inLab } from './support/in-lab.ts';
import { makeCommit } from './support/make-records.ts';

describe('what reviews of a run took', () => {
  it('is the speed of the supervisor, whatever a person took to think', () =>
    inLab((lab) => {
      const commit = makeCommit(1);
      const [first] = commit.reviews;
      const reviews = commit.reviews.map((review) => ({
        ...review,
        ...(review.id === first!.id ? { reviewer: 'human' as const, milliseconds: 800_000 } : {}),
      }));
      lab.commitStep('a', { ...commit, reviews });
      const { n = 0, seconds } = lab.reviewPace('a')[first!.phase] ?? {};
      const asked = reviews.filter(
        ({ phase, status }) => phase === first!.phase && (status === 'done' || status === 'quarantined'),
      );
      expect(asked.length).toBeGreaterThan(1);
      expect([n, seconds]).toEqual([asked.length - 1, 1.5 / 1000]);
      const byPerson = lab.supervisionCost('a').filter((cost) => cost.byPerson);
      expect(byPerson).toMatchObject([{ phase: first!.phase, reviews: 1, milliseconds: 800_000 }]);
    }));
});
