import { z } from 'zod';
import { batchName, isRated, type CodeTaskType } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { Framework, Redraw } from '../framework.ts';
import type { RunInProgress } from '../in-progress.ts';
import { planSolution, type PlannedRollout } from '../stages/planned-rollout.ts';
import { seedTasks } from './pool/seeds.ts';
import { literalStyleOf, proposalPrompt } from './prompts.ts';
import { definitionOf } from './task-types/registry.ts';

/**
 * Absolute Zero Reasoner: in every step the policy proposes tasks of each type and solves those it proposed in the step before
 * (azr_ray_trainer.py:fit); nothing but seeds comes from outside.
 */
export const azr: Framework = {
  name: 'azr',
  settings: z.strictObject({}),
  begin: async ({ azr: { taskTypes }, policy }, { seeds }) =>
    seedTasks(seeds(), literalStyleOf(policy.promptPack), taskTypes),
  batches: ({ azr: { taskTypes, batchSize } }) =>
    (['propose', 'solve'] as const).flatMap((purpose) =>
      taskTypes.map((taskType) => ({ purpose, taskType, size: batchSize })),
    ),
  draw(run, pack) {
    return azr
      .batches(run.config)
      .flatMap(({ purpose, taskType, size }) =>
        purpose === 'propose'
          ? Array.from({ length: size }, (_, index) => planProposal(run, pack, taskType, index, FIRST))
          : run.buffers
              .chooseTasks(taskType, size, run.step, run.config.seed, 'tasks', run.step, taskType)
              .map((task, index) => planSolution(run, pack, { ...task, taskType }, index)),
      );
  },
  drawAgain(run, pack, entry, redraw) {
    const { taskType, index, purpose } = entry;
    if (isRated(taskType)) return entry;
    if (purpose === 'propose') return planProposal(run, pack, taskType, index, redraw);
    // The newest tasks may all be too long; two steps ahead nothing is new, so the whole buffer is drawn from.
    const step = redraw.lastResort ? run.step + 2 : run.step;
    const [task] = run.buffers.chooseTasks(
      taskType,
      1,
      step,
      run.config.seed,
      'tasks',
      run.step,
      taskType,
      'redraw',
      index,
      redraw.number,
    );
    return task === undefined ? entry : planSolution(run, pack, { ...task, taskType }, index);
  },
};

const FIRST: Redraw = { number: 0, lastResort: false };

/** The references may be what makes a prompt too long, so the last resort is to show none. */
function planProposal(
  run: RunInProgress,
  pack: PromptPack,
  taskType: CodeTaskType,
  index: number,
  redraw: Redraw,
): PlannedRollout {
  const { config, step, buffers, context } = run;
  const basis = definitionOf(taskType).drawBasis(buffers, {
    seed: config.seed,
    path: ['references', step, taskType, index, redraw.number],
    references: !redraw.lastResort,
  });
  const batch = batchName('propose', taskType);
  return {
    id: `${step}/${batch}/${index}`,
    batch,
    index,
    purpose: 'propose',
    role: 'proposer',
    taskType,
    attempt: 1,
    task: null,
    ...basis,
    group: null,
    prompt: proposalPrompt(pack, { ...config.azr, taskType, ...basis }, context.text),
    seed: rolloutSeed(config.seed, step, batch, index),
  };
}
