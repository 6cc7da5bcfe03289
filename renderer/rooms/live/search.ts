import { z } from 'zod';
import { phaseSchema, taskTypeSchema } from '../../../electron/contract/index.ts';

const step = z.coerce.number().int().positive().optional().catch(undefined);

/** What the address says of the page: everything a link should bring back. */
export const liveSearchSchema = z.object({
  tab: z.enum(['live', 'tasks', 'overview']).optional().catch(undefined),
  /** Steps that everything is narrowed to; without `to` it follows the newest. */
  from: step,
  to: step,
  /** Four curves, by id, joined by points. */
  curves: z.string().max(200).optional().catch(undefined),
  smoothing: z.coerce.number().min(0).max(0.99).optional().catch(undefined),
  phase: phaseSchema.optional().catch(undefined),
  decision: z
    .enum(['continue', 'retry', 'failed', 'skipped', 'quarantined', 'none'])
    .optional()
    .catch(undefined),
  type: taskTypeSchema.optional().catch(undefined),
  /** Step whose context is compared with. */
  compare: step,
});
export type LiveSearch = z.output<typeof liveSearchSchema>;
export type ChangeSearch = (
  change: Partial<z.input<typeof liveSearchSchema>>,
  how?: { replace?: boolean },
) => void;
