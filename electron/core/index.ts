export * from './advantages.ts';
export * from './agent-text.ts';
export * from './statistics/agreement.ts';
export * from './canonical-json.ts';
export * from './counter-random.ts';
export * from './statistics/crossed-interval.ts';
export * from './edit-distance.ts';
export * from './statistics/eta.ts';
export * from './gate.ts';
export * from './hash.ts';
export * from './statistics/intervals.ts';
export * from './statistics/pass-at-k.ts';
export * from './rewards.ts';
export * from './scores/aggregate-rules.ts';
export * from './scores/aggregates.ts';
export * from './scores/paired-outcomes.ts';
export { squareAndAdd, type WeightedShare } from './scores/square-and-add.ts';
export * from './scores/stated-table.ts';
export { BOOTSTRAP_RESAMPLES, stratifiedBootstrap, type Stratum } from './scores/stratified-bootstrap.ts';
export * from './statistics/student.ts';
export * from './statistics/theil-sen.ts';
export * from './tripwires.ts';
export {
  FRAME_LIMITS,
  checkFrame,
  doubleToHex,
  hexToDouble,
  hexToInt,
  intFrame,
  floatFrame,
  textFrame,
  boolFrame,
  noneFrame,
} from './values/frame.ts';
export type { FrameCheck } from './values/frame.ts';
export { parseArguments, parseLiteral } from './values/literal.ts';
export type { ArgumentsResult, LiteralOptions, LiteralResult } from './values/literal.ts';
export { renderLiteral } from './values/render-literal.ts';
export type { LiteralStyle } from './values/render-literal.ts';
export { sameValue, valueKey } from './values/value-compare.ts';
export type { ValueEquality } from './values/value-compare.ts';
export type { Compatibility } from './response/compatibility.ts';
export { readAnswerLiteral, readAnswerName, readAnswerProgram } from './response/answer.ts';
export { fencedBodies, findFences, PYTHON_WORDS, tidyProgram, type Fence } from './response/fences.ts';
export { parseResponse, type ParsedResponse } from './response/response.ts';
