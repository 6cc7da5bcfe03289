import {
  rewardedBatchName,
  type RatedTaskType,
  type ReviewRecord,
  type RolloutRecord,
} from '../../contract/index.ts';
import type { Lab } from '../../store/index.ts';
import { RATED_SUITES } from '../study/points.ts';
import { MOST_CAUSES, storyAnswers, type StoryAnswer, type StoryPair } from './story.ts';

/** How one slip of the supervised run changed the prompt of its next steps; every part is a stored record. */
export type StoryChain = {
  /** What the policy was asked in training and what it wrote. */
  rollout: RolloutRecord;
  review: ReviewRecord;
  line: { id: string; text: string; firstContext: number; lastContext: number };
  /** The context that carried the line first, as it stood in every prompt of its step. */
  context: { step: number; text: string };
  /** An answer of that step to a prompt of the same kind; null when the step had none. */
  next: RolloutRecord | null;
};

/** Why a question is answered apart. */
export type StoryCause = {
  /** The first asked step at which only the supervised weights still answer well; null while there is none. */
  apartAt: number | null;
  /** What came before that step; null where no review had caused a line of this kind by then. */
  chain: StoryChain | null;
};

/** From the step at which the answers to a question part back to a slip that was reviewed before it. */
export function storyCause(pair: StoryPair, kind: RatedTaskType, itemId: string): StoryCause {
  const apartAt = firstApart(storyAnswers(pair, RATED_SUITES[kind], itemId));
  return {
    apartAt,
    chain: apartAt === null ? null : chainBefore(pair.store, pair.supervised, kind, apartAt),
  };
}

/** The first step at which both were asked with nothing in the prompt and only the supervised one passed. */
function firstApart({ alone, supervised }: Record<'alone' | 'supervised', StoryAnswer[]>): number | null {
  const passed = new Set(supervised.filter((one) => !one.withContext && one.passed).map(({ step }) => step));
  return (
    alone.find(({ step, withContext, passed: wellAlone }) => !withContext && !wellAlone && passed.has(step))
      ?.step ?? null
  );
}

/**
 * The chain of one line that a review of a rewarded answer of this kind brought in, and that stood in the prompt of this step or before:
 * the newest that stood at it, else the one that stood last. The weights of a step were trained under the contexts up to its own.
 */
export function chainBefore(
  store: Pick<Lab, 'contextLines' | 'lineageOf' | 'getContext' | 'listRollouts'>,
  runId: string,
  kind: RatedTaskType,
  step: number,
): StoryChain | null {
  const batch = rewardedBatchName(kind);
  const stoodLast = ({ lastContext }: StoryChain['line']): number => Math.min(lastContext, step);
  const lines = store
    .contextLines(runId)
    .filter(({ firstContext }) => firstContext <= step)
    .sort((a, b) => stoodLast(b) - stoodLast(a) || b.firstContext - a.firstContext);
  for (const { id, text, firstContext, lastContext } of lines) {
    // Reviews that renewed a line later did not bring it in.
    const cause = store
      .lineageOf(runId, id, MOST_CAUSES)
      ?.causes.find(
        ({ sinceContext, review, rollout }) =>
          sinceContext === firstContext && review.batch === batch && rollout !== null,
      );
    const context = store.getContext(runId, firstContext);
    if (cause === undefined || cause.rollout === null || context === null) continue;
    const next = store.listRollouts(runId, firstContext).find((rollout) => rollout.batch === batch) ?? null;
    return {
      rollout: cause.rollout,
      review: cause.review,
      line: { id, text, firstContext, lastContext },
      context: { step: context.step, text: context.text },
      next,
    };
  }
  return null;
}
