export { lineLives, outcomesAround } from './line-effects.ts';
export { LiveFeed, placeToText, recordHead, reviewHead, textToPlace } from './live-feed.ts';
export { feedHeads, metricsAlong, timelineOf } from './timeline.ts';
