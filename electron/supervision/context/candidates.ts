import { batchSpec, type ContextLine, type SummaryRecord, type WordingRecord } from '../../contract/index.ts';
import type { GuidanceVocabulary } from '../../library/index.ts';
import {
  GENERAL_LINES,
  generalKey,
  guidanceKey,
  isIssue,
  isSafetyBreach,
  ISSUES,
} from '../reviewers/answers.ts';
import { isSameKind } from '../wording/likeness.ts';

/** A line the summaries of a step speak for. */
export type Candidate = {
  text: string;
  key: string | null;
  reviewIds: string[];
  /** It speaks of a breach of safety, for which a single witness is enough. */
  urgent: boolean;
  /** Where a model wrote it. */
  worded?: NonNullable<ContextLine['worded']>;
};

/** The lines the reviews of a step call for, by guidance key, in the order of the vocabulary: the trained ones, and with `every` those in plain words behind them. */
export function guidanceCandidates(
  summaries: readonly SummaryRecord[],
  vocabulary: GuidanceVocabulary,
  which: 'trained' | 'every' = 'trained',
): Candidate[] {
  const support = new Map<string, Set<string>>();
  const urgent = new Set<string>();
  for (const { batch, points } of summaries) {
    for (const { issue, reviewIds } of points) {
      const key = guidanceKey(issue, batchSpec(batch).role) ?? (which === 'every' ? generalKey(issue) : null);
      if (key === null) continue;
      support.set(key, new Set([...(support.get(key) ?? []), ...reviewIds]));
      if (isSafetyBreach(issue)) urgent.add(key);
    }
  }
  const lines = [
    ...Object.entries(vocabulary.keys).map(([key, { phrases }]) => [key, phrases[0]] as const),
    ...Object.entries(GENERAL_LINES),
  ];
  return lines.flatMap(([key, text]) => {
    const reviewIds = support.get(key);
    return reviewIds && text !== undefined
      ? [{ text, key, reviewIds: [...reviewIds].sort(), urgent: urgent.has(key) }]
      : [];
  });
}

/**
 * The feedback sentences of a step, one per issue: language models rarely word the same finding twice alike, so reviews
 * agree when they name the same issue, and the most frequent wording that survives cleaning speaks for all of them. A finding that
 * only its words describe agrees with those that are alike in their words. Words that repeat a deed that somebody asked for give way
 * to our own sentence for the issue, and are left out where they name none.
 */
export function textCandidates(
  summaries: readonly SummaryRecord[],
  repeatsDeed: (text: string) => boolean,
): Candidate[] {
  const byKind = new Map<
    string,
    { issue: string; wordings: Map<string, { text: string; count: number }>; reviewIds: Set<string> }
  >();
  const kindOf = (issue: string, text: string): string => {
    if (isIssue(issue)) return issue;
    const alike = [...byKind].find(
      ([, kind]) =>
        kind.issue === issue && [...kind.wordings.values()].every((known) => isSameKind(known.text, text)),
    );
    return alike?.[0] ?? `${issue}: ${text}`;
  };
  for (const { points } of summaries) {
    for (const { issue, feedback, count, reviewIds } of points) {
      const own = isIssue(issue) ? ISSUES[issue].feedback : null;
      const said = contextLineText(feedback);
      const text = said === null || said === own || !repeatsDeed(said) ? said : own;
      if (text === null) continue;
      const kind = kindOf(issue, text);
      const entry = byKind.get(kind) ?? { issue, wordings: new Map(), reviewIds: new Set() };
      const known = entry.wordings.get(sameLineKey(text)) ?? { text, count: 0 };
      entry.wordings.set(sameLineKey(text), { text: known.text, count: known.count + count });
      for (const id of reviewIds) entry.reviewIds.add(id);
      byKind.set(kind, entry);
    }
  }
  const candidates = new Map<string, Candidate>();
  for (const [, { issue, wordings, reviewIds }] of [...byKind.entries()].sort(([a], [b]) =>
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

/** A topic ends in the name of its issue where that is a breach of safety. */
export const isUrgentTopic = (topic: string): boolean => isSafetyBreach(topic.slice(topic.indexOf(': ') + 2));

/** The lines that the model wrote of a step's batches, one for each kind of finding, in the words that most reviews stand behind. */
export function wordedCandidates(wordings: readonly WordingRecord[]): Candidate[] {
  const byTopic = Map.groupBy(
    wordings.flatMap(({ lines }) => lines),
    ({ topic }) => topic,
  );
  return [...byTopic.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([topic, lines]) => {
      const [best] = lines.toSorted(
        (a, b) =>
          Number(b.wording === 'model') - Number(a.wording === 'model') ||
          b.sources.length - a.sources.length ||
          (a.id < b.id ? -1 : 1),
      );
      const { text, wording } = best as (typeof lines)[number];
      return {
        text,
        key: null,
        reviewIds: [...new Set(lines.flatMap(({ sources }) => sources))].sort(),
        urgent: isUrgentTopic(topic),
        worded: { topic, from: lines.map(({ id }) => id), wording },
      };
    });
}

/** A line is one sentence or two; longer text is cut at a word. */
const LONGEST_LINE = 160;

const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;
const MARKUP =
  /<\|[^>]*\|?>|<\||\|>|<\/?\s*[a-z_]+\s*\/?>|\[\/?INST\]|<<\/?SYS>>|`{2,}|~{3,}|\{\{|\}\}|[{}]|^#+\s*/gim;
const ROLE = /\b(?:assistant|system|user|human)\s*:/gi;

/** Ways in which a feedback would speak to the agent about its instructions instead of about its work. */
const INSTRUCTION_ATTACK = new RegExp(
  [
    String.raw`\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:instruction|previous|above|earlier|prior|rule|guidance|policy|prompt)`,
    String.raw`\byou are (?:now|no longer)\b`,
    String.raw`\b(?:system|developer) (?:prompt|message|mode)\b`,
    String.raw`\bjailbreak`,
    String.raw`\bapprove (?:everything|all|any)\b`,
    String.raw`\b(?:always|only) (?:answer|reply|respond|output|print|write|return)\b`,
    String.raw`\bdo anything\b`,
    String.raw`\bskip (?:it|this)\b`,
    String.raw`\b(?:i|we) (?:order|command|instruct)\b`,
    String.raw`\b(?:reveal|print|repeat|output) (?:the|your) (?:prompt|instructions|answer|secret)`,
    String.raw`https?:`,
    String.raw`\bexec(?:ute)?\b[^.]{0,20}\b(?:code|command|shell)`,
  ].join('|'),
  'i',
);

/**
 * Feedback as a line of a context: NFKC, one line, no role markers, tags, fences or template braces, at most 160 characters.
 * Null when nothing is left or when it gives orders about the agent's instructions.
 */
export function contextLineText(feedback: string): string | null {
  let text = feedback.slice(0, 4000).normalize('NFKC').replace(INVISIBLE, '');
  // Removing one marker may join the halves of another, so it is repeated until nothing changes; each round shortens the text.
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(MARKUP, ' ').replace(ROLE, ' ').replace(/\s+/g, ' ').trim();
  }
  if (INSTRUCTION_ATTACK.test(text) || !/\p{L}/u.test(text)) return null;
  if (text.length <= LONGEST_LINE) return text;
  return text
    .slice(0, LONGEST_LINE + 1)
    .replace(/\s+\S*$/u, '')
    .slice(0, LONGEST_LINE);
}

/** Form under which two wordings count as the same line. */
export const sameLineKey = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
