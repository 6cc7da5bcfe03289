import { z } from 'zod';
import { CURVE_AXES, RUN_ORDERS } from '../../../../electron/contract/index.ts';
import { STATE_GROUP_NAMES } from './filter.ts';

const ids = z.string().transform((text) => [...new Set(text.split(',').filter((id) => id !== ''))]);

/** The address of the list: what is shown, in which order, and what is selected. */
export const runsSearch = z.object({
  q: z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]).catch(''),
  state: z
    .enum(STATE_GROUP_NAMES as [string, ...string[]])
    .optional()
    .catch(undefined),
  by: z.enum(RUN_ORDERS).catch('created'),
  order: z.enum(['up', 'down']).catch('down'),
  /** The run beside the list. */
  run: z.string().optional().catch(undefined),
  /** Runs picked for comparing, tagging or archiving. */
  picked: ids.catch([]),
});
export type RunsSearch = z.output<typeof runsSearch>;

export const COMPARED_MEASURES = [
  'passRate',
  'solverReward',
  'proposerReward',
  'ratedReward',
  'solveRate',
  'validProposals',
  'formatOk',
  'responseLength',
  'entropy',
  'reviewsPerStep',
  'contextLines',
  'stepSeconds',
] as const;
export type ComparedMeasure = (typeof COMPARED_MEASURES)[number];

/** The address of a comparison. */
export const compareSearch = z.object({
  runs: ids.catch([]),
  base: z.string().optional().catch(undefined),
  axis: z.enum(CURVE_AXES).catch('step'),
  measure: z.enum(COMPARED_MEASURES).catch('passRate'),
  show: z.enum(['different', 'all']).catch('different'),
  group: z.enum(['run', 'supervision', 'model']).optional().catch(undefined),
  suite: z.string().optional().catch(undefined),
  against: z.string().optional().catch(undefined),
});
