import type { Lab } from '../../store/index.ts';

/** Texts that the policy wrote for its first tasks, while these are not complete. */
export const seedTextsOf = (store: Pick<Lab, 'getContext' | 'countSeedAttempts'>, runId: string): number =>
  store.getContext(runId, 1) === null ? store.countSeedAttempts(runId).asked : 0;
