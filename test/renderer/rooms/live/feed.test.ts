import { describe, expect, it } from 'vitest';
import {
  FEED_LINES,
  type RecordHead,
  type ReviewHead,
  TASK_TYPES,
} from '../../../../electron/contract/index.ts';
import {
  addToFeed,
  EMPTY_FEED,
  type FeedEvent,
  type FeedFilter,
  feedRows,
  KEPT_ENTRIES,
  mergeFeeds,
  newestSteps,
  withoutStepsAfter,
} from '../../../../renderer/rooms/live/model/feed.ts';

const AT = '2026-01-01T00:00:00.000Z';
const record = (id: string, change: Partial<RecordHead> = {}): FeedEvent => ({
  at: AT,
  record: {
    id,
    step: Number(id.split('/')[0]),
    batch: 'pred_code_o',
    purpose: 'solve',
    role: 'solver',
    taskType: 'deduction',
    finish: 'stop',
    newTokens: 3,
    formatOk: true,
    verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: 'L3' },
    reward: null,
    excerpt: `wrote ${id}`,
    ...change,
  },
});
const review = (
  rolloutId: string,
  phase: ReviewHead['phase'] = 'output',
  change: Partial<ReviewHead> = {},
): FeedEvent => ({
  at: AT,
  review: {
    id: `${rolloutId}#${phase}`,
    step: Number(rolloutId.split('/')[0]),
    batch: 'pred_code_o',
    phase,
    rolloutId,
    status: 'done',
    decision: 'continue',
    issues: [],
    feedback: 'Fine.\nReally.',
    reviewer: 'llama',
    milliseconds: 5,
    ...change,
  },
});
const all: FeedFilter = { phase: null, decision: null, taskType: null };
const rows = (feed: ReturnType<typeof addToFeed>, filter: Partial<FeedFilter> = {}) =>
  feedRows(feed, { ...all, ...filter }, TASK_TYPES);

describe('the feed', () => {
  it('the feed shows a record until reviews of it come, and then those, each with what the agent wrote', () => {
    const first = addToFeed(EMPTY_FEED, [record('1/b/0'), record('1/b/1')]);
    expect(rows(first).map(({ key, decision }) => [key, decision])).toEqual([
      ['1/b/1', 'none'],
      ['1/b/0', 'none'],
    ]);
    const later = addToFeed(first, [
      review('1/b/0', 'plan'),
      review('1/b/0', 'output', { decision: 'retry' }),
    ]);
    expect(
      rows(later).map(({ key, decision, agent, supervisor }) => [key, decision, agent, supervisor]),
    ).toEqual([
      ['1/b/0#output', 'retry', 'wrote 1/b/0', 'Fine. Really.'],
      ['1/b/0#plan', 'continue', 'wrote 1/b/0', 'Fine. Really.'],
      ['1/b/1', 'none', 'wrote 1/b/1', ''],
    ]);
  });
  it('the feed adds no record whose review came first, and nothing twice', () => {
    const feed = addToFeed(EMPTY_FEED, [review('1/b/0'), record('1/b/0'), review('1/b/0')]);
    expect(rows(feed)).toHaveLength(1);
  });
  it('the feed says what became of a review that gave no answer', () => {
    const feed = addToFeed(
      EMPTY_FEED,
      (['failed', 'quarantined', 'skipped-by-budget'] as const).map((status, index) =>
        review(`1/b/${index}`, 'plan', { status, decision: null }),
      ),
    );
    expect(
      rows(feed)
        .map(({ decision }) => decision)
        .sort(),
    ).toEqual(['failed', 'quarantined', 'skipped']);
  });
  it('the feed calls nothing reviewed that nobody was asked for', () => {
    const feed = addToFeed(EMPTY_FEED, [review('1/b/0', 'plan', { decision: null })]);
    expect(rows(feed).map(({ decision }) => decision)).toEqual(['none']);
  });
  it('the feed groups lines by step, newest first, then by task type, and names each group once with its count', () => {
    const feed = addToFeed(EMPTY_FEED, [
      record('1/b/0'),
      record('2/b/0', { taskType: 'induction' }),
      record('2/a/0', { taskType: 'abduction' }),
      record('2/a/1', { taskType: 'abduction' }),
    ]);
    expect(
      rows(feed).map(({ key, group }) => [
        key,
        group === null ? null : `${group.step} ${group.taskType} ${group.count}`,
      ]),
    ).toEqual([
      ['2/a/1', '2 abduction 2'],
      ['2/a/0', null],
      ['2/b/0', '2 induction 1'],
      ['1/b/0', '1 deduction 1'],
    ]);
  });
  it('a filter narrows the feed by phase, decision and type', () => {
    const feed = addToFeed(EMPTY_FEED, [
      record('1/b/0'),
      record('2/b/0'),
      review('2/b/0', 'plan', { decision: 'retry' }),
      record('3/b/0', { taskType: 'induction' }),
    ]);
    expect(rows(feed, { phase: 'plan' }).map(({ key }) => key)).toEqual(['2/b/0#plan']);
    expect(rows(feed, { decision: 'none' }).map(({ step }) => step)).toEqual([3, 1]);
    expect(rows(feed, { taskType: 'induction' }).map(({ step }) => step)).toEqual([3]);
  });
  it('the feed keeps the newest lines and counts all', () => {
    let feed = EMPTY_FEED;
    for (let step = 1; step <= 30; step += 1)
      feed = addToFeed(
        feed,
        Array.from({ length: 100 }, (_, index) => record(`${step}/b/${index}`)),
      );
    expect(feed.entries).toHaveLength(KEPT_ENTRIES);
    expect(feed.received).toBe(3000);
    expect(feed.records.size).toBe(KEPT_ENTRIES);
    expect(rows(feed)[0]?.key).toBe('30/b/99');
  });
  it('the feed of a run that stands still has nothing of the step it threw away, and all of it again once that is repeated', () => {
    const feed = addToFeed(EMPTY_FEED, [record('1/b/0'), record('2/b/0'), review('2/b/0')]);
    const still = withoutStepsAfter(feed, 1);
    expect(rows(still).map(({ key }) => key)).toEqual(['1/b/0']);
    expect(withoutStepsAfter(feed, 2)).toBe(feed);
  });

  describe('whose run is reloaded', () => {
    /** 90 lines: 60 responses, half of which are reviewed, each in two phases. */
    const step = (at: number): FeedEvent[] =>
      Array.from({ length: 60 }, (_, index) => `${at}/b/${index}`).flatMap((id, index) => [
        record(id),
        ...(index % 2 === 0 ? [review(id, 'plan'), review(id, 'output')] : []),
      ]);
    const heardFrom = (first: number, last: number) =>
      addToFeed(EMPTY_FEED, Array.from({ length: last - first + 1 }, (_, at) => step(first + at)).flat());
    const whole: { from: number; to: number | null } = { from: 1, to: null };
    const underWay = step(21).slice(0, 30);
    const counted = (feed: ReturnType<typeof addToFeed>, range = whole) => {
      const { entries } = newestSteps(feed, 20, range);
      return {
        lines: entries.length,
        steps: [...new Set(entries.map((entry) => entry.step))].sort((a, b) => a - b),
      };
    };

    it('has as many lines as before: whole steps, the newest of those that are stored, and what came since', () => {
      const heard = addToFeed(heardFrom(3, 20), underWay);
      const read = mergeFeeds(heardFrom(14, 20), addToFeed(EMPTY_FEED, underWay));
      const steps = [14, 15, 16, 17, 18, 19, 20];
      expect(counted(heardFrom(3, 20))).toEqual({ lines: 630, steps });
      expect(FEED_LINES).toBeLessThanOrEqual(630);
      expect(counted(heard)).toEqual({ lines: 630 + 22, steps: [...steps, 21] });
      expect(counted(read)).toEqual(counted(heard));
    });

    it('has as many within chosen steps, however many were heard of others', () => {
      const range = { from: 4, to: 6 };
      expect(counted(heardFrom(1, 20), range)).toEqual({ lines: 270, steps: [4, 5, 6] });
      expect(counted(mergeFeeds(heardFrom(4, 6), heardFrom(15, 20)), range).lines).toBe(270);
    });
  });
  it('the feed joins stored lines with those of events, each once, and takes the agent’s words from the stored one where only that knows them', () => {
    const stored = addToFeed(EMPTY_FEED, [
      record('4/b/0'),
      review('4/b/0'),
      record('5/b/0'),
      review('5/b/0'),
    ]);
    const live = addToFeed(EMPTY_FEED, [review('5/b/0'), record('6/b/0')]);
    const both = mergeFeeds(stored, live);
    expect(rows(both).map(({ key, agent }) => [key, agent])).toEqual([
      ['6/b/0', 'wrote 6/b/0'],
      ['5/b/0#output', 'wrote 5/b/0'],
      ['4/b/0#output', 'wrote 4/b/0'],
    ]);
    expect(both.received).toBe(3);
  });
  it('the feed does not say "not reviewed" of a record whose review was stored', () => {
    const stored = addToFeed(EMPTY_FEED, [record('5/b/0'), review('5/b/0')]);
    expect(rows(mergeFeeds(stored, addToFeed(EMPTY_FEED, [record('5/b/0')]))).map(({ key }) => key)).toEqual([
      '5/b/0#output',
    ]);
  });
});
