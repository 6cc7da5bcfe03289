import { INTRINSIC_NAMES, type AzrConfig, type IntrinsicName, type Probability } from '../contract/index.ts';

/** What a broken response format, a wrong answer and an invalid proposal cost (AZR reward_managers.py:393-437, 513-520). */
export const FORMAT_PENALTY = -1;
export const WRONG_PENALTY = -0.5;

/** Solver reward: −1 without the required format, −0.5 for a wrong answer, else the accuracy (1, or the share of hidden pairs). */
export function solverReward(outcome: { formatOk: boolean; accuracy: Probability }): number {
  if (!outcome.formatOk) return FORMAT_PENALTY;
  return outcome.accuracy === 0 ? WRONG_PENALTY : outcome.accuracy;
}

/**
 * How much a task teaches, from the share of sampled solutions that were right. one-minus: 1 − rate, and 0 for a task nobody
 * solves; inverse: 1 − rate always. A task everybody solves teaches nothing in both.
 */
export function learnability(solveRate: Probability, rule: AzrConfig['learnability']): number {
  return solveRate === 0 && rule === 'one-minus' ? 0 : 1 - solveRate;
}

/** Raw intrinsic values of a proposal; null where one does not apply (no reference to differ from, say). */
export type IntrinsicValues = { [Name in IntrinsicName]: number | null };

export type ProposalOutcome = {
  formatOk: boolean;
  valid: boolean;
  /** Mean accuracy of the Monte-Carlo solutions; null only for an invalid proposal, which is never estimated. */
  solveRate: Probability | null;
  intrinsic: IntrinsicValues;
};

/**
 * Proposer reward: −1 for a broken format or an invalid task; for a task that teaches nothing −0.5 ('repository') or 0
 * ('paper'); else learnability combined with the intrinsic rewards.
 */
export function proposerReward(
  outcome: ProposalOutcome,
  config: Pick<AzrConfig, 'learnability' | 'zeroLearnability' | 'intrinsic'>,
): number {
  if (!outcome.formatOk || !outcome.valid) return FORMAT_PENALTY;
  if (outcome.solveRate === null)
    throw new RangeError('A valid proposal has no solve rate; estimate it before rewarding it.');
  const learned = learnability(outcome.solveRate, config.learnability);
  if (learned === 0) return config.zeroLearnability === 'repository' ? WRONG_PENALTY : 0;
  return combineIntrinsic(learned, outcome.intrinsic, config.intrinsic);
}

const OFF = { coefficient: 0, max: 0 };

/**
 * Adds intrinsic rewards to a positive learnability: each is min(coefficient × value, max), and those with coefficient 0 are
 * off. sum: acc + Σ; multiply: acc × Π; sum-multiply: acc + Π; multiply-sum: acc × Σ. With none on, acc stays as it is.
 */
export function combineIntrinsic(
  learned: number,
  values: IntrinsicValues,
  config: AzrConfig['intrinsic'],
): number {
  const parts = INTRINSIC_NAMES.flatMap((name) => {
    const value = values[name];
    const { coefficient, max } = config[name] ?? OFF;
    return coefficient > 0 && value !== null ? [Math.min(coefficient * value, max)] : [];
  });
  if (parts.length === 0) return learned;
  const sum = parts.reduce((total, part) => total + part, 0);
  const product = parts.reduce((total, part) => total * part, 1);
  switch (config.combine) {
    case 'sum':
      return learned + sum;
    case 'multiply':
      return learned * product;
    case 'sum-multiply':
      return learned + product;
    case 'multiply-sum':
      return learned * sum;
  }
}
