import { z } from 'zod';

export const STEPS = ['base', 'training', 'supervision', 'evaluation', 'review'] as const;
export type Step = (typeof STEPS)[number];

/** The address of the plan: the step that is shown, and what a new draft begins with. */
export const newRunSearch = z.object({
  at: z.enum(STEPS).catch('base'),
  from: z.string().optional().catch(undefined),
  only: z.enum(['gate']).optional().catch(undefined),
  preset: z.string().optional().catch(undefined),
});
