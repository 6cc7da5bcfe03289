import { z } from 'zod';
import {
  evaluationStateSchema,
  type EvaluationState,
  type EvaluationSummary,
  type ItemOutcome,
  type ItemOverride,
} from './evaluation.ts';

/** Which evaluations a list shows; everything given must hold, and of several values of one condition any. */
export const evaluationRowFilterSchema = z.strictObject({
  suites: z.array(z.string().min(1)).optional(),
  /** Whose answers: a run's id for all of its checkpoints, "run@step" for one of them, "model:name" for a model of the library. */
  subjects: z.array(z.string().min(1)).optional(),
  /** weights: the question alone. run: under a supervision context. */
  context: z.enum(['weights', 'run']).optional(),
  /** Names of judges; null finds those that nobody judged. */
  judges: z.array(z.string().min(1).nullable()).optional(),
  states: z.array(evaluationStateSchema).optional(),
  /** Words that all occur in suite, policy, run, judge, protocol, id or the reason of an end. */
  words: z.array(z.string().min(1)).optional(),
});
export type EvaluationRowFilter = z.infer<typeof evaluationRowFilterSchema>;
export type EvaluationCondition = keyof EvaluationRowFilter;

/** time: when it was begun. items: answers asked for. score: the first score, corrected by people where it was. duration: time spent on it. */
export const EVALUATION_ORDERS = ['time', 'suite', 'subject', 'step', 'score', 'items', 'duration'] as const;
export const evaluationRowOrderSchema = z.strictObject({
  by: z.enum(EVALUATION_ORDERS),
  descending: z.boolean(),
});
export type EvaluationRowOrder = z.infer<typeof evaluationRowOrderSchema>;

type Choice<T> = { value: T; count: number };
/** What a list can be narrowed to, each with how many evaluations that leaves under the other conditions. */
export type EvaluationFacets = {
  suite: Choice<string>[];
  /** Runs by their id and models as "model:name"; `label` is what a person calls them. */
  subject: (Choice<string> & { label: string })[];
  context: Choice<'weights' | 'run'>[];
  judge: Choice<string | null>[];
  state: Choice<EvaluationState>[];
};

/** What is counted of a whole list. */
export type EvaluationRowCounts = {
  /** Evaluations that match, loaded or not, and all there are. */
  total: number;
  all: number;
  facets: EvaluationFacets;
  /** Where nothing matches: how many would without one of the conditions. */
  lifted: Partial<Record<EvaluationCondition, number>>;
};

export type EvaluationRowPage = {
  rows: EvaluationSummary[];
  next: string | null;
  /** With the first page; null with those after it, which would count the same rows once more. */
  counts: EvaluationRowCounts | null;
};

/** A row of the list of answers. */
export type ItemRow = {
  ordinal: number;
  itemId: string;
  sample: number;
  excerpt: string;
  outcome: ItemOutcome;
  score: number | null;
  method: string;
  reason: string | null;
  flags: string[];
  override: ItemOverride | null;
  against: { outcome: ItemOutcome; score: number | null; override: ItemOverride | null } | null;
  flip: 'lost' | 'gained' | null;
};
export const ITEM_FILTERS = [
  'all',
  'flipped',
  'failed',
  'unjudged',
  'flagged',
  'overridden',
  'load-affected',
] as const;
export const itemFilterSchema = z.enum(ITEM_FILTERS);
export type ItemFilter = z.infer<typeof itemFilterSchema>;

/**
 * Two evaluations over the answers both gave, with items as units: `exact` and `mid` are McNemar's two-sided p, or the sign test's of the
 * items' net changes where they have several samples. `detectable` is the smallest difference found with power 80 % at 5 %; null: none.
 */
export type EvaluationComparison = {
  before: EvaluationSummary;
  after: EvaluationSummary;
  /** Answers, and the items they belong to. */
  common: number;
  items: number;
  onlyBefore: number;
  onlyAfter: number;
  lost: number;
  gained: number;
  exact: number;
  mid: number;
  difference: number;
  low: number;
  high: number;
  detectable: number | null;
  /** Why the two cannot be compared as they stand; empty when they can. */
  warnings: string[];
};
