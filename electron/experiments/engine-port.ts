import type { ProgressEvent, RunConfig, RunRecord } from '../contract/index.ts';
import type { EvaluationOutcome, EvaluationRequest } from '../evaluation/index.ts';
import type { Lab } from '../store/index.ts';

export type Evaluate = (request: EvaluationRequest) => Promise<EvaluationOutcome[]>;

/** What an experiment asks of an open lab; the engine provides it. */
export type ExperimentEngine = {
  store: Lab;
  lab: {
    root: string;
    run: (folder: string) => {
      root: string;
      checkpoints: string;
      spool: string;
      checkpoint: (step: number) => string;
    };
  };
  clock: { now: () => Date; monotonicMs: () => number };
  startRun: (config: RunConfig) => RunRecord;
  resume: (runId: string) => { run: RunRecord };
  stop: (runId: string) => void;
  isActive: (runId: string) => boolean;
  waitFor: (runId: string) => Promise<RunRecord>;
  evaluate: Evaluate;
  /** Several evaluations in one process, which ends with `use`. */
  withEvaluator: <T>(threads: number, use: (evaluate: Evaluate) => Promise<T>) => Promise<T>;
  /** Live progress of all runs until the returned function is called. */
  onProgress: (listener: (event: ProgressEvent) => void) => () => void;
};
