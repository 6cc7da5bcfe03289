import { expect, it } from 'vitest';
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
