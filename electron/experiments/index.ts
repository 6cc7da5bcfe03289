export {
  beginDemo,
  DEMO_DEFAULTS,
  demoDefaults,
  MERGES,
  demoOptionsSchema,
  runDemo,
  type DemoRuns,
  type DemoColumn,
  type DemoOptions,
  type DemoReport,
} from './demo/demo.ts';
export { storyCause } from './demo/cause.ts';
export {
  demoPairs,
  isAskedAtEnd,
  requireComparable,
  storyAnswers,
  storyCosts,
  storyLines,
  storyQuestions,
  storyTracks,
  type StoryPair,
} from './demo/story.ts';
export { coinsOf, tryLeak } from './sample/exercises.ts';
export { REPLAY_SPEED, SampleRun, type SampleState } from './sample/sample-run.ts';
export { recordSample, SAMPLE_DEMO } from './sample/record.ts';
export { isSample } from './sample/recording.ts';
export {
  ARMS,
  armsOf,
  COMPARED,
  configOf,
  LENT,
  PRACTICE,
  REWARDED_SHARES,
  type StudyOptions,
} from './study/arms.ts';
export { askedUnder } from './study/points.ts';
export { isFull, resultsOf, writeResults } from './study/results.ts';
export { runStudy } from './study/runner.ts';
export {
  beginFrom,
  bindFolder,
  boundSettings,
  compareStudies,
  openOther,
  requireSame,
  StudyState,
} from './study/state.ts';
export { studyMarkdown } from './study/table.ts';
