import { describe, expect, it } from 'vitest';
import {
  causeGroups,
  lanesOf,
  type LineLife,
  pointsOf,
  stepTicks,
  wordingsOf,
} from '../../../../renderer/rooms/contexts/lines.ts';

const line = (change: Partial<LineLife>): LineLife => ({
  id: '2.1',
  text: 'x',
  key: null,
  firstContext: 2,
  lastContext: 3,
  support: 1,
  sources: 4,
  supports: [{ context: 2, reviews: 4 }],
  left: null,
  ...change,
});

describe('lines over steps', () => {
  it('a line is a bar from the first to the end of the last step that saw it', () => {
    expect(lanesOf([line({})], 4)[0]).toMatchObject({ start: 0.25, end: 0.75, isGone: false });
    expect(lanesOf([line({ lastContext: 2, left: { context: 3, reason: 'budget' } })], 4)[0]).toMatchObject({
      start: 0.25,
      end: 0.5,
      isGone: true,
    });
  });
  it('a line has a dot per step that supported it, whose area grows with the reviews', () => {
    const [lane] = lanesOf(
      [
        line({
          supports: [
            { context: 2, reviews: 16 },
            { context: 3, reviews: 4 },
          ],
        }),
      ],
      4,
    );
    expect(lane?.dots.map(({ at }) => at)).toEqual([0.375, 0.625]);
    expect(lane?.dots[0]?.radius).toBe(5);
    expect(lane?.dots[1]?.radius).toBeCloseTo(1.8 + 3.2 / 2, 12);
  });
  it('the axis names round steps', () => {
    expect(stepTicks(41, 8).map(({ step }) => step)).toEqual([10, 20, 30, 40]);
    expect(stepTicks(1, 8)).toEqual([{ step: 1, at: 0.5 }]);
  });
});

describe('the causes of a line', () => {
  const cause = (sinceContext: number, id: string) => ({
    sinceContext,
    review: { id, step: sinceContext - 1 },
  });
  it('the causes of a line come step by step: what caused it first, then what renewed it', () => {
    const groups = causeGroups([cause(5, 'c'), cause(3, 'a'), cause(3, 'b')]);
    expect(
      groups.map(({ step, isFirst, causes }) => [step, isFirst, causes.map(({ review }) => review.id)]),
    ).toEqual([
      [2, true, ['a', 'b']],
      [4, false, ['c']],
    ]);
  });
  it('the causes of a line lead through the summary points that count them, and no other', () => {
    const summary = (batch: string, points: { issue: string; count: number; reviewIds: string[] }[]) => ({
      batch,
      reviewed: 9,
      eligible: 5,
      points,
    });
    expect(
      pointsOf(
        [
          summary('one', [
            { issue: 'x', count: 2, reviewIds: ['a', 'q'] },
            { issue: 'y', count: 1, reviewIds: ['z'] },
          ]),
          summary('two', [{ issue: 'x', count: 1, reviewIds: ['q'] }]),
        ],
        new Set(['a', 'b']),
      ),
    ).toEqual([{ batch: 'one', reviewed: 9, eligible: 5, points: [{ issue: 'x', count: 2 }] }]);
  });
});

describe('the words of a line', () => {
  const written = (id: string, sources: string[], text = 'x') => ({
    id,
    text,
    sources,
    wording: 'model' as const,
  });
  const merge = { id: '1/merge', lines: [written('2.1', ['1/a/1', '1/b/1']), written('2.2', ['1/c/1'])] };
  const summaries = ['a', 'b', 'c'].map((batch) => ({
    id: `1/summary/${batch}`,
    lines: [written(`1/${batch}/1`, ['r'])],
  }));
  it('lead from the merge that wrote it to the summaries it was made of', () => {
    const found = wordingsOf(line({}), [...summaries, merge]);
    expect(found.map(({ record }) => record.id)).toEqual(['1/merge', '1/summary/a', '1/summary/b']);
  });
  it('are those of the summary with this text where no model merged, and of nobody else', () => {
    expect(wordingsOf(line({ text: 'x' }), summaries)).toHaveLength(3);
    expect(wordingsOf(line({ text: 'y' }), summaries)).toEqual([]);
  });
});
