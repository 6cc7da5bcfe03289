import { runConfigSchema, type RunConfig } from '../../../electron/contract/index.ts';

/** The smallest run that does everything: a few prompts, every phase reviewed by the embedded supervisor. */
export const shortRun = (name: string, steps: number): RunConfig =>
  runConfigSchema.parse({
    name,
    steps,
    seed: 11,
    framework: { name: 'azr', batchSize: 2, estimateSamples: 2, taskTypes: ['deduction'] },
    generation: { maxNewTokens: 48 },
    supervision: { phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 }, reviewer: 'llama' },
    sandbox: { workers: 1 },
  });
