import { chapter } from '../mutant.ts';
import { STEP } from './tests.ts';

/** What models are asked: C_t in every prompt of the step, the right role, the task and nothing of its gold. */
export const PROMPTS = chapter('prompts', [
  {
    file: 'electron/evolution/code-tasks/prompts.ts',
    tests: [...STEP, 'test/electron/evolution/code-tasks/prompts.test.ts'],
    mutants: [
      {
        what: "the proposer's prompt is without C_t",
        line: "system: systemPrompt(pack, 'proposer', context),",
        instead: "system: systemPrompt(pack, 'proposer', ''),",
      },
      {
        what: "prompts that ask for a solution, the solver's and the estimator's, are without C_t",
        line: "system: systemPrompt(pack, 'solver', context),",
        instead: "system: systemPrompt(pack, 'solver', ''),",
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/azr/index.ts',
    tests: STEP,
    mutants: [
      {
        what: 'self-play proposes without C_t',
        line: '...basis }, context.text, config.framework),',
        instead: "...basis }, '', config.framework),",
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/scoring.ts',
    tests: STEP,
    mutants: [
      {
        what: 'the solver is asked without C_t',
        line: 'prompt: solutionPrompt(pack, task, run.context.text, run.config.framework as CodeTasksConfig),',
        instead: "prompt: solutionPrompt(pack, task, '', run.config.framework as CodeTasksConfig),",
      },
    ],
  },
  {
    file: 'electron/evolution/code-tasks/solve-rates.ts',
    tests: STEP,
    mutants: [
      {
        what: 'the estimator is asked without C_t',
        line: 'solutionPrompt(env.pack, newTask, run.context.text, framework) }],',
        instead: "solutionPrompt(env.pack, newTask, '', framework) }],",
      },
    ],
  },
]);
