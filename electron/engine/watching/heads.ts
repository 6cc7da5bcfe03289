import type { RecordHead, ReviewHead } from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { recordHead, reviewHead } from '../live/live-heads.ts';

/** Rows of a feed, as they were told while they happened. */
export type FeedHeads = {
  records: RecordHead[];
  reviews: ReviewHead[];
  /** First step that is here in full; later than asked when there was too much. */
  fromStep: number;
  toStep: number;
};

/** More than a person reads; the room of records has them all. */
const MOST_ROWS = 600;

/** Trained rollouts and reviews of the newest steps within [fromStep, toStep], whole steps only, at least one. Estimates are not told. */
export function feedHeads(store: Lab, runId: string, fromStep: number, toStep: number): FeedHeads {
  const heads: FeedHeads = { records: [], reviews: [], fromStep: toStep, toStep };
  for (let step = toStep; step >= Math.max(1, fromStep); step -= 1) {
    heads.records.unshift(
      ...store
        .listRollouts(runId, step)
        .filter(({ reward }) => reward !== null)
        .map(recordHead),
    );
    heads.reviews.unshift(...store.listReviews(runId, step).map(reviewHead));
    heads.fromStep = step;
    if (heads.records.length + heads.reviews.length >= MOST_ROWS) break;
  }
  return heads;
}
