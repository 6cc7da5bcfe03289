/**
 * Grading of mathematics: AIME 2024 and 2025, AMC 2023, MATH-500, OlympiadBench and Minerva, under the published protocols or with
 * their damage repaired. readMaths → mathsPrompt → (model) → gradeMaths → scoreMaths. What exact text and exact numbers cannot
 * decide is decided by math-verify in a process of its own (startGrader of processes/), which is killed when a pair takes too long.
 */
export { MATHS_SUITES, mathsSuite, type MathsSuite, type MathsSuiteFacts } from './suites.ts';
export { readMaths, readMathsLine, type MathsItem } from './items.ts';
export {
  MATHS_PROTOCOLS,
  mathsPrompt,
  type Equality,
  type MathsPrompt,
  type MathsProtocol,
  type MathsTemplate,
} from './prompt.ts';
export { extractAnswer, type Extraction, type Mode } from './extract.ts';
export { compatibleForm } from './normal/compatible.ts';
export { repairedForm } from './normal/repaired.ts';
export { exactNumber, type Rational } from './rational.ts';
export { gradeMaths, type MathsGrade, type MathsMethod, type MathsTools } from './grade.ts';
export { scoreMaths, type MathsResult, type MathsScores, type MathsSuiteScore } from './scores.ts';
