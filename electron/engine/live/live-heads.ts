import type { RecordHead, ReviewHead, ReviewRecord, RolloutRecord } from '../../contract/index.ts';

const EXCERPT_CHARACTERS = 140;

/** The part of a rollout that a feed shows. */
export function recordHead({
  id,
  step,
  batch,
  purpose,
  role,
  taskType,
  finish,
  newTokens,
  formatOk,
  verdict,
  reward,
  answer,
  text,
}: RolloutRecord): RecordHead {
  return {
    id,
    step,
    batch,
    purpose,
    role,
    taskType,
    finish,
    newTokens,
    formatOk,
    verdict,
    reward,
    excerpt: oneLine(answer ?? text),
  };
}

/** The part of a review that a feed shows. */
export function reviewHead({
  id,
  step,
  batch,
  phase,
  rolloutId,
  status,
  decision,
  issues,
  feedback,
  reviewer,
  milliseconds,
}: ReviewRecord): ReviewHead {
  return { id, step, batch, phase, rolloutId, status, decision, issues, feedback, reviewer, milliseconds };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > EXCERPT_CHARACTERS ? `${line.slice(0, EXCERPT_CHARACTERS)}…` : line;
}
