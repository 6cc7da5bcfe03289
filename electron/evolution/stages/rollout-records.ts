import type { RolloutRecord, Verdict } from '../../contract/index.ts';
import type { ParsedResponse } from '../../core/index.ts';
import type { Rollout } from '../../processes/index.ts';
import type { RunInProgress } from '../in-progress.ts';

type Identity = Pick<
  RolloutRecord,
  'id' | 'batch' | 'index' | 'sample' | 'purpose' | 'role' | 'taskType' | 'taskId' | 'user'
>;

/** A rollout as it is stored; reward and advantage are entered for trained ones only. */
export function rolloutRecord(
  run: RunInProgress,
  identity: Identity,
  rollout: Rollout,
  response: ParsedResponse,
  verdict: Verdict,
  reward: number | null = null,
  advantage: number | null = null,
): RolloutRecord {
  const { plan, thought, answer, formatOk } = response;
  return {
    ...identity,
    step: run.step,
    contextHash: run.context.hash,
    text: rollout.text,
    plan,
    thought,
    answer,
    formatOk,
    finish: rollout.finish,
    promptTokens: rollout.promptTokens,
    newTokens: rollout.newTokens,
    logpMean: rollout.logpMean,
    verdict,
    reward,
    advantage,
  };
}
