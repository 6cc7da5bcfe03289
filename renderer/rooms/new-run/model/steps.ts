import { z } from 'zod';
import { draftChanges, type Drafted } from './draft.ts';

export const STEPS = ['base', 'training', 'supervision', 'evaluation', 'review'] as const;
export type Step = (typeof STEPS)[number];

/** The step after (1) or before (−1); at the ends the step itself. */
export const neighbour = (at: Step, by: 1 | -1): Step => STEPS[STEPS.indexOf(at) + by] ?? at;

/** The address of the plan: the step that is shown, and what a new draft begins with. */
export const newRunSearch = z.object({
  at: z.enum(STEPS).catch('base'),
  from: z.string().optional().catch(undefined),
  only: z.enum(['gate']).optional().catch(undefined),
  preset: z.string().optional().catch(undefined),
  /** Makes the plan one that asks a person. */ person: z.literal(true).optional().catch(undefined),
});

/** Which step of the plan a value belongs to. */
export function stepOf(path: string): 'base' | 'training' | 'supervision' | 'evaluation' {
  const [section] = path.split('.');
  if (section === 'supervision') return 'supervision';
  if (section === 'checkpoints' || section === 'evaluation') return 'evaluation';
  return (section === 'framework' && path !== 'framework.name') ||
    section === 'generation' ||
    section === 'train' ||
    section === 'rewardedPrompts' ||
    section === 'sandbox' ||
    section === 'steps'
    ? 'training'
    : 'base';
}

export type StepMarks = Record<Step, { wrong: number; changed: number }>;

/** What is wrong (by path) and what was changed, by the step that shows it; the last step counts all that is wrong. */
export function stepMarks(draft: Drafted, wrong: readonly string[]): StepMarks {
  const changes = draftChanges(draft);
  const ofStep = (paths: readonly string[], step: Step): number =>
    paths.filter((path) => stepOf(path) === step).length;
  return Object.fromEntries(
    STEPS.map((step) => [
      step,
      step === 'review'
        ? { wrong: wrong.length, changed: 0 }
        : { wrong: ofStep(wrong, step), changed: ofStep(changes, step) },
    ]),
  ) as StepMarks;
}
