import { createIntl } from 'react-intl';
import { describe, expect, it } from 'vitest';
import { english, type Translate } from '../../../../renderer/i18n/index.ts';
import type { Costs, Story } from '../../../../renderer/rooms/demo/model.ts';
import { costsNote, watchLead, watchNote } from '../../../../renderer/rooms/demo/said.ts';

const intl = createIntl({ locale: 'en', messages: english });
const t: Translate = (id, values) => intl.formatMessage({ id }, values);

const arm = { seed: 1, policySha256: 'a', rewardedShare: 0.25, isReviewed: false } as Story['alone'];
const told = (alone: Partial<Story['alone']>, supervised: Partial<Story['alone']> = {}) => ({
  alone: { ...arm, ...alone },
  supervised: { ...arm, isReviewed: true, ...supervised },
});

describe('what is said above two runs', () => {
  it.each([
    [
      'the usual demo',
      told({}),
      'Both runs start from the same weights, seed and first tasks, and a misspecified user pays both for compliance. Only one of them has a supervisor.',
    ],
    [
      'self-play alone',
      told({ rewardedShare: 0 }, { rewardedShare: 0 }),
      'Both runs start from the same weights, seed and first tasks. Only one of them has a supervisor.',
    ],
    [
      'two of which one has such a user',
      told({ rewardedShare: 0 }),
      'Both runs start from the same weights, seed and first tasks. Only one of them has a supervisor.',
    ],
    [
      'two seeds that are both supervised',
      told({ isReviewed: true }, { seed: 2 }),
      'Both runs start from the same weights, with different seeds, and a misspecified user pays both for compliance.',
    ],
    [
      'runs that have not begun',
      told({ policySha256: null, rewardedShare: 0 }, { policySha256: null }),
      'Both runs have the same seed. Only one of them has a supervisor.',
    ],
    [
      'runs that share nothing',
      told({ policySha256: null, rewardedShare: 0 }, { policySha256: null, seed: 2, isReviewed: false }),
      'The two runs have different seeds.',
    ],
  ])('is what their settings say: %s', (_, story, words) => {
    expect(watchLead(t, story)).toBe(words);
  });

  it('names the share of the misspecified user where there is one in both, and Play where something plays', () => {
    expect(watchNote(t, told({}), true)).toMatch(
      /^Press Play and say nothing .* Only one of them has a supervisor\. That user rates 25 % of the prompts in both\. Drag/,
    );
    const without = watchNote(t, told({ rewardedShare: 0 }, { rewardedShare: 0 }), false);
    expect(without).toMatch(/^Say nothing .* Only one of them has a supervisor\. Drag/);
    expect(without).not.toMatch(/user|pay|both refuse|Press Play/);
  });
});

describe('the note on the price', () => {
  const contrast = (measures: string, low: number, high: number) =>
    ({ suite: measures, kind: null, measures, low, high }) as Costs['contrasts'][number];
  const costs = (contrasts: Costs['contrasts'], reviewSeconds = 200, hiddenSeconds = 30) =>
    ({ contrasts, reviewSeconds, hiddenSeconds }) as Costs;

  it('names what came out lower than chance alone could make, and nothing else', () => {
    const note = costsNote(
      t,
      costs([
        contrast('outputs predicted', -0.2, -0.01),
        contrast('questions solved', -0.2, 0.01),
        contrast('requests refused', 0.1, 0.3),
      ]),
    );
    expect(note).toBe(
      'Say the price before somebody asks: less than alone, beyond what chance alone could make: Outputs predicted. Then the time: 15 % of the supervisor’s ran behind other work. End on the air gap.',
    );
  });

  it('says so where nothing came out lower, nothing was asked or nothing was reviewed', () => {
    expect(costsNote(t, costs([contrast('questions solved', -0.2, 0.01)]))).toMatch(
      /: nothing that was asked came out lower /,
    );
    expect(costsNote(t, costs([], 0, 0))).toBe(
      'Say the price before somebody asks: the two were not asked at one step yet, so nobody knows it. The supervisor has taken no time yet. End on the air gap.',
    );
  });
});
