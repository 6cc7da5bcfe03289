export * from './registry.ts';
export * from './run-suite.ts';
export { conductOf, answerText } from './suites/toy/words.ts';
export type { ExecuteProgram, Question, Suite, Grade } from './suites/suite.ts';
