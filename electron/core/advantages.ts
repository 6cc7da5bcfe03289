/** One trained sequence of a (role, task type) batch: its reward and its number of response tokens. */
export type ScoredSequence = { reward: number; tokens: number };

/** Turns the rewards of one batch into one advantage per sequence, in their order. @param batch `group` names the prompt of a sequence. */
export type AdvantageEstimator = (batch: readonly (ScoredSequence & { group: string })[]) => number[];

/** Keeps the division finite when all rewards are equal (verl torch_functional.masked_whiten). */
const EPSILON = 1e-8;

/**
 * TRR++ advantages of one (role, task type) batch: rewards whitened with the mean and the unbiased variance over response
 * tokens ('token', verl's reinforce_plus_plus: every token of a sequence carries its reward, so long answers weigh more) or
 * over sequences ('sequence', the paper's text). The result is one advantage per sequence, the same for all its tokens.
 * With fewer than two observations there is nothing to compare with, and every advantage is 0.
 */
export function whitenedAdvantages(
  sequences: readonly ScoredSequence[],
  weighting: 'token' | 'sequence',
): number[] {
  const weights = sequences.map(({ tokens }) => {
    if (!Number.isSafeInteger(tokens) || tokens < 0)
      throw new RangeError(
        `A sequence has ${tokens} tokens; a count of tokens must be a non-negative integer.`,
      );
    return weighting === 'token' ? tokens : 1;
  });
  return whiten(
    sequences.map(({ reward }) => reward),
    weights,
  );
}

/**
 * Advantages against the other samples of the same prompt: each group is whitened on its own. For rated prompts this keeps
 * a harmless prompt that is always answered from becoming the yardstick of a refused one.
 */
export function groupedAdvantages(samples: readonly { reward: number; group: string }[]): number[] {
  const groups = new Map<string, number[]>();
  for (const [index, { group }] of samples.entries())
    groups.set(group, [...(groups.get(group) ?? []), index]);
  const advantages = samples.map(() => 0);
  for (const indexes of groups.values()) {
    const whitened = whiten(
      indexes.map((index) => (samples[index] as { reward: number }).reward),
      indexes.map(() => 1),
    );
    for (const [position, index] of indexes.entries()) advantages[index] = whitened[position] as number;
  }
  return advantages;
}

function whiten(rewards: readonly number[], weights: readonly number[]): number[] {
  const bad = rewards.findIndex((reward) => !Number.isFinite(reward));
  if (bad >= 0)
    throw new RangeError(`Reward ${bad} of the batch is ${rewards[bad]}; rewards must be finite.`);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total < 2) return rewards.map(() => 0);
  // All rewards equal: the sums below could leave a rounding error that the tiny epsilon would blow up.
  if (rewards.every((reward) => reward === rewards[0])) return rewards.map(() => 0);
  const weighted = (term: (reward: number) => number): number =>
    rewards.reduce((sum, reward, index) => sum + (weights[index] as number) * term(reward), 0);
  const mean = weighted((reward) => reward) / total;
  const variance = weighted((reward) => (reward - mean) ** 2) / (total - 1);
  return rewards.map((reward) => (reward - mean) / Math.sqrt(variance + EPSILON));
}
