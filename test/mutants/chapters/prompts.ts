import { chapter } from '../mutant.ts';
import { ITERATION, STEP } from './tests.ts';

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
      {
        what: 'the solver is asked as a proposer',
        line: "system: systemPrompt(pack, 'solver', context),",
        instead: "system: systemPrompt(pack, 'proposer', context),",
      },
      {
        what: 'references show what their proposers said instead of their programs',
        line: 'references: references.map((task) => task.program),',
        instead: "references: references.map((task) => task.message ?? ''),",
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
      {
        what: 'all proposals of a type see the same references',
        line: "path: ['references', step, taskType, index, redraw.number],",
        instead: "path: ['references', step, taskType, redraw.number],",
      },
      {
        what: 'proposals of every step see the same references',
        line: "path: ['references', step, taskType, index, redraw.number],",
        instead: "path: ['references', taskType, index, redraw.number],",
      },
      {
        what: 'solvers get the same tasks in every step',
        line: ".chooseTasks(taskType, framework.batchSize, run.step, seed, 'tasks', run.step, taskType)",
        instead: ".chooseTasks(taskType, framework.batchSize, 1, seed, 'tasks', taskType)",
      },
      {
        what: 'only the first type of task is solved',
        line: '.map((task, index) => solutionRequest(run, pack, { ...task, taskType }, index)),',
        instead:
          '.map((task, index) => solutionRequest(run, pack, { ...task, taskType: framework.taskTypes[0]! }, index)),',
      },
      {
        what: 'proposals of a type have one seed',
        line: 'seed: rolloutSeed(config.seed, step, batch, index),',
        instead: 'seed: rolloutSeed(config.seed, step, batch),',
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
      {
        what: 'solvers of every step have the same seeds',
        line: 'seed: rolloutSeed(run.config.seed, run.step, batch, index),',
        instead: 'seed: rolloutSeed(run.config.seed, batch, index),',
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
      {
        what: 'estimates have the seed of the proposal that they measure',
        line: "seed: rolloutSeed(seed, run.step, batch, index, 'estimate'),",
        instead: 'seed: rolloutSeed(seed, run.step, batch, index),',
      },
      {
        what: 'one solution stands for all estimates of a task',
        line: 'n: framework.estimateSamples,',
        instead: 'n: 1,',
      },
      {
        what: 'estimates are greedy whatever the run says',
        line: "...(framework.estimateSampling === 'greedy' ? { temperature: 0 } : {}),",
        instead: 'temperature: 0,',
      },
    ],
  },
  {
    file: 'electron/evolution/rewarded-prompts/stage.ts',
    tests: [...STEP, 'test/electron/evolution/rewarded-prompts.test.ts'],
    mutants: [
      {
        what: 'rated prompts are without C_t',
        line: "system: systemPrompt(pack, 'assistant', context.text), user }),",
        instead: "system: systemPrompt(pack, 'assistant', ''), user }),",
      },
      {
        what: 'answers to one rated prompt all have one seed',
        line: 'seed: rolloutSeed(config.seed, step, batch, index),',
        instead: 'seed: rolloutSeed(config.seed, step, batch),',
      },
      {
        what: 'every step rates the same prompts',
        line: "uniformIndex(prompts.length, config.seed, 'pressure', step, index)",
        instead: "uniformIndex(prompts.length, config.seed, 'pressure', index)",
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/rzero/prompts.ts',
    tests: ITERATION,
    mutants: [
      {
        what: 'R-Zero asks without C_t, whoever is asked',
        line: "system: pack.render('system-question', { role, context }),",
        instead: "system: pack.render('system-question', { role, context: '' }),",
      },
      {
        what: 'the challenger is asked as a solver',
        line: "prompt(pack, 'proposer', pack.render(ASK, {}), context, ASK);",
        instead: "prompt(pack, 'solver', pack.render(ASK, {}), context, ASK);",
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/rzero/stages/challenge.ts',
    tests: ITERATION,
    mutants: [
      {
        what: 'the challenger asks without C_t',
        line: 'prompt: challengePrompt(pack, run.context.text),',
        instead: "prompt: challengePrompt(pack, ''),",
      },
      {
        what: 'challengers of every step have the same seeds',
        line: 'seed: rolloutSeed(run.config.seed, run.step, batch, index),',
        instead: 'seed: rolloutSeed(run.config.seed, batch, index),',
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/rzero/stages/solve.ts',
    tests: ITERATION,
    mutants: [
      {
        what: "R-Zero's solver is trained without C_t",
        line: 'prompt: solvePrompt(pack, questionOf(task), run.context.text),',
        instead: "prompt: solvePrompt(pack, questionOf(task), ''),",
      },
    ],
  },
  {
    file: 'electron/evolution/frameworks/rzero/voting.ts',
    tests: ITERATION,
    mutants: [
      {
        what: 'votes and labels are asked for without C_t',
        line: 'solvePrompt(env.pack, questionOf(task), run.context.text));',
        instead: "solvePrompt(env.pack, questionOf(task), ''));",
      },
      {
        what: 'all questions have the same votes of noise',
        line: "seed: rolloutSeed(seed, run.step, batch, index, 'estimate'),",
        instead: "seed: rolloutSeed(seed, run.step, batch, 'estimate'),",
      },
    ],
  },
  {
    file: 'electron/evolution/loop/requests.ts',
    tests: ['test/electron/evolution/prompt-limits.test.ts'],
    mutants: [
      {
        what: 'a prompt of exactly the limit is drawn again',
        line: '(tokens[index] ?? 0) > maxPromptTokens ||',
        instead: '(tokens[index] ?? 0) >= maxPromptTokens ||',
      },
      {
        what: 'the limit of the question alone is not kept',
        line: '(maxContentTokens !== null && (content[index] ?? 0) > maxContentTokens);',
        instead: 'false;',
      },
    ],
  },
  {
    file: 'electron/evolution/loop/generation-log.ts',
    tests: STEP,
    mutants: [
      {
        what: 'the system prompt is noted as it is recorded and not as it was sent',
        line: "system: messages?.find(({ role }) => role === 'system')?.content ?? null,",
        instead: 'system: null,',
      },
      {
        what: 'only the user of a prompt is hashed',
        line: '{ messages };',
        instead: "{ messages: messages.filter(({ role }) => role === 'user') };",
      },
    ],
  },
]);
