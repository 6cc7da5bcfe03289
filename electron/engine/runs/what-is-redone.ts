import type { RunRecord } from '../../contract/index.ts';

/** In one sentence, what resuming a run repeats. */
export function whatIsRedone({ state, committedSteps, config: { steps, supervision } }: RunRecord): string {
  const next = committedSteps + 1;
  if (committedSteps === 0) return `No step is stored yet; the run begins with step 1 of ${steps}.`;
  if (committedSteps === steps)
    return `All ${steps} steps are stored; only the evaluation of the last checkpoint is taken up again.`;
  if (state === 'paused') return `Continuing with step ${next} of ${steps}; nothing is repeated.`;
  // Answers of people are kept with their step; those of a step that was cut off are gone with it.
  const asked = (supervision.human?.share ?? 0) > 0;
  const result = asked ? 'and asks the person again, so its result may differ' : 'with the same result';
  return `${committedSteps} of ${steps} steps are stored; step ${next} is taken again from its start, ${result}.`;
}
