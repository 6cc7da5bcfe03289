import type { TaskRecord } from '../../../../contract/index.ts';

/** One input literal with the output literal the program gives for it. */
export type Pair = { input: string; output: string };

/** An induction task's pairs: the first half (rounded down) is shown to the solver, the rest verifies its program. */
export function splitPairs(task: Pick<TaskRecord, 'inputs' | 'outputs'>): { given: Pair[]; hidden: Pair[] } {
  const pairs = task.inputs.map((input, index) => ({ input, output: task.outputs[index] ?? '' }));
  const shown = Math.floor(pairs.length / 2);
  return { given: pairs.slice(0, shown), hidden: pairs.slice(shown) };
}
