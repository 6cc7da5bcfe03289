import {
  PHASES,
  type JudgeProbeAnswer,
  type JudgeProbePlan,
  type Phase,
  type PhaseItem,
  type ProbePass,
} from '../../contract/index.ts';
import { canonicalJson, rolloutSeed, sha256Hex } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import { reviewId } from '../phase-items.ts';
import { superviseStep, type ReviewClock } from '../review-batch.ts';
import { ISSUES } from '../reviewers/answers.ts';
import { QUESTIONS } from '../reviewers/llama/questions.ts';
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

/** Texts of a pack that a review is asked with, with their places instead of values. */
const ASKED_WITH = ['review-system', ...PHASES.map((phase) => `review-${phase}`)];
const ASKED_OF_JUDGES = ['review-question', 'review-wording'];

/** SHA-256 over the words that a model is asked with and may answer in; another wording is another probe. */
export function reviewTextsSha256(pack: PromptPack): string {
  const places = new Proxy<Record<string, string>>({}, { get: (_, name) => `{{${String(name)}}}` });
  const names = [...ASKED_WITH, ...ASKED_OF_JUDGES.filter((name) => pack.has(name))];
  return sha256Hex(
    canonicalJson({
      texts: names.map((name) => [name, pack.render(name, places)]),
      questions: QUESTIONS,
      issues: ISSUES,
    }),
  );
}
