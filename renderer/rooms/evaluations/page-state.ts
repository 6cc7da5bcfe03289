import { z } from 'zod';
import { create } from 'zustand';
import {
  EVALUATION_ORDERS,
  evaluationStateSchema,
  ITEM_FILTERS,
  type EvaluationRowFilter,
} from '../../../electron/contract/index.ts';

export const TABS = ['suites', 'matrix', 'items', 'datasets', 'judges'] as const;
export type TabName = (typeof TABS)[number];

const list = z.string().transform((text) => [...new Set(text.split(',').filter((part) => part !== ''))]);
// A router reads `?seed=7` as a number and `?suite=1e3` as one too.
const nameOrNumber = z
  .union([z.string(), z.number().transform(String)])
  .optional()
  .catch(undefined);
const seed = z.coerce.number().int().nonnegative().optional().catch(undefined);
const limit = z.coerce.number().int().positive().optional().catch(undefined);

/** What the matrix shows of a checkpoint: both ways of asking it, or one. */
export const CONTEXTS = ['both', 'weights', 'run'] as const;

/** The address of the room: what is shown, and what is selected. */
export const evaluationsSearch = z.object({
  tab: z.enum(TABS).catch('matrix'),
  /** Columns of the matrix: policies by their id, in order; empty for those that were evaluated last. */
  columns: list.catch([]),
  /** Suites picked to be asked. */
  suites: list.catch([]),
  /** The column that changes are measured from; without it each run's own base. */
  base: nameOrNumber,
  delta: z.enum(['on', 'off']).catch('off'),
  sort: z.enum(['suite', 'change']).catch('suite'),
  scores: z.enum(['on', 'off']).catch('off'),
  context: z.enum(CONTEXTS).catch('both'),
  seed,
  limit,
  judge: nameOrNumber,
  suite: nameOrNumber,
  evaluation: nameOrNumber,
  against: nameOrNumber,
  item: nameOrNumber,
  show: z.enum(ITEM_FILTERS).catch('all'),
  path: nameOrNumber,
  /** The folder that is looked through for a set. */ folder: nameOrNumber,
  dataset: nameOrNumber,
  model: nameOrNumber,
  /** The list of evaluations, by suite as well: whose answers (a run's id, "run@step" or "model:name"), and how they were asked. */
  of: nameOrNumber,
  asked: z.enum(['weights', 'run']).optional().catch(undefined),
  /** A judge's name, or NOBODY. */ judgedBy: nameOrNumber,
  state: evaluationStateSchema.optional().catch(undefined),
  q: z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]).catch(''),
  by: z.enum(EVALUATION_ORDERS).catch('time'),
  order: z.enum(['up', 'down']).catch('down'),
});
export type EvaluationsSearch = z.output<typeof evaluationsSearch>;
export type ChangeSearch = (
  part: Partial<z.input<typeof evaluationsSearch>>,
  how?: { replace?: boolean },
) => void;

/** In an address, the judge of evaluations that nobody judged. */
export const NOBODY = 'none';

type ListSearch = Pick<EvaluationsSearch, 'suite' | 'of' | 'asked' | 'judgedBy' | 'state' | 'q'>;
/** An address part that lifts every condition of the list of evaluations. */
export const NO_LIST_FILTER = {
  suite: undefined,
  of: undefined,
  asked: undefined,
  judgedBy: undefined,
  state: undefined,
  q: undefined,
} as const satisfies Record<keyof ListSearch, undefined>;

/** The list's conditions in an address; those without a value are absent, so that equal lists are asked for alike. */
export function listFilterOf({ suite, of, asked, judgedBy, state, q }: ListSearch): EvaluationRowFilter {
  const words = q.split(/\s+/).filter((word) => word !== '');
  return {
    ...(suite !== undefined && { suites: [suite] }),
    ...(of !== undefined && { subjects: [of] }),
    ...(asked !== undefined && { context: asked }),
    ...(judgedBy !== undefined && { judges: [judgedBy === NOBODY ? null : judgedBy] }),
    ...(state !== undefined && { states: [state] }),
    ...(words.length > 0 && { words }),
  };
}

/** The name under which a person overrides verdicts and agrees to terms; asked once a visit. */
export const useReviewerName = create<{ name: string; setName: (name: string) => void }>((set) => ({
  name: '',
  setName: (name) => set({ name }),
}));
