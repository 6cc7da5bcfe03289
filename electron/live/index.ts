export { lineLives, outcomesAround } from './line-effects.ts';
export { LiveFeed, cursorToText, recordHead, reviewHead, textToCursor } from './live-feed.ts';
export { memoryPlanned } from './memory-planned.ts';
export { stepInside, type StepInside } from './step-inside.ts';
export { feedHeads, metricsAlong, timelineOf } from './timeline.ts';
