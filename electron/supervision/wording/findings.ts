import type { ReviewRecord, Role } from '../../contract/index.ts';
import type { GuidanceVocabulary } from '../../library/index.ts';
import { sameLineKey } from '../context/candidates.ts';
import {
  guidanceKey,
  isClosedSentence,
  isIssue,
  isSafetyBreach,
  NO_ISSUE_FEEDBACK,
  type Issue,
} from '../reviewers/answers.ts';
import { contentStems, isSameKind } from './likeness.ts';
import { isAbout } from './line-checks.ts';

/** Reviews of one batch that found the same kind of mistake. */
export type FindingGroup = {
  batch: string;
  role: Role;
  /**
   * Names the kind for the whole run: who made the mistake and the issue, with what all its reviews say beyond it; or the first wording
   * where no issue was named.
   */
  topic: string;
  /** Null for findings without a named issue. */
  issue: string | null;
  /** What all who named the issue say, whatever else each of them says; null without one. */
  meaning: string | null;
  /** A single witness is enough. */
  urgent: boolean;
  reviewIds: string[];
  /**
   * Distinct wordings, the most frequent first. Of a named issue those that say nothing which another of its reviews does not say, else
   * the meaning alone; words of a review that are not about the issue that it named are no words for it.
   */
  wordings: string[];
};

/** The sentence for an issue in the work of a role. */
type Sentences = (issue: Issue, role: Role) => string;

/**
 * The findings of one batch by what they mean (before ANCHOR Eq. 6): reviews that name the same issue found the same kind of mistake;
 * those that name none belong together where their words do. So what a line rests on is known before it is written.
 */
export function findingGroups(
  batch: string,
  role: Role,
  reviews: readonly ReviewRecord[],
  sentences: Sentences,
): FindingGroup[] {
  const named = new Map<string, ReviewRecord[]>();
  const free: ReviewRecord[][] = [];
  for (const review of reviews) {
    const issues = review.issues.filter(isIssue);
    const [worst] = issues;
    if (worst !== undefined) named.set(worst, [...(named.get(worst) ?? []), review]);
    else if (isFinding(review)) joinAlike(free, review);
  }
  const groups = [
    ...[...named].map(([issue, members]) => groupOf(batch, role, issue, members, sentences)),
    ...free.map((members) => groupOf(batch, role, null, members, sentences)),
  ];
  return groups.sort(
    (a, b) => b.reviewIds.length - a.reviewIds.length || (a.topic < b.topic ? -1 : Number(a.topic > b.topic)),
  );
}

type Kind = Pick<FindingGroup, 'topic' | 'role' | 'issue' | 'meaning' | 'urgent' | 'wordings'>;

/**
 * The groups of all batches of a step: findings without a named issue that are alike in two batches are of one kind, and what is said
 * of an issue is what all its reviews say, those of other batches included. Where that is more than the issue means, it is a topic of
 * its own: no later review that names the issue alone stands behind it.
 */
export function acrossBatches(batches: readonly (readonly FindingGroup[])[]): FindingGroup[][] {
  const kinds: Kind[] = [];
  const kindOf = ({ topic, role, issue, meaning, urgent, wordings }: FindingGroup): Kind => {
    const known = kinds.find((kind) =>
      issue === null
        ? kind.issue === null && kind.role === role && areAlike([...kind.wordings, ...wordings])
        : kind.topic === topic,
    );
    const kind = known ?? { topic, role, issue, meaning, urgent, wordings: [] };
    kind.wordings.push(...wordings);
    if (known === undefined) kinds.push(kind);
    return kind;
  };
  const placed = batches.map((groups) => groups.map((group) => ({ group, kind: kindOf(group) })));
  const shared = new Map(kinds.map((kind) => [kind, sharedBy(kind)]));
  return placed.map((groups) =>
    groups.map(({ group, kind }) => ({ ...group, topic: kind.topic, ...shared.get(kind) })),
  );
}

/** The wordings of an issue that all its reviews stand behind, and the topic of what they say; null for findings without an issue. */
function sharedBy({
  topic,
  issue,
  meaning,
  urgent,
  wordings: all,
}: Kind): Pick<FindingGroup, 'topic' | 'wordings'> | null {
  if (meaning === null) return null;
  const meant = contentStems(inWords(meaning, issue));
  const said = [...new Set(all)];
  const wordings = said.filter((one) => {
    const stems = [...contentStems(one)];
    return said.every((other) => {
      const others = contentStems(other);
      return stems.every((stem) => meant.has(stem) || others.has(stem));
    });
  });
  if (wordings.length === 0) return { topic, wordings: [meaning] };
  const beyond = new Set(
    wordings.flatMap((one) => [...contentStems(one)]).filter((stem) => !meant.has(stem)),
  );
  const isMore = beyond.size > 0 && !urgent;
  return { topic: isMore ? `${topic}${BEYOND}${[...beyond].sort().join(' ')}` : topic, wordings };
}

/** What an issue means, its name included, as what a line or a wording about it may speak of. */
export const inWords = (meaning: string, issue: string | null): string =>
  `${meaning} ${(issue ?? '').replaceAll('_', ' ')}`;

/** In a topic, before what its wordings say beyond the issue. */
const BEYOND = '; ';

/** Whether every two of the sentences say the same kind of thing. */
const areAlike = (sentences: readonly string[]): boolean =>
  [...new Set(sentences)].every((one, index, all) =>
    all.slice(index + 1).every((other) => isSameKind(one, other)),
  );

/** A review without a known issue found something where it says so or sends the work back. */
const isFinding = ({ issues, decision, feedback }: ReviewRecord): boolean =>
  feedback !== NO_ISSUE_FEEDBACK && (issues.length > 0 || decision === 'retry');

/** To the first group whose every member is alike enough: a chain of half-likenesses makes no kind. */
function joinAlike(groups: ReviewRecord[][], review: ReviewRecord): void {
  const group = groups.find((members) =>
    members.every(({ feedback }) => isSameKind(review.feedback, feedback)),
  );
  if (group === undefined) groups.push([review]);
  else group.push(review);
}

function groupOf(
  batch: string,
  role: Role,
  issue: string | null,
  members: readonly ReviewRecord[],
  sentences: Sentences,
): FindingGroup {
  const meaning = issue !== null && isIssue(issue) ? sentences(issue, role) : null;
  const counts = new Map<string, number>();
  for (const { feedback } of members) {
    const isOwn =
      meaning === null || (!isClosedSentence(feedback) && isAbout(feedback, [inWords(meaning, issue)]));
    const said = isOwn ? feedback : meaning;
    counts.set(said, (counts.get(said) ?? 0) + 1);
  }
  const wordings = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([text]) => text);
  const stems = [...contentStems(wordings[0] ?? '')].sort().join(' ');
  return {
    batch,
    role,
    topic: `${role}: ${issue ?? stems}`,
    issue,
    meaning,
    urgent: issue !== null && isSafetyBreach(issue),
    reviewIds: members.map(({ id }) => id),
    wordings,
  };
}

/** Reviews of a step that support each topic, over all its batches. */
export function supportByTopic(groups: readonly FindingGroup[]): Map<string, number> {
  const support = new Map<string, number>();
  for (const { topic, reviewIds } of groups) support.set(topic, (support.get(topic) ?? 0) + reviewIds.length);
  return support;
}

/** What a writer of a small vocabulary is known to write of. */
export type Subjects = {
  /** Lines of one subject say the same or exclude each other, so that one of them stands for all. */
  subjectOf: (line: string) => string;
  /** What a line about this issue may say, in the words of the vocabulary. */
  phrasesFor: (issue: string, role: Role) => readonly string[];
};

/** The subjects of the guidance that the embedded policy was trained to follow; any other line is a subject of its own. */
export function subjectsOf({ keys, conflicts }: GuidanceVocabulary): Subjects {
  const byPhrase = new Map(
    Object.entries(keys).flatMap(([key, { phrases }]) =>
      phrases.map((phrase) => [sameLineKey(phrase), key] as const),
    ),
  );
  return {
    subjectOf(line) {
      const key = byPhrase.get(sameLineKey(line));
      if (key === undefined) return sameLineKey(line);
      return conflicts.find((group) => group.includes(key))?.join(' or ') ?? key;
    },
    phrasesFor: (issue, role) => keys[guidanceKey(issue, role) ?? '']?.phrases ?? [],
  };
}
