import { PHASES } from '../../../contract/index.ts';
import { canonicalJson, sha256Hex } from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { ISSUES } from '../answers.ts';
import { QUESTIONS } from './questions.ts';

/** Texts of a pack that a review is asked with, with their places instead of values. */
const ASKED_WITH = ['review-system', ...PHASES.map((phase) => `review-${phase}`)];
const ASKED_OF_JUDGES = ['review-question', 'review-wording'];

/** SHA-256 over the words that a model is asked with and may answer in; another wording is another probe. */
export function reviewTextsSha256(pack: PromptPack): string {
  const places = new Proxy<Record<string, string>>({}, { get: (_, name) => `{{${String(name)}}}` });
  const names = [...ASKED_WITH, ...ASKED_OF_JUDGES.filter((name) => pack.has(name))];
  return sha256Hex(
    canonicalJson({
      texts: names.map((name) => [name, pack.render(name, places)]),
      questions: QUESTIONS,
      issues: ISSUES,
    }),
  );
}
