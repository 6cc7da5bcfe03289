import type { PlainType } from './static-types.ts';

/** What a plan in the compact form (`3 steps on list with loop`, `search inputs on int`) commits itself to. */
export type StatedPlan = { steps: number | null; type: PlainType | null; loop: boolean | null };

/**
 * Reads a plan. Only the compact form is a promise about the program; a plan in prose may rightly have fewer steps than the
 * program has statements, so it states nothing that could be held against it.
 */
export function readPlan(plan: string): StatedPlan {
  const steps = /^(\d{1,3}) steps?(?: on (int|list|str))?( with loop)?$/.exec(plan.trim());
  if (steps)
    return {
      steps: Number(steps[1]),
      type: (steps[2] as PlainType | undefined) ?? null,
      loop: steps[3] !== undefined,
    };
  const search = /^search inputs on (int|list|str)$/.exec(plan.trim());
  return { steps: null, type: (search?.[1] as PlainType | undefined) ?? null, loop: null };
}
