import type { RzeroConfig } from '../../../contract/index.ts';

/** The stages of an iteration in their order: the challenger's training, questions, labels, the solver's training. */
export const STAGE_NAMES = ['challenge', 'pose', 'label', 'solve'] as const;
export type StageName = (typeof STAGE_NAMES)[number];

export type Place = {
  stage: StageName;
  /** From 1. */
  iteration: number;
  /** Which step of its stage within the iteration, from 1. */
  stageStep: number;
  /** Steps that trained challenger or solver up to this one, itself included. */
  globalStep: number;
};

type Sizes = {
  challenge: Pick<RzeroConfig['challenge'], 'steps'>;
  pose: Pick<RzeroConfig['pose'], 'questions' | 'perStep'>;
  solve: Pick<RzeroConfig['solve'], 'steps'>;
};

/** Steps of each stage in one iteration. Labels take as many as questions did, since a part of the questions is labelled at a time. */
export function stageLengths({ challenge, pose, solve }: Sizes): Record<StageName, number> {
  const parts = Math.ceil(pose.questions / pose.perStep);
  return { challenge: challenge.steps, pose: parts, label: parts, solve: solve.steps };
}

/** Steps of one iteration. */
export const iterationLength = (sizes: Sizes): number =>
  Object.values(stageLengths(sizes)).reduce((sum, steps) => sum + steps, 0);

/** Where a step stands; steps count from 1. */
export function placeOf(sizes: Sizes, step: number): Place {
  const lengths = stageLengths(sizes);
  const length = iterationLength(sizes);
  const iteration = Math.ceil(step / length);
  let left = step - (iteration - 1) * length;
  const learning = lengths.challenge + lengths.solve;
  let trained = (iteration - 1) * learning;
  for (const stage of STAGE_NAMES) {
    const isLearning = stage === 'challenge' || stage === 'solve';
    if (left <= lengths[stage])
      return { stage, iteration, stageStep: left, globalStep: trained + (isLearning ? left : 0) };
    left -= lengths[stage];
    if (isLearning) trained += lengths[stage];
  }
  throw new RangeError(`Step ${step} belongs to no stage.`);
}
