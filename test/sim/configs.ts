import { runConfigSchema, type RunConfig } from '../../electron/contract/index.ts';
import type { Application } from './application.ts';

/** Runs that are small and between them have every part of a step: proposals, practice, reviews of both kinds, retries, evaluations. */
export function configurations({ tasks }: Application): RunConfig[] {
  const generation = { maxNewTokens: 64, maxPromptTokens: 1024 };
  const phases = { task: 0.6, plan: 0.4, thought: 0.4, output: 0.8, exec: 1 };
  const fixed = { name: 'fixed-tasks', tasks, batchSize: 2 } as const;
  const azr = { name: 'azr', seeds: tasks, batchSize: 2, estimateSamples: 2, inductionInputs: 2 } as const;
  return [
    {
      name: 'practice under a rubric',
      steps: 3,
      framework: { ...fixed, taskTypes: ['deduction', 'abduction'] },
      supervision: { phases, reviewer: 'rubric' },
    },
    {
      name: 'self-play under a model',
      steps: 3,
      framework: { ...azr, taskTypes: ['deduction'] },
      supervision: { phases, reviewer: 'llama', retry: 'enforce', minimumSupport: 1 },
    },
    {
      name: 'self-play, evaluated',
      steps: 2,
      framework: { ...azr, taskTypes: ['abduction', 'deduction'] },
      supervision: { phases, reviewer: 'rubric', retry: 'enforce' },
      evaluation: { every: 1, suites: ['toy-choice', 'toy-memory'], items: 2, contexts: ['none', 'run'] },
    },
    {
      name: 'practice alone',
      steps: 6,
      framework: { ...fixed, taskTypes: ['deduction'] },
      checkpoints: { keepEvery: 3 },
    },
    {
      name: 'practice worded by a model',
      steps: 3,
      framework: { ...fixed, taskTypes: ['deduction'] },
      rewardedPrompts: { share: 0.5, samplesPerPrompt: 2 },
      supervision: { phases, reviewer: 'llama', summary: 'model', merge: 'model', minimumSupport: 1 },
    },
  ].map((config) => runConfigSchema.parse({ ...config, generation, seed: 7 }));
}
