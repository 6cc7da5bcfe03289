import { samplesApart, type RunConfig } from '../../contract/index.ts';
import type { WeightSetSettings } from '../../models/index.ts';

/** What a run's configuration says about weights that it trains, starting from the model in folder `model`. */
export function policySettings(
  { policy, train, generation, seed }: RunConfig,
  model: string,
): WeightSetSettings {
  return {
    model,
    device: policy.device,
    threads: policy.threads,
    seed,
    maxSeqTokens: generation.maxPromptTokens + generation.maxNewTokens,
    maxConcurrent: policy.maxConcurrent,
    temperature: samplesApart(generation) ? 'sampled' : generation.temperature,
    thinking: policy.thinking === 'on',
    train,
  };
}
