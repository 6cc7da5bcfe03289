import { isAbsolute } from 'node:path';
import {
  hashView,
  isWordedByModel,
  type ReviewRecord,
  type RolloutRecord,
  type RunConfig,
  type StepCommit,
  type TaskRecord,
  type WordingRecord,
} from '../../contract/index.ts';
import { canonicalJson, sha256Hex } from '../../core/index.ts';
import type { RoleName } from './run-state.ts';

/** What of a review must repeat: everything but when and how fast it was written. */
function repeatableReview({
  createdAt: _,
  milliseconds: __,
  ...review
}: ReviewRecord): Omit<ReviewRecord, 'createdAt' | 'milliseconds'> {
  return review;
}

/** What of a wording must repeat. */
function repeatableWording({ createdAt: _, milliseconds: __, ...wording }: WordingRecord): unknown {
  return wording;
}

/** What of a rollout must repeat. The isolation level belongs to the machine, not to the result. */
function repeatableRollout({ verdict: { sandboxLevel: _, ...verdict }, ...rollout }: RolloutRecord): unknown {
  return { ...rollout, verdict };
}

/**
 * Chain over the steps of a run: two runs with the same configuration on the same kind of machine have the same hashes,
 * however often they were interrupted. Times, durations and the run's own id are left out; the configuration is in it from the start.
 * The place in the schedule counts where there is a choice: frameworks of one role keep the hashes they had before there were stages.
 */
export function stepHash(
  roles: readonly RoleName[],
  previous: string,
  commit: Omit<StepCommit, 'step'>,
  {
    step,
    stage,
    iteration,
    contextHash,
  }: { step: number; stage: string; iteration: number; contextHash: string },
): string {
  const place = roles.length === 1 ? [] : [{ stage, iteration, role: commit.checkpoint?.role ?? null }];
  return sha256Hex(
    canonicalJson([
      'anchor-step-v1',
      previous,
      step,
      contextHash,
      commit.checkpoint?.weightsSha256 ?? null,
      commit.tasks,
      commit.rollouts.map(repeatableRollout),
      commit.reviews.map(repeatableReview),
      commit.summaries,
      commit.nextContext,
      ...place,
      // Steps without such records have the hash they had before there were any.
      ...(commit.wordings.length === 0 ? [] : [commit.wordings.map(repeatableWording)]),
    ]),
  );
}

/** What the files that a configuration may name by path hold. */
export type NamedFiles = {
  weightsSha256: string;
  supervisorSha256: string | null;
  tasks: readonly TaskRecord[];
};

/**
 * The chain's value before step 1: the configuration that must repeat (not the name, nor what is only measured, nor where weights lie while others
 * work) and the weights it starts from. A file
 * counts by what it holds and not by where it lies. Settings that came later count only where they are used, so that the same run has the same hash in every version.
 */
export function initialHash(
  { name: _, preset: __, evaluation: ___, supervision: reviewing, ...config }: RunConfig,
  contextHash: string,
  { weightsSha256, supervisorSha256, tasks }: NamedFiles,
): string {
  const { contextText, fixedContext, nothingToCompare, reviewerSettings, wordingPrompts, ...supervision } =
    reviewing;
  const { framework, frameworkSettings, ...rest } = hashView(config);
  const { offload: ____, ...policy } = config.policy;
  const tasksSha256 = (): string => sha256Hex(canonicalJson(tasks));
  const later = {
    ...(contextText === 'reviews' ? {} : { contextText }),
    ...(fixedContext.length === 0 ? {} : { fixedContext }),
    ...(nothingToCompare === 'say' ? { nothingToCompare } : {}),
    ...(reviewerSettings === undefined
      ? {}
      : { reviewerSettings: withoutPaths(reviewerSettings, supervisorSha256) }),
    ...(wordingPrompts === undefined ? {} : { wordingPrompts: usedTexts(wordingPrompts, supervision) }),
  };
  const repeatable = {
    // A framework of the first versions has its settings among these sections.
    ...Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [
        name,
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? withoutPaths(value, tasksSha256())
          : value,
      ]),
    ),
    framework: typeof framework === 'object' ? withoutPaths(framework, tasksSha256()) : framework,
    policy: { ...policy, model: withoutPath(policy.model, weightsSha256) },
    supervision: { ...supervision, model: withoutPath(supervision.model, supervisorSha256), ...later },
    ...(frameworkSettings === undefined
      ? {}
      : { frameworkSettings: withoutPaths(frameworkSettings, tasksSha256()) }),
  };
  return sha256Hex(canonicalJson(['anchor-run-v1', repeatable, weightsSha256, contextHash]));
}

/** A system text counts where a model is asked with it; the two questions count wherever they were given. */
function usedTexts(
  { system, ...questions }: NonNullable<RunConfig['supervision']['wordingPrompts']>,
  supervision: Pick<RunConfig['supervision'], 'summary' | 'merge'>,
): object {
  return isWordedByModel(supervision) && system !== undefined && system.trim() !== ''
    ? { system, ...questions }
    : questions;
}

const withoutPath = <T>(value: T, content: string | null): T | string | null =>
  typeof value === 'string' && isAbsolute(value) ? content : value;
const withoutPaths = (settings: object, content: string | null): unknown =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, withoutPath(value, content)]));
