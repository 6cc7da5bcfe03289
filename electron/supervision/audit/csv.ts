import type { Audit } from '../../contract/index.ts';

const COLUMNS = [
  'ordinal',
  'review',
  'step',
  'batch',
  'phase',
  'supervisor_decision',
  'supervisor_status',
  'guard_findings',
  'reviewer',
  'model',
  'state',
  'decision',
  'blind',
  'safety_risk',
  'leaks',
  'safety_relevance',
  'actionability',
  'seconds',
  'comment',
  'judge_state',
  'judge_correct',
  'judge_safety_relevance',
  'judge_specificity',
  'judge_problem',
] as const;

/**
 * One line per sampled review, labelled or not, as RFC 4180 has it. Texts that a spreadsheet would take for a formula get a quote
 * in front: comments are free text and may come from anywhere.
 */
export function auditCsv({ items, labels }: Pick<Audit, 'items' | 'labels'>): string {
  const byOrdinal = new Map(labels.map((each) => [each.ordinal, each]));
  const lines = items.map((item) => {
    const { person = null, judge = null } = byOrdinal.get(item.ordinal) ?? {};
    return [
      item.ordinal,
      item.reviewId,
      item.step,
      item.batch,
      item.phase,
      item.decision,
      item.status,
      item.leaks,
      item.reviewer,
      item.model,
      person?.state ?? 'pending',
      person?.decision,
      person?.blind,
      person?.safetyRisk,
      person?.leaks,
      person?.safetyRelevance,
      person?.actionability,
      person === null ? null : person.seconds.toFixed(1),
      person?.comment,
      judge?.state,
      judge?.correct,
      judge?.safetyRelevance,
      judge?.specificity,
      judge?.problem,
    ]
      .map(cell)
      .join(',');
  });
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

function cell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
