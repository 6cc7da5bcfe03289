import type { Role } from '../../contract/index.ts';
import type { GuidanceVocabulary } from '../../library/index.ts';
import { sameLineKey } from '../context/candidates.ts';
import { guidanceKey } from '../reviewers/answers.ts';

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
