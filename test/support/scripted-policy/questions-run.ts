import {
  everyPhase,
  runConfigSchema,
  type RunConfig,
  type RunConfigInput,
} from '../../../electron/contract/index.ts';

/** One step of C, one of G and of L, two of S, with what the scripted policy says. */
export const questionsRun = (name: string, more: RunConfigInput = {}): RunConfig =>
  runConfigSchema.parse({
    name,
    steps: 5,
    framework: {
      name: 'rzero',
      challenge: { steps: 1, prompts: 2, samples: 3 },
      vote: { samples: 3 },
      pose: { questions: 10, perStep: 10 },
      label: { samples: 3, window: [0.3, 0.9] },
      solve: { steps: 2, prompts: 2, samples: 3 },
    },
    generation: { maxPromptTokens: 256, maxNewTokens: 96 },
    train: { learningRate: 1e-3, kl: { coefficient: 0.01, estimator: 'k3' } },
    checkpoints: { keepEvery: 1 },
    sandbox: { workers: 1 },
    supervision: { phases: everyPhase(0), reviewer: 'rubric', minimumSupport: 1, merge: 'text' },
    ...more,
  });
