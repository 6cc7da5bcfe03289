import type { EvaluationSummary, GradedItem, ItemOverride, EvaluationJudge } from '../../contract/index.ts';
import { csvLine } from './tables/csv.ts';

/** An evaluation to be written out. Its answers come beside it, one after another: there may be a hundred thousand. */
export type ExportedEvaluation = EvaluationSummary;

/** One answer with what a person said of its verdict; null when nobody did. */
export type ExportedItem = { item: GradedItem; override: ItemOverride | null };

const COLUMNS = [
  'suite',
  'subject',
  'ordinal',
  'item',
  'sample',
  'outcome',
  'score',
  'method',
  'reason',
  'flags',
  'judge',
  'person_outcome',
  'person',
  'person_note',
  'person_at',
  'new_tokens',
  'question',
  'answer',
  'target',
] as const;

/** One line per answer, piece by piece, one answer in memory at a time. @param items in the evaluation's order. */
export function* itemsCsv({ plan }: ExportedEvaluation, items: Iterable<ExportedItem>): Generator<string> {
  yield csvLine(COLUMNS);
  for (const { item, override } of items) {
    const { outcome, score, method, reason, flags, judge } = item.grade;
    yield csvLine([
      plan.suite,
      plan.subject.id,
      item.ordinal,
      item.itemId,
      item.sample,
      outcome,
      score,
      method,
      reason,
      flags.join('; '),
      judgeText(judge),
      override?.outcome,
      override?.by,
      override?.note,
      override?.at,
      item.newTokens,
      item.asked.map(({ role, content }) => `[${role}]\n${content}`).join('\n\n'),
      item.text,
      item.target,
    ]);
  }
}

/** A judge on one line, with the start of its file's hash. */
export function judgeText(judge: EvaluationJudge | null): string | null {
  if (judge === null) return null;
  const { name, sha256, promptVersion } = judge;
  return `${name}${sha256 === null ? '' : ` ${sha256.slice(0, 8)}`} (rubric ${promptVersion})`;
}
