import type { RzeroConfig } from '../../../contract/index.ts';

/** What a challenger's response is paid for. */
export type ChallengeOutcome = {
  /** Whether it could be read. */
  isQuestion: boolean;
  /** Share of the answers in the biggest class; null where nobody answered. */
  agreement: number | null;
  /** Share of the samples that gave no answer. */
  abstained: number;
  /** Share of the batch in its cluster of like texts. */
  clusterShare: number;
};

type ChallengeRules = Pick<
  RzeroConfig,
  'challengeReward' | 'abstentions' | 'abstentionPenalty' | 'repetition'
>;

/** What the repository pays a response that cannot be read, before the penalty for repetition. */
const BROKEN = -1;

/**
 * The challenger's reward: highest where the solver's answers are split in two halves, less what it repeats of the batch
 * (caller_penalty.py:136-141). An abstention is no vote and is paid for apart; under rzero-compat it votes like any answer.
 */
export function challengeReward(
  { isQuestion, agreement, abstained, clusterShare }: ChallengeOutcome,
  { challengeReward: rule, abstentions, abstentionPenalty, repetition }: ChallengeRules,
): number {
  const repeated = repetition.weight * clusterShare;
  const silent = abstentions === 'outside' ? abstentionPenalty * abstained : 0;
  const uncertainty = agreement === null ? 0 : Math.min(agreement, 1 - agreement);
  if (rule === 'paper') return isQuestion ? Math.max(0, 2 * uncertainty - silent - repeated) : 0;
  return isQuestion ? uncertainty - silent - repeated : BROKEN - repeated;
}

/** Whether a text thinks in tags and boxes an answer behind them, as the original's format asks; in one pass. */
function thinksThenBoxes(text: string): boolean {
  let at = 0;
  return ['<think>', '</think>', '\\boxed{', '}'].every((mark) => {
    const found = text.indexOf(mark, at);
    at = found + mark.length;
    return found >= 0;
  });
}

/** The solver's reward: whether its answer is the label. */
export function solveReward(
  { agrees, text }: { agrees: boolean; text: string },
  { solveReward: rule }: Pick<RzeroConfig, 'solveReward'>,
): number {
  if (rule === 'agreement') return Number(agrees);
  return 0.9 * Number(agrees) + 0.1 * Number(thinksThenBoxes(text));
}
