import { z } from 'zod';
import { draftChanges, type Tree } from './draft.ts';
import { stepOf } from './fields.ts';

export const STEPS = ['base', 'training', 'supervision', 'evaluation', 'review'] as const;
export type Step = (typeof STEPS)[number];

/** The address of the plan: the step that is shown, and what a new draft begins with. */
export const newRunSearch = z.object({
  at: z.enum(STEPS).catch('base'),
  from: z.string().optional().catch(undefined),
  only: z.enum(['gate']).optional().catch(undefined),
  preset: z.string().optional().catch(undefined),
});

/** What is wrong and what was changed, by the step that shows it; the last step counts all that is wrong. */
export function stepMarks(
  draft: Tree,
  base: Tree,
  issues: ReadonlyMap<string, string>,
  problems: readonly { path: string }[],
): Record<Step, { wrong: number; changed: number }> {
  const wrong = [...issues.keys(), ...problems.map(({ path }) => path)];
  const changed = draftChanges(draft, base);
  return Object.fromEntries(
    STEPS.map((step) => [
      step,
      step === 'review'
        ? { wrong: wrong.length, changed: 0 }
        : {
            wrong: wrong.filter((path) => stepOf(path) === step).length,
            changed: changed.filter((path) => stepOf(path) === step).length,
          },
    ]),
  ) as Record<Step, { wrong: number; changed: number }>;
}
