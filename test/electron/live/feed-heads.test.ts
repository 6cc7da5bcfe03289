import { expect, it } from 'vitest';
import { FEED_LINES } from '../../../electron/contract/index.ts';
import { feedHeads } from '../../../electron/live/timeline.ts';
import { inLab } from '../store/support/in-lab.ts';
import { makeCommit } from '../store/support/make-records.ts';

it('the feed of stored steps has what nobody is paid for, such as questions that are only posed, and no estimates', () =>
  inLab((lab) => {
    const commit = makeCommit(2);
    const [posed, estimated, ...others] = commit.rollouts;
    const unpaid = { reward: null, advantage: null };
    const rollouts = [
      { ...posed!, ...unpaid, purpose: 'propose' },
      { ...estimated!, ...unpaid, purpose: 'estimate' },
      ...others,
    ];
    lab.commitStep('a', { ...commit, rollouts });
    const shown = feedHeads(lab, 'a', 2, 2).records.map(({ record }) => record.id);
    expect(shown).toContain(posed?.id);
    expect(shown).toEqual(rollouts.filter(({ purpose }) => purpose !== 'estimate').map(({ id }) => id));
  }, 1));

it('a line of a stored step has the time at which it was there, and none where that was not kept', () =>
  inLab((lab) => {
    const commit = makeCommit(2);
    const [first, ...generations] = commit.generations ?? [];
    lab.commitStep('a', { ...commit, generations });
    const { records, reviews } = feedHeads(lab, 'a', 2, 2);
    expect(Object.fromEntries(records.map(({ at, record }) => [record.id, at]))).toEqual({
      [first!.rolloutId]: null,
      ...Object.fromEntries(generations.map(({ rolloutId, at }) => [rolloutId, at])),
    });
    expect(reviews.length).toBeGreaterThan(0);
    expect(reviews.map(({ at, review }) => [review.id, at])).toEqual(
      lab.listReviews('a', 2).map(({ id, createdAt }) => [id, createdAt]),
    );
  }, 1));

it('the feed of stored steps reaches back to the step with which it has its lines, of which a reviewed response is none', () =>
  inLab(
    (lab) => {
      const linesOf = (step: number): number => {
        const { records, reviews } = feedHeads(lab, 'a', step, step);
        const reviewed = new Set(reviews.map(({ review }) => review.rolloutId));
        return reviews.length + records.filter(({ record }) => !reviewed.has(record.id)).length;
      };
      const { records, reviews, fromStep } = feedHeads(lab, 'a', 1, 9);
      const steps = Array.from({ length: 9 - fromStep + 1 }, (_, at) => fromStep + at);
      const lines = steps.reduce((sum, step) => sum + linesOf(step), 0);
      expect(lines).toBeGreaterThanOrEqual(FEED_LINES);
      expect(lines - linesOf(fromStep)).toBeLessThan(FEED_LINES);
      expect(records.length + reviews.length).toBeGreaterThan(lines);
      expect(fromStep).toBeGreaterThan(1);
      expect([...new Set(records.map(({ record }) => record.step))]).toEqual(steps);
    },
    9,
    90,
  ));

it('the feed of stored steps looks at those that there are, whatever was asked for', () =>
  inLab((lab) => {
    const asked: number[] = [];
    const store = {
      ...lab,
      listReviews: (runId: string, step: number) => (asked.push(step), lab.listReviews(runId, step)),
    };
    const heads = feedHeads(store, 'a', -20_000, 20_000);
    expect(asked).toEqual([2, 1]);
    expect([heads.fromStep, heads.toStep]).toEqual([1, 20_000]);
    expect(heads.records.length).toBeGreaterThan(0);
  }, 2));
