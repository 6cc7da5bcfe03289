import type { ReviewerKind } from '../../contract/index.ts';
import { checklist } from './checklist/index.ts';
import { human } from './human/index.ts';
import { llama } from './llama/index.ts';
import type { ReviewerMaker } from './reviewer.ts';
import { rubric } from './rubric/index.ts';
import { scripted } from './scripted/index.ts';
import { yoked } from './yoked/index.ts';

/** Every kind of the contract; the compiler asks for one that is missing. */
const MAKERS: Readonly<Record<ReviewerKind, ReviewerMaker>> = {
  llama,
  rubric,
  checklist,
  scripted,
  human,
  yoked,
};

export const reviewerMaker = (kind: ReviewerKind): ReviewerMaker => MAKERS[kind];

/** Kinds a configuration can start. */
export const STARTABLE_REVIEWERS = Object.values(MAKERS)
  .filter(({ startable }) => startable)
  .map(({ kind }) => kind);
