import type { ItemGrade, ItemOutcome, ItemOverride } from '../../../contract/index.ts';
import type { ExportedEvaluation, ExportedItem } from '../exported.ts';
import { NUMBER, VERDICT } from './header.ts';

/** Inspect's letters. An unjudged answer has none: it gets no score at all, so that nothing averages over it. */
const LETTER = { passed: 'C', failed: 'I', unanswered: 'N' } as const satisfies Record<
  Exclude<ItemOutcome, 'unjudged'>,
  string
>;

/** One answer as a sample; several answers to an item are its epochs. */
export function inspectSample(
  { id, plan }: ExportedEvaluation,
  { item, override }: ExportedItem,
): Record<string, unknown> {
  const { ordinal, itemId, sample, asked, target, text, newTokens, grade } = item;
  const answer = { role: 'assistant', content: text, source: 'generate', model: plan.subject.id };
  const scores = scoresOf(grade, override);
  return {
    id: itemId,
    epoch: sample + 1,
    input: asked.length === 0 ? '' : asked.map((message) => ({ ...message, source: 'input' })),
    target: target ?? '',
    messages: [...asked.map((message) => ({ ...message, source: 'input' })), answer],
    output: { model: plan.subject.id, choices: [{ message: answer, stop_reason: 'unknown' }] },
    ...(Object.keys(scores).length === 0 ? {} : { scores }),
    metadata: { ordinal, outcome: grade.outcome, newTokens, grade, override },
    uuid: `${id}/${ordinal}`,
  };
}

function scoresOf(grade: ItemGrade, override: ItemOverride | null): Record<string, unknown> {
  const { outcome, score, method, reason, flags, judge, details } = grade;
  const extracted = typeof details['extracted'] === 'string' ? { answer: details['extracted'] } : {};
  const graded =
    outcome === 'unjudged'
      ? null
      : {
          value: LETTER[outcome],
          ...extracted,
          explanation: reason,
          ...(outcome === 'unanswered' ? { reason: 'no_response' } : {}),
          metadata: { method, flags, judge },
        };
  const verdict = override === null ? graded : overridden(graded, override);
  return {
    ...(verdict === null ? {} : { [VERDICT]: verdict }),
    ...(score === null ? {} : { [NUMBER]: { value: score, metadata: { judge } } }),
  };
}

/** As Inspect keeps an edited score: the value is the person's, the history begins with the grader's. */
function overridden(
  graded: Record<string, unknown> | null,
  { outcome, by, note, at }: ItemOverride,
): Record<string, unknown> {
  const value = LETTER[outcome];
  const edit = { value, provenance: { timestamp: at, author: by, reason: note } };
  return graded === null ? { value, history: [edit] } : { ...graded, value, history: [graded, edit] };
}
