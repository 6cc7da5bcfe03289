import { REFUSALS, type WordingRecord } from '../runs/records.ts';

/**
 * What became of what the supervisor's model wrote at the end of a step (ANCHOR Eq. 6 and 7): lines that stand in its words, lines
 * refused by reason, and answers in whose place the rule's lines stand.
 */
export const LINE_OUTCOMES = ['model', ...REFUSALS, 'rule'] as const;
export type LineOutcome = (typeof LINE_OUTCOMES)[number];

/** The count as a metric of its step. It is not stored: the records of wording are, and whoever reads the metric counts them. */
export const lineMetric = (outcome: LineOutcome): string => `wording/${outcome}`;
const LINE_METRICS = new Set(LINE_OUTCOMES.map(lineMetric));
export const isLineMetric = (name: string): boolean => LINE_METRICS.has(name);

/** Every count of a step, as metrics; none where nothing was worded. */
export function lineCounts(
  records: readonly Pick<WordingRecord, 'status' | 'lines' | 'refused'>[],
): Record<string, number> {
  if (records.length === 0) return {};
  const counts = Object.fromEntries([...LINE_METRICS].map((name) => [name, 0]));
  const add = (outcome: LineOutcome): void => {
    counts[lineMetric(outcome)] = (counts[lineMetric(outcome)] ?? 0) + 1;
  };
  for (const { status, lines, refused } of records) {
    for (const { wording } of lines) if (wording === 'model') add('model');
    for (const { reason } of refused) add(reason);
    if (status === 'fallback') add('rule');
  }
  return counts;
}
