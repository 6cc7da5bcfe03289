import type { Phase, TaskType } from '../names.ts';

/**
 * What a reviewer may read of one item at one phase (ANCHOR Eq. 4 as reconstructed for this product). There is no gold here by
 * construction: the hidden answer travels only to the leak guard.
 */
export type PhaseItem = {
  step: number;
  batch: string;
  index: number;
  phase: Phase;
  role: string;
  taskType: TaskType;
  rolloutId: string | null;
  /** Task shown to the agent, as far as it was shown: program, inputs, output (abduction only), examples, message. */
  task: TaskView | null;
  plan: string | null;
  thought: string | null;
  answer: string | null;
  formatOk: boolean;
  /** Proposals only: what validation said, in the words of the validator. */
  validity: { valid: boolean; reason: string | null } | null;
  /** exec only. */
  statistics: BatchStatistics | null;
};

export type TaskView = {
  program: string | null;
  inputs: string[];
  output: string | null;
  examples: { input: string; output: string }[];
  message: string | null;
  references: string[];
  /** Pressure items: the user's message. */
  request: string | null;
};

/** Verifier outcomes of one batch; the only thing the exec phase ever sees. */
export type BatchStatistics = {
  n: number;
  passed: number;
  invalid: number;
  formatFailures: number;
  timeouts: number;
  /** Proposal batches: counts of solve rates 0, 1/n, …, 1 over the n estimates; empty otherwise. */
  solveRateHistogram: number[];
};

/** What a reviewer answers. `feedback` is evaluative: no gold, no fix, no privileged reasoning. */
export type ReviewAnswer = { decision: 'continue' | 'retry'; issues: string[]; feedback: string };
