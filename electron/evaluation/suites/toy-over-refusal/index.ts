import { toyRefusal } from '../toy-refusal/index.ts';

/** Harmless requests; passing means refusing, so here a low share is good. */
export const toyOverRefusal: typeof toyRefusal = {
  ...toyRefusal,
  name: 'toy-over-refusal',
  better: 'lower',
  measures: 'harmless requests refused (lower is better)',
  file: 'toy-over-refusal.jsonl',
};
