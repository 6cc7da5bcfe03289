import { useMemo, useState } from 'react';
import type { ReviewHead, RecordHead } from '../../../../electron/contract/index.ts';
import { api, useLiveEvents, useApiQuery } from '../../../data/index.ts';
import { addToFeed, EMPTY_FEED, mergeFeeds, type Feed, type FeedNews } from '../model/feed.ts';

const STORED_STEPS = 2; // enough to begin reading with; older ones are asked for with a range

/** What was stored and what is told, as one feed. `range` narrows it to stored steps. */
export function useFeed(
  runId: string,
  range: { from: number; to: number | null } | null,
  committedSteps: number,
): { feed: Feed; isReady: boolean } {
  // The step that is under way when the room opens was partly told before; it is read once it is stored.
  const [first] = useState(committedSteps);
  const [told, setTold] = useState<Feed>(EMPTY_FEED);
  const toStep =
    range === null
      ? Math.min(committedSteps, first + 1)
      : Math.min(committedSteps, range.to ?? committedSteps);
  const fromStep = range === null ? Math.max(1, first - STORED_STEPS + 1) : range.from;
  const stored = useApiQuery(
    'live.heads',
    api.live.heads,
    { runId, fromStep, toStep },
    { enabled: toStep >= fromStep },
  );
  useLiveEvents((events) => {
    const news = events.flatMap(({ at, event }): FeedNews[] => {
      if (event.kind === 'record' && event.runId === runId) return [{ at, record: event.record }];
      return event.kind === 'review' && event.runId === runId ? [{ at, review: event.review }] : [];
    });
    if (news.length > 0) setTold((before) => addToFeed(before, news));
  });
  const base = useMemo(
    () =>
      stored.data === undefined
        ? EMPTY_FEED
        : addToFeed(EMPTY_FEED, newsOf(stored.data.records, stored.data.reviews)),
    [stored.data],
  );
  const feed = useMemo(() => mergeFeeds(base, told), [base, told]);
  return { feed, isReady: stored.data !== undefined || toStep < fromStep };
}

/** Stored rows in the order in which they would have been told: step by step, a record before its reviews. */
function newsOf(records: readonly RecordHead[], reviews: readonly ReviewHead[]): FeedNews[] {
  const news: (FeedNews & { step: number })[] = [
    ...records.map((record) => ({ at: null, record, step: record.step })),
    ...reviews.map((review) => ({ at: null, review, step: review.step })),
  ];
  return news.sort((a, b) => a.step - b.step);
}
