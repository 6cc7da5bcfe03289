import type { StepCommit } from '../../electron/contract/index.ts';
import type { Engine } from '../../electron/engine/index.ts';

/** Faults of an engine that the simulation has to find: without them nobody knows whether it could. */
export const PLANTS = {
  /** A hash of a step that depends on when it was taken. */
  'timed-hash': ({ store }: Engine): void => {
    const { commitStep } = store;
    store.commitStep = (runId: string, commit: StepCommit) => {
      const late = Date.parse(commit.step.finishedAt) - Date.parse(commit.step.startedAt) > 5000;
      const stepHash = late ? commit.step.stepHash.replace(/^../, '00') : commit.step.stepHash;
      return commitStep(runId, { ...commit, step: { ...commit.step, stepHash } });
    };
  },
  /** A verb that fails as no verb should. */
  'raw-error': (engine: Engine): void => {
    engine.pause = () => {
      throw new TypeError("Cannot read properties of undefined (reading 'pauseAfterStep')");
    };
  },
} as const;
export type Plant = keyof typeof PLANTS;
