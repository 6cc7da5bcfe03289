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
  return withinGroups(samples, (rewards) =>
    whiten(
      rewards,
      rewards.map(() => 1),
    ),
  );
}

/** What GRPO adds to a deviation before it divides by it (verl core_algos.compute_grpo_outcome_advantage). */
const DEVIATION_EPSILON = 1e-6;

/**
 * GRPO's advantages (Shao et al. 2024): (reward − mean) ÷ (deviation + 1e-6) with the unbiased deviation, over the samples of one prompt
 * (`group`) or over the whole batch, which is the larger yardstick where all prompts are the same. A deviation below `floor` counts as `floor`,
 * in units of the reward: without it (0) rewards that differ by next to nothing become advantages as large as any other. A sample with
 * nothing to compare with, and one among equal rewards, has advantage 0. @throws RangeError for a floor below 0 or a reward that is not finite.
 */
export function groupNormalized({
  floor,
  scope,
}: {
  floor: number;
  scope: 'group' | 'batch';
}): AdvantageEstimator {
  if (!Number.isFinite(floor) || floor < 0)
    throw new RangeError(`The floor of a deviation is ${floor}; it must be 0 or more.`);
  const normalize = (rewards: readonly number[]): number[] => {
    const moments = momentsOf(
      rewards,
      rewards.map(() => 1),
    );
    if (moments === null) return rewards.map(() => 0);
    const deviation = Math.max(Math.sqrt(moments.variance), floor) + DEVIATION_EPSILON;
    return rewards.map((reward) => (reward - moments.mean) / deviation);
  };
  return (batch) =>
    scope === 'group' ? withinGroups(batch, normalize) : normalize(batch.map(({ reward }) => reward));
}

/** Advantages of each group on its own, in the order of the samples. */
function withinGroups(
  samples: readonly { reward: number; group: string }[],
  advantagesOf: (rewards: readonly number[]) => number[],
): number[] {
  const advantages = samples.map(() => 0);
  const groups = Map.groupBy(samples.keys(), (index) => (samples[index] as { group: string }).group);
  for (const indexes of groups.values()) {
    const own = advantagesOf(indexes.map((index) => (samples[index] as { reward: number }).reward));
    for (const [position, index] of indexes.entries()) advantages[index] = own[position] as number;
  }
  return advantages;
}

function whiten(rewards: readonly number[], weights: readonly number[]): number[] {
  const moments = momentsOf(rewards, weights);
  if (moments === null) return rewards.map(() => 0);
  return rewards.map((reward) => (reward - moments.mean) / Math.sqrt(moments.variance + EPSILON));
}

/** Weighted mean and unbiased weighted variance; null where there is nothing to compare with, or no difference. */
function momentsOf(
  rewards: readonly number[],
  weights: readonly number[],
): { mean: number; variance: number } | null {
  const bad = rewards.findIndex((reward) => !Number.isFinite(reward));
  if (bad >= 0)
    throw new RangeError(`Reward ${bad} of the batch is ${rewards[bad]}; rewards must be finite.`);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total < 2) return null;
  // All rewards equal: the sums below could leave a rounding error that a tiny divisor would blow up.
  if (rewards.every((reward) => reward === rewards[0])) return null;
  const weighted = (term: (reward: number) => number): number =>
    rewards.reduce((sum, reward, index) => sum + (weights[index] as number) * term(reward), 0);
  const mean = weighted((reward) => reward) / total;
  return { mean, variance: weighted((reward) => (reward - mean) ** 2) / (total - 1) };
}
