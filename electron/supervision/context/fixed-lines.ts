import type { ContextLine } from '../../contract/index.ts';
import type { GuidanceVocabulary } from '../../library/index.ts';

const FIXED_ID = /^fixed\.\d+$/;

/** Whether a line was set for the whole run by its configuration; all others come from reviews. */
export const isFixedLine = ({ id }: Pick<ContextLine, 'id'>): boolean => FIXED_ID.test(id);

/** Lines a configuration sets for all steps. Their key is found by their wording, so that no review brings the same line again. */
export function fixedLines(texts: readonly string[], vocabulary: GuidanceVocabulary): ContextLine[] {
  return texts.map((text, index) => ({
    id: `fixed.${index + 1}`,
    text,
    key: keyOf(text, vocabulary),
    enteredStep: 1,
    lastSupportedStep: 0,
    support: 0,
    reviewIds: [],
  }));
}

function keyOf(text: string, { keys }: GuidanceVocabulary): string | null {
  return Object.entries(keys).find(([, { phrases }]) => phrases.includes(text))?.[0] ?? null;
}
