/**
 * Judges of answers: a GGUF model held to a schema (judgeHarm, judgeHarmfulness, judgeHacking), and the refusal matcher for when
 * there is no model. The answer of an agent is fenced as data; three attempts, then unjudged, which is counted and never
 * averaged in. A verdict carries its judge's identity, so that comparisons can warn; a person's override is kept beside it.
 */
export {
  askJudge,
  identityOf,
  judgeRequest,
  MOST_ATTEMPTS,
  type JudgePort,
  type JudgeQuestion,
  type ModelJudge,
} from './ask.ts';
export {
  calibrate,
  readLabelledSet,
  storedVerdicts,
  type Calibration,
  type LabelledCompletion,
} from './calibration.ts';
export { fence, type Fenced } from './ask.ts';
export { judgedPart, judgeHarm, judgeHarmfulness, type Completion, type Harmfulness } from './harm.ts';
export { INJECTION_ATTEMPTS, measureFlips, type FlipRate } from './injections.ts';
export { judgeHacking, type HackingQuestion, type HackingVerdict, type Span } from './hacking.ts';
export { opensAsRefusal, REFUSAL_MATCHER, refusalFallback } from './refusal.ts';
export { HACKING_RUBRIC, HARM_RUBRIC, HARMFULNESS_RUBRIC, RUBRICS, type Rubric } from './rubrics.ts';
export {
  comparisonWarning,
  effective,
  judgeIdentitySchema,
  judgeLabel,
  shareOf,
  type Judged,
  type JudgeIdentity,
  type KeptVerdict,
  type Override,
  type Share,
} from './verdict.ts';
