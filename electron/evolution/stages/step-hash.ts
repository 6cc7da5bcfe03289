import type { ReviewRecord, RolloutRecord, RunConfig, StepCommit } from '../../contract/index.ts';
import { canonicalJson, sha256Hex } from '../../core/index.ts';

/** What of a review must repeat: everything but when and how fast it was written. */
function repeatableReview({ createdAt: _, milliseconds: __, ...review }: ReviewRecord): Omit<ReviewRecord, 'createdAt' | 'milliseconds'> {
  return review;
}

/** What of a rollout must repeat. The isolation level belongs to the machine, not to the result. */
function repeatableRollout({ verdict: { sandboxLevel: _, ...verdict }, ...rollout }: RolloutRecord): unknown {
  return { ...rollout, verdict };
}

/**
 * Chain over the steps of a run: two runs with the same configuration on the same kind of machine have the same hashes,
 * however often they were interrupted. Times, durations and the run's own id are left out; the configuration is in it from the start.
 */
export function stepHash(previous: string, commit: Omit<StepCommit, 'step'>, step: number, contextHash: string): string {
  return sha256Hex(canonicalJson([
    'anchor-step-v1', previous, step, contextHash, commit.checkpoint.weightsSha256, commit.tasks,
    commit.rollouts.map(repeatableRollout), commit.reviews.map(repeatableReview), commit.summaries, commit.nextContext,
  ]));
}

/**
 * The chain's value before step 1: the configuration that must repeat (not the name, nor what is only measured) and the weights it starts from. Settings
 * that came later count only where they are used, so that the same run has the same hash in every version.
 */
export function initialHash(config: RunConfig, weightsSha256: string, contextHash: string): string {
  const { name: _, preset: __, evaluation: ___, supervision: { contextText, fixedContext, ...supervision }, ...rest } = config;
  const later = { ...(contextText === 'reviews' ? {} : { contextText }), ...(fixedContext.length === 0 ? {} : { fixedContext }) };
  const repeatable = { ...rest, supervision: { ...supervision, ...later } };
  return sha256Hex(canonicalJson(['anchor-run-v1', repeatable, weightsSha256, contextHash]));
}
