export { distinctGrams, entropyOf, pairwiseBleu } from './diversity.ts';
export * from './advantages.ts';
export * from './boxed.ts';
export * from './text.ts';
export { editDistance, similarity } from './edit-distance.ts';
export { bleu, wordsOf } from './bleu.ts';
export { repetitionClusters } from './text-clusters.ts';
export { answerClasses, type AnswerClasses } from './votes.ts';
export * from './statistics/agreement.ts';
export * from './hash.ts';
export * from './ngram-index.ts';
export * from './rests.ts';
export * from './files.ts';
export { doOrder, endOf, inThread, threadModule } from './threads.ts';
export { filesOfRules, rulesOf, thisProgram } from './program.ts';
export * from './counter-random.ts';
export * from './statistics/contingency.ts';
export * from './statistics/crossed-interval.ts';
export * from './statistics/eta.ts';
export * from './statistics/intervals.ts';
export * from './statistics/paired-clusters.ts';
export * from './rewards.ts';
export type { Clock, FoundUnits, JobHandle, JobRequest, JobRunner } from './ports.ts';
export * from './scores/aggregates.ts';
export * from './scores/paired-outcomes.ts';
export * from './scores/stated-table.ts';
export { BOOTSTRAP_RESAMPLES, stratifiedBootstrap } from './scores/bootstrap.ts';
export * from './tripwires.ts';
export {
  checkEncodedValue,
  doubleToHex,
  hexToDouble,
  hexToInt,
  encodedInt,
  encodedFloat,
  encodedText,
} from './values/encoded-value.ts';
export { parseArguments, parseLiteral } from './values/literal.ts';
export { renderLiteral, type LiteralStyle } from './values/render-literal.ts';
export { sameValue, valueKey, type ValueEquality } from './values/value-compare.ts';
export * from './response.ts';
