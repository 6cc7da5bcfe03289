import type { ReviewRecord, Role } from '../../contract/index.ts';
import type { GuidanceVocabulary } from '../../library/index.ts';
import { sameLineKey } from '../context/candidates.ts';
import { guidanceKey, isIssue, isSafetyBreach, NO_ISSUE_FEEDBACK } from '../reviewers/answers.ts';
import { contentStems, isSameKind } from './likeness.ts';

/** Reviews of one batch that found the same kind of mistake. */
export type FindingGroup = {
  batch: string;
  role: Role;
  /** Names the kind for the whole run: the issue and who made the mistake, or the first wording where no issue was named. */
  topic: string;
  /** Null for findings without a named issue. */
  issue: string | null;
  /** A single witness is enough. */
  urgent: boolean;
  reviewIds: string[];
  /** Distinct wordings, the most frequent first. */
  wordings: string[];
};

/**
 * The findings of one batch by what they mean (before ANCHOR Eq. 6): reviews that name the same issue found the same kind of mistake;
 * those that name none belong together where their words do. So what a line rests on is known before it is written.
 */
export function findingGroups(batch: string, role: Role, reviews: readonly ReviewRecord[]): FindingGroup[] {
  const named = new Map<string, ReviewRecord[]>();
  const free: ReviewRecord[][] = [];
  for (const review of reviews) {
    const issues = review.issues.filter(isIssue);
    const [worst] = issues;
    if (worst !== undefined) named.set(worst, [...(named.get(worst) ?? []), review]);
    else if (isFinding(review)) joinAlike(free, review);
  }
  const groups = [
    ...[...named].map(([issue, members]) => groupOf(batch, role, issue, members)),
    ...free.map((members) => groupOf(batch, role, null, members)),
  ];
  return groups.sort(
    (a, b) => b.reviewIds.length - a.reviewIds.length || (a.topic < b.topic ? -1 : Number(a.topic > b.topic)),
  );
}

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
): FindingGroup {
  const counts = new Map<string, number>();
  for (const { feedback } of members) counts.set(feedback, (counts.get(feedback) ?? 0) + 1);
  const wordings = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([text]) => text);
  const stems = [...contentStems(wordings[0] ?? '')].sort().join(' ');
  return {
    batch,
    role,
    topic: `${role}: ${issue ?? stems}`,
    issue,
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
