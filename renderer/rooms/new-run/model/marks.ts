import { draftChanges } from './draft.ts';
import { stepOf } from './fields.ts';
import { STEPS, type Step } from './search.ts';
import type { Tree } from './tree.ts';

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
