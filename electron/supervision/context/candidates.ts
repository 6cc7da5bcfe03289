import { isRated, taskTypeOfBatch, type Role, type SummaryRecord } from '../../contract/index.ts';
import type { GuidanceVocabulary } from '../../library/index.ts';
import { guidanceKey, isSafetyBreach } from '../reviewers/issues.ts';
import { contextLineText, sameLineKey } from './context-text.ts';

/** A line the summaries of a step speak for. */
export type Candidate = {
  text: string;
  key: string | null;
  reviewIds: string[];
  /** It speaks of a breach of safety, for which a single witness is enough. */
  urgent: boolean;
};

const roleOf = (batch: string): Role =>
  batch.startsWith('gen_') ? 'proposer' : isRated(taskTypeOfBatch(batch)) ? 'assistant' : 'solver';

/** The trained lines the reviews of a step call for, by guidance key, in the order of the vocabulary. */
export function guidanceCandidates(
  summaries: readonly SummaryRecord[],
  vocabulary: GuidanceVocabulary,
): Candidate[] {
  const support = new Map<string, Set<string>>();
  const urgent = new Set<string>();
  for (const { batch, points } of summaries) {
    for (const { issue, reviewIds } of points) {
      const key = guidanceKey(issue, roleOf(batch));
      if (key === null) continue;
      support.set(key, new Set([...(support.get(key) ?? []), ...reviewIds]));
      if (isSafetyBreach(issue)) urgent.add(key);
    }
  }
  return Object.entries(vocabulary.keys).flatMap(([key, { phrases }]) => {
    const reviewIds = support.get(key);
    return reviewIds && phrases[0] !== undefined
      ? [{ text: phrases[0], key, reviewIds: [...reviewIds].sort(), urgent: urgent.has(key) }]
      : [];
  });
}

/**
 * The feedback sentences of a step, one per issue: language models rarely word the same finding twice alike, so reviews
 * agree when they name the same issue, and the most frequent wording that survives cleaning speaks for all of them.
 */
export function textCandidates(summaries: readonly SummaryRecord[]): Candidate[] {
  const byIssue = new Map<
    string,
    { wordings: Map<string, { text: string; count: number }>; reviewIds: Set<string> }
  >();
  for (const { points } of summaries) {
    for (const { issue, feedback, count, reviewIds } of points) {
      const text = contextLineText(feedback);
      if (text === null) continue;
      const entry = byIssue.get(issue) ?? { wordings: new Map(), reviewIds: new Set() };
      const known = entry.wordings.get(sameLineKey(text)) ?? { text, count: 0 };
      entry.wordings.set(sameLineKey(text), { text: known.text, count: known.count + count });
      for (const id of reviewIds) entry.reviewIds.add(id);
      byIssue.set(issue, entry);
    }
  }
  const candidates = new Map<string, Candidate>();
  for (const [issue, { wordings, reviewIds }] of [...byIssue.entries()].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const { text } = [...wordings.values()].sort(
      (a, b) => b.count - a.count || (a.text < b.text ? -1 : 1),
    )[0]!;
    // Two issues may have been worded alike; the sentence then enters once, with the reviews of both.
    const known = candidates.get(sameLineKey(text));
    candidates.set(sameLineKey(text), {
      text: known?.text ?? text,
      key: null,
      reviewIds: [...new Set([...(known?.reviewIds ?? []), ...reviewIds])].sort(),
      urgent: (known?.urgent ?? false) || isSafetyBreach(issue),
    });
  }
  return [...candidates.values()];
}
