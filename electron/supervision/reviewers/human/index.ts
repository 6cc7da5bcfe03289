import { NO_SETTINGS, unstartable, type ReviewerMaker } from '../reviewer.ts';

export {
  humanReviewer,
  type HumanReviewer,
  type HumanReviewerOptions,
  type PendingReview,
  type QueueClock,
} from './queue.ts';
export { personInLoop } from './in-loop.ts';

/** A person answers at a window, which hands the reviewer over itself; `supervision.human` gives a person a share of a run's reviews. */
export const human: ReviewerMaker = {
  kind: 'human',
  startable: false,
  isPerson: true,
  settings: NO_SETTINGS,
  make: unstartable('human'),
};
