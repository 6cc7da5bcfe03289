import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { Failure } from '../../../contract/index.ts';
import { sha256Hex } from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { promptText, type Reviewer, type ReviewerMaker } from '../reviewer.ts';
import { reviewPrompt } from '../review-prompt.ts';
import { applyChecklist } from './apply.ts';
import { checklistSchema, type Checklist } from './rules.ts';

export type { Checklist } from './rules.ts';

const settingsSchema = z.strictObject({
  /** JSON file with the rules; ADDING.md shows one. */
  rules: z
    .string()
    .min(1)
    .transform((path) => resolve(path)),
});

/**
 * A researcher's own rules as supervisor: conditions on facts and texts, each with the issue it shows and, if wanted, a sentence
 * of its own. It answers at once, so it also tells what an effect of supervision owes to the model that reviews.
 */
export function checklistReviewer(pack: PromptPack, checklist: Checklist): Reviewer {
  return {
    kind: 'checklist',
    model: checklist.name,
    concurrency: 1,
    async review({ item, parsed, seed }, signal) {
      signal.throwIfAborted();
      return {
        answer: applyChecklist(checklist, item, parsed),
        problem: null,
        prompt: promptText(reviewPrompt(pack, item, seed, parsed)),
        tokensIn: 0,
        tokensOut: 0,
        milliseconds: 0,
        attempts: 1,
      };
    },
  };
}

/** @throws Failure `badChecklist` (exit code 2) naming the file and the first thing that is wrong in it. */
export function readChecklist(file: string): { checklist: Checklist; sha256: string } {
  const refused = (why: string, cause?: unknown): Failure =>
    new Failure('badChecklist', `The checklist ${file} ${why}`, 2, { cause });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw refused('could not be read; check the path and its permissions.', cause);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw refused(`is not valid JSON: ${(cause as Error).message}.`, cause);
  }
  const read = checklistSchema.safeParse(json);
  if (read.success) return { checklist: read.data, sha256: sha256Hex(text) };
  const [issue] = read.error.issues;
  throw refused(
    `cannot be used: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}. Correct the file.`,
    read.error,
  );
}

export const checklist: ReviewerMaker = {
  kind: 'checklist',
  startable: true,
  settings: settingsSchema,
  async make({ policy, supervision }, { pack }) {
    const { rules } = settingsSchema.parse(supervision.reviewerSettings ?? {});
    const read = readChecklist(rules);
    return { reviewer: checklistReviewer(pack(policy.promptPack), read.checklist), sha256: read.sha256 };
  },
};
