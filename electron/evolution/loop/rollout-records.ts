import type { RolloutRecord } from '../../contract/index.ts';
import type { ScoredRollout } from './framework.ts';
import type { RunState } from './run-state.ts';

/** A trained rollout as it is stored; reward and advantage are entered when the step has them. */
export function recordOf(
  run: RunState,
  { request, rollout, response, verdict, taskId }: ScoredRollout,
  reward: number | null = null,
  advantage: number | null = null,
): RolloutRecord {
  const { id, batch, index, attempt, purpose, role, taskType, prompt } = request;
  const identity = { id, batch, index, sample: attempt === 2 ? 1 : null, purpose, role, taskType, taskId };
  return rolloutRecord(
    run,
    { ...identity, user: prompt.user },
    { rollout, response, verdict },
    reward,
    advantage,
  );
}

type Identity = Pick<
  RolloutRecord,
  'id' | 'batch' | 'index' | 'sample' | 'purpose' | 'role' | 'taskType' | 'taskId' | 'user'
>;

/** A rollout as it is stored; measurements have neither reward nor advantage. */
export function rolloutRecord(
  run: Pick<RunState, 'step' | 'context'>,
  identity: Identity,
  { rollout, response, verdict }: Pick<ScoredRollout, 'rollout' | 'response' | 'verdict'>,
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
