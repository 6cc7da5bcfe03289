import type { CheckpointScore } from '../../../electron/contract/index.ts';

/** So many of ten answers of a checkpoint passed, of its weights alone unless a context is given. */
export const checkpointScore = (
  suite: string,
  step: number,
  passed: number,
  contextHash: string | null = null,
): CheckpointScore => ({
  id: `${suite} ${step} ${contextHash}`,
  suite,
  step,
  passed,
  n: 10,
  overridden: 0,
  contextHash,
  isOwnContext: true,
  interval: { low: 0, high: 1 },
});
