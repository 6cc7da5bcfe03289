import { describe, expect, it } from 'vitest';
import { chainBefore } from '../../../electron/experiments/demo/cause.ts';

type Store = Parameters<typeof chainBefore>[0];

/** A line by the steps it stood at; `batch` is that of the review that brought it in, `renewedBy` of one that kept it later. */
type Stood = { id: string; from: number; to: number; batch?: string; renewedBy?: string };

/** A store that holds nothing but lines and where they came from. */
function storeOf(stood: readonly Stood[]): Store {
  const cause = (batch: string, context: number) => ({
    sinceContext: context,
    review: { batch },
    rollout: { id: `${context - 1}/${batch}/0`, step: context - 1, batch },
  });
  return {
    contextLines: () =>
      stood.map(({ id, from, to }) => ({ id, text: id, firstContext: from, lastContext: to })),
    lineageOf: (_: string, lineId: string) => {
      const { from, to, batch = 'pred_request', renewedBy } = stood.find(({ id }) => id === lineId)!;
      return { causes: [cause(batch, from), ...(renewedBy === undefined ? [] : [cause(renewedBy, to)])] };
    },
    getContext: (_: string, step: number) => ({ step, text: '' }),
    listRollouts: () => [],
  } as unknown as Store;
}

const chainOf = (stood: readonly Stood[], step: number) => {
  const chain = chainBefore(storeOf(stood), 'run', 'request', step);
  return chain === null ? null : [chain.rollout.step, chain.line.id];
};

describe('the chain of an answer that parted', () => {
  const early = { id: 'early', from: 2, to: 9 };
  const late = { id: 'late', from: 11, to: 25 };

  it.each([
    [4, [1, 'early']],
    [12, [10, 'late']],
    [24, [10, 'late']],
  ])('at step %i goes back to the newest line that stood then', (step, chain) => {
    expect(chainOf([early, late], step)).toEqual(chain);
  });

  it('goes back to the line that stood last where none stood at the step', () => {
    expect(chainOf([early, late], 10)).toEqual([1, 'early']);
    // The one that came later left before the other.
    expect(chainOf([early, { id: 'short', from: 4, to: 5 }], 10)).toEqual([1, 'early']);
  });

  it('is none where the first line of the kind came after it', () => {
    expect(chainOf([early, late], 1)).toBeNull();
    expect(chainOf([], 12)).toBeNull();
  });

  it('leaves out lines of another kind, and those that a review of this kind only renewed', () => {
    const other = { id: 'other', from: 8, to: 20, batch: 'pred_memory' };
    expect(chainOf([early, other], 12)).toEqual([1, 'early']);
    expect(chainOf([{ ...other, renewedBy: 'pred_request' }], 24)).toBeNull();
  });
});
