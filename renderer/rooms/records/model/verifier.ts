import { answerKind } from '../../../../electron/contract/index.ts';
import type { FullRecord } from './types.ts';

/** What the verifier compared, as far as it is stored. Texts are Python literals. */
export type Comparison =
  /** A value was to be predicted: both sides are known. */
  | { kind: 'value'; expected: string; got: string | null }
  /** An input was to be found that gives this output; what the given input gave is not stored. */
  | { kind: 'input'; output: string; got: string | null }
  /** A program was to be written; `hidden` pairs were held back to verify it. */
  | { kind: 'program'; pairs: number; accuracy: number }
  /** A proposal was validated: which task it became, or none. */
  | { kind: 'proposal'; taskId: string | null; solveRate: number | null }
  /** A rated answer, or a task that is no longer stored: there is nothing to compare. */
  | { kind: 'none' };

export function comparison({ rollout, task }: FullRecord): Comparison {
  if (rollout.purpose === 'propose')
    return {
      kind: 'proposal',
      taskId: task === null ? null : rollout.taskId,
      solveRate: task?.solveRate ?? null,
    };
  const asks = answerKind(rollout.taskType);
  if (asks === null || task === null) return { kind: 'none' };
  if (asks === 'program')
    return { kind: 'program', pairs: task.outputs.length, accuracy: rollout.verdict.accuracy };
  const [expected] = task.outputs;
  if (expected === undefined) return { kind: 'none' };
  return asks === 'input'
    ? { kind: 'input', output: expected, got: rollout.answer }
    : { kind: 'value', expected, got: rollout.answer };
}
