import {
  BATCH_NAMES,
  PHASES,
  type ReviewRecord,
  type RolloutRecord,
  type TaskRecord,
} from '../../contract/index.ts';
import type { UpdateResult } from '../../processes/index.ts';
import {
  batchMetrics,
  intrinsicValues,
  sequenceMetrics,
  typeMetrics,
  type ProposalIntrinsics,
} from '../azr/index.ts';
import type { RunInProgress } from '../in-progress.ts';
import type { SettledRollout } from './settle.ts';

/** Intrinsic values of the valid proposals, by the id of the planned rollout. */
export function intrinsicsOf(
  run: RunInProgress,
  settled: readonly SettledRollout[],
): Map<string, ProposalIntrinsics> {
  return new Map(
    settled.flatMap(({ planned, newTask }) =>
      newTask === null
        ? []
        : [
            [
              planned.id,
              intrinsicValues(newTask.taskType, newTask, planned.references, run.counters),
            ] as const,
          ],
    ),
  );
}

export type StepFacts = {
  rollouts: readonly RolloutRecord[];
  tasks: readonly TaskRecord[];
  reviews: readonly ReviewRecord[];
  update: UpdateResult;
  intrinsics: ReadonlyMap<string, ProposalIntrinsics>;
};

/** Metrics of a step under the names of the original (verl), with supervision's own beside them. Only finite numbers are kept. */
export function stepMetrics(
  run: RunInProgress,
  { rollouts, tasks, reviews, update, intrinsics }: StepFacts,
): Record<string, number> {
  const { azr } = run.config;
  const trained = rollouts.filter((rollout) => rollout.reward !== null);
  const proposals = tasks.flatMap(({ rolloutId, solveRate }) => {
    const intrinsic = rolloutId === null ? undefined : intrinsics.get(rolloutId);
    return rolloutId === null || intrinsic === undefined ? [] : [{ rolloutId, solveRate, intrinsic }];
  });
  const metrics: Record<string, number | null> = {
    ...sequenceMetrics(trained),
    ...typeMetrics(run.counters),
    'actor/entropy': update.entropy,
    'actor/grad_norm': update.gradNorm.at(-1) ?? null,
    'actor/pg_loss': update.loss.at(-1) ?? null,
    'actor/pg_clipfrac': update.clip.high,
    'actor/pg_clipfrac_lower': update.clip.low,
    'actor/ratio_max': update.ratio.max,
    'actor/logp_mismatch_max': update.mismatch.max,
    'actor/skipped': update.skipped.length,
    'actor/kl_reference': update.kl?.ref ?? null,
  };
  for (const batch of BATCH_NAMES) {
    Object.assign(
      metrics,
      batchMetrics(batch, {
        rollouts: trained.filter((rollout) => rollout.batch === batch),
        proposals: proposals.filter(({ rolloutId }) => rolloutId.split('/')[1] === batch),
        maxNewTokens: azr.maxNewTokens,
        maxPromptTokens: azr.maxPromptTokens,
        learnabilityRule: azr.learnability,
      }),
    );
  }
  for (const phase of PHASES)
    metrics[`supervision/${phase}/reviews`] = reviews.filter(
      (review) => review.phase === phase && review.status === 'done',
    ).length;
  metrics['supervision/retries'] = reviews.filter((review) => review.decision === 'retry').length;
  metrics['supervision/leaks'] = reviews.filter((review) => review.status === 'quarantined').length;
  metrics['supervision/skipped'] = reviews.filter((review) => review.status === 'skipped-by-budget').length;
  metrics['supervision/failed'] = reviews.filter((review) => review.status === 'failed').length;
  metrics['context/lines'] = run.context.lines.length;
  return Object.fromEntries(
    Object.entries(metrics).filter(
      (entry): entry is [string, number] => entry[1] !== null && Number.isFinite(entry[1]),
    ),
  );
}
