import type { RunState } from '../contract/index.ts';

/**
 * The states a run may move to. `paused`, `interrupted` and `failed` runs can be queued or set up again; `done` is final.
 * Staying in a state is always allowed, to give another reason.
 */
export const RUN_TRANSITIONS: Record<RunState, readonly RunState[]> = {
  queued: ['setting-up', 'paused', 'interrupted', 'failed'],
  'setting-up': ['stepping', 'pausing', 'interrupted', 'failed'],
  // A run can be paused directly when no step is under way.
  stepping: ['pausing', 'paused', 'interrupted', 'done', 'failed'],
  // Taking the pause back is a return to stepping; the last step may end while the pause is pending.
  pausing: ['paused', 'stepping', 'interrupted', 'done', 'failed'],
  paused: ['queued', 'setting-up', 'failed'],
  interrupted: ['queued', 'setting-up', 'failed'],
  done: [],
  failed: ['queued', 'setting-up'],
};

/** States in which a program works on the run; they cannot outlive that program. */
export const STATES_AT_WORK: readonly RunState[] = ['setting-up', 'stepping', 'pausing'];

export function mayMove(from: RunState, to: RunState): boolean {
  return from === to || RUN_TRANSITIONS[from].includes(to);
}
