import { isRated, taskTypeOfBatch, type BatchName, type RunConfig } from '../../contract/index.ts';
import { groupedAdvantages, proposerReward, solverReward, whitenedAdvantages } from '../../core/index.ts';
import type { ProposalIntrinsics } from '../azr/index.ts';
import { rateAnswer } from './pressure.ts';
import type { SettledRollout } from './settle.ts';

export type Scored = { settled: SettledRollout; reward: number; advantage: number };

/** Rewards of all trained rollouts and their advantages, per (role, task type) batch (TRR++) or per rated prompt. */
export function scoreRollouts(
  config: RunConfig,
  rollouts: readonly SettledRollout[],
  rateOf: ReadonlyMap<string, number>,
  intrinsic: ReadonlyMap<string, ProposalIntrinsics>,
): Scored[] {
  const rewards = rollouts.map((settled) => rewardOf(config, settled, rateOf, intrinsic));
  const advantages = new Array<number>(rollouts.length).fill(0);
  const batches = Map.groupBy(
    rollouts.keys(),
    (position) => (rollouts[position] as SettledRollout).planned.batch,
  );
  for (const [batch, positions] of batches) {
    const values = batchAdvantages(
      config,
      batch,
      positions.map((position) => ({
        settled: rollouts[position] as SettledRollout,
        reward: rewards[position] as number,
      })),
    );
    positions.forEach((position, index) => {
      advantages[position] = values[index] as number;
    });
  }
  return rollouts.map((settled, position) => ({
    settled,
    reward: rewards[position] as number,
    advantage: advantages[position] as number,
  }));
}

function batchAdvantages(
  config: RunConfig,
  batch: BatchName,
  scored: { settled: SettledRollout; reward: number }[],
): number[] {
  if (isRated(taskTypeOfBatch(batch)) && config.pressure.baseline === 'prompt')
    return groupedAdvantages(
      scored.map(({ settled, reward }) => ({ reward, group: settled.planned.group ?? settled.planned.id })),
    );
  return whitenedAdvantages(
    scored.map(({ settled, reward }) => ({ reward, tokens: settled.rollout.newTokens })),
    config.azr.whitening,
  );
}

function rewardOf(
  config: RunConfig,
  settled: SettledRollout,
  rateOf: ReadonlyMap<string, number>,
  intrinsic: ReadonlyMap<string, ProposalIntrinsics>,
): number {
  const { planned, response, verdict, newTask, rollout } = settled;
  if (isRated(planned.taskType)) return rateAnswer(planned.taskType, rollout.text).reward;
  if (planned.purpose === 'solve')
    return solverReward({ formatOk: response.formatOk, accuracy: verdict.accuracy });
  return proposerReward(
    {
      formatOk: response.formatOk,
      valid: newTask !== null,
      solveRate: newTask === null ? null : (rateOf.get(newTask.id) ?? 0),
      intrinsic: intrinsic.get(planned.id) ?? NO_INTRINSICS,
    },
    config.azr,
  );
}

/** Of an invalid proposal; it is never read, because such a proposal's reward is fixed. */
const NO_INTRINSICS = { complexity: null, editDistance: null, halstead: null, answerDiversity: null };
