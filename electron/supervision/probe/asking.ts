import {
  PHASES,
  type JudgeProbeAnswer,
  type JudgeProbePlan,
  type Phase,
  type PhaseItem,
  type ProbePass,
} from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import { reviewId } from '../phase-items.ts';
import { superviseStep, type ReviewClock } from '../review-batch.ts';
import type { Reviewer, ReviewResult } from '../reviewers/reviewer.ts';
import { Draw } from './draw.ts';
import type { ProbeItem } from './items.ts';

/** Everything is reviewed, however long it takes. */
const EVERYTHING = {
  phases: Object.fromEntries(PHASES.map((phase) => [phase, 1])) as Record<Phase, number>,
  budgetSeconds: null,
};

/** The share of pairs that is asked again: fifty items of two hundred. */
const AGAIN = 1 / 4;

/** What is asked in a pass, in order. */
export function itemsOfPass(
  items: readonly ProbeItem[],
  pass: ProbePass,
  { seed }: Pick<JudgeProbePlan, 'seed'>,
): ProbeItem[] {
  if (pass !== 'again') return [...items];
  const pairs = [...new Set(items.map(({ pair }) => pair))].sort((a, b) => a - b);
  const chosen = new Draw(seed, 'again').shuffled(pairs).slice(0, Math.ceil(pairs.length * AGAIN));
  return items.filter(({ pair }) => chosen.includes(pair));
}

export type ProbeAsking = {
  reviewer: Reviewer;
  pass: ProbePass;
  /** Of this pass, without those that were answered before. */
  items: readonly ProbeItem[];
  seed: number;
  clock: ReviewClock;
  signal: AbortSignal;
  /** Each answer as soon as it is there. */
  onAnswer: (answer: JudgeProbeAnswer) => void;
};

/** Asks a reviewer as a run asks it: step by step, side by side, and past the leak guard. */
export async function askProbe({ items, pass, seed, onAnswer, ...asking }: ProbeAsking): Promise<void> {
  const { reviewer, clock, signal } = asking;
  // The order of questions and the delimiters are drawn anew when the same is asked again.
  const drawn = pass === 'again' ? rolloutSeed(seed, 'judge-probe', 'again') : seed;
  for (const [step, group] of Map.groupBy(items, (item) => item.step)) {
    const asked = new Map<string, NonNullable<ReviewResult['asked']>>();
    const ordinals = new Map<PhaseItem, number>(
      group.map(({ supervised, ordinal }) => [supervised.item, ordinal]),
    );
    await superviseStep({
      config: EVERYTHING,
      seed: drawn,
      step,
      items: group.map(({ supervised }) => supervised),
      reviewer: {
        ...reviewer,
        async review(subject, until) {
          const result = await reviewer.review(subject, until);
          asked.set(subject.id, result.asked ?? []);
          return result;
        },
      },
      clock,
      signal,
      onReview: ({ status, issues, feedback, leaks, tokensIn, tokensOut, milliseconds, createdAt }, item) =>
        onAnswer({
          pass,
          ordinal: ordinals.get(item) as number,
          status: status === 'skipped-by-budget' ? 'failed' : status,
          issues,
          feedback,
          leaks: leaks.length,
          asked: asked.get(reviewId(item)) ?? [],
          tokensIn,
          tokensOut,
          milliseconds,
          at: createdAt,
        }),
    });
  }
}
