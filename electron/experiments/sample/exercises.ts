import { Failure, PHASES, type Phase } from '../../contract/index.ts';
import { gateNumber } from '../../core/index.ts';
import { goldsOfTask } from '../../evolution/index.ts';
import type { Lab } from '../../store/index.ts';
import { findLeaks, itemKey, itemsOfRollout } from '../../supervision/index.ts';

/** The coin of every item of a step by phase, ascending: at probability p, those below p are reviewed. */
export type Coins = { step: number; coins: Record<Phase, number[]>; recorded: Record<Phase, number> };

/** Tosses a stored step's coins again, as the run tossed them. @throws Failure `unknownRun` or `unknownStep` (exit code 2). */
export function coinsOf(store: Lab, runId: string, step: number): Coins {
  const run = store.getRun(runId);
  const commit = store.getCommit(runId, step);
  if (run === null || commit === null)
    throw new Failure(
      'unknownStep',
      `Step ${step} of run "${runId}" is not stored yet; let the replay go on.`,
      2,
    );
  const items = commit.rollouts
    .filter(({ sample }) => sample === null)
    .flatMap((rollout) => itemsOfRollout(rollout, null, null));
  const batches = [
    ...new Set(commit.rollouts.filter(({ purpose }) => purpose !== 'estimate').map(({ batch }) => batch)),
  ];
  const keys = (phase: Phase): string[] =>
    phase === 'exec'
      ? batches.map((batch) => `${batch}/exec`)
      : items.filter((item) => item.phase === phase).map(itemKey);
  const each = <T>(of: (phase: Phase) => T): Record<Phase, T> =>
    Object.fromEntries(PHASES.map((phase) => [phase, of(phase)])) as Record<Phase, T>;
  return {
    step,
    coins: each((phase) =>
      keys(phase)
        .map((key) => gateNumber(run.config.seed, step, key, phase))
        .sort((a, b) => a - b),
    ),
    recorded: each((phase) => commit.reviews.filter((review) => review.phase === phase).length),
  };
}

export type LeakTry = {
  findings: string[];
  /** True when the record has a hidden answer at all. */ hasGold: boolean;
};

/** Holds a sentence that a person wrote against the hidden answer of a record, with the guard that every review passes. */
export function tryLeak(store: Lab, runId: string, recordId: string, feedback: string): LeakTry {
  const record = store.getRecord(runId, recordId);
  if (record === null) throw new Failure('unknownRecord', `Run "${runId}" has no record "${recordId}".`, 2);
  const golds = record.task === null ? [] : goldsOfTask(record.task);
  return { findings: findLeaks(feedback, golds, record.rollout.user), hasGold: golds.length > 0 };
}
