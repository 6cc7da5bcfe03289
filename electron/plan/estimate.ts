import { statfsSync } from 'node:fs';
import { availableParallelism, freemem, totalmem } from 'node:os';
import {
  footprintOf,
  isWordedByModel,
  PHASES,
  trainSpecOf,
  type Phase,
  type RunConfig,
} from '../contract/index.ts';
import { expectedItems, frameworkOf, roleSettings, type ExpectedItems } from '../evolution/index.ts';
import { reviewingBytes, trainingBytes } from '../library/index.ts';
import { probeOf } from '../machine/index.ts';
import { reviewerMaker } from '../supervision/index.ts';
import { meanStage, plannedStages, type PlannedStage } from './stage-paces.ts';
import {
  stepPace,
  supervisorPace,
  waitedShare,
  type Quantity,
  type StepPace,
  type PaceServices,
} from './paces.ts';

export type RunEstimate = ExpectedItems & {
  /** Share of responses that had a plan, and a thought, where this policy was watched before; null before. */
  plans: Quantity | null;
  thoughts: Quantity | null;
  /** Seconds one review takes, by phase. */
  reviewSeconds: Record<Phase, Quantity | null>;
  /** Seconds of a step that nobody reviews; of several stages the mean. */
  stepSeconds: Quantity | null;
  /** The stages of its schedule, each at a price of its own; empty for a framework of one stage. */
  stages: PlannedStage[];
  /** Share of its supervisor's work that the last run of this kind waited for. */
  waited: Quantity | null;
  /** Bytes of the checkpoint of a step, and how many checkpoints are kept at the end. */
  checkpointBytes: Quantity | null;
  checkpointsKept: number;
  /** Bytes of checkpoint 0, which is the whole model also where the others are an adapter. */
  firstCheckpointBytes: number | null;
  /** Bytes of memory by what takes them. */
  memory: { trainer: Quantity | null; supervisor: Quantity | null; totalBytes: number; freeBytes: number };
  freeDiskBytes: number;
  cores: number;
};

/** What a run of this configuration would need, from what this lab has measured and, where it has not, from sizes. */
export function estimateRun(
  services: PaceServices & { lab: { root: string } },
  config: RunConfig,
): RunEstimate {
  const expected = expectedItems(frameworkOf(config.framework), config, services.rewardedPrompts());
  const pace = stepPace(services, config, expected);
  const stages = plannedStages(services, config);
  const reviews = supervisorPace(services.store, config);
  const rule = (value: number): Quantity => ({
    value,
    source: 'estimated',
    from: { kind: 'rule' },
    at: null,
    n: 0,
    load: null,
  });
  const footprint = (count: number): ReturnType<typeof footprintOf> =>
    footprintOf(trainSpecOf(config.train), count);
  const parameters = services.store.getModel(config.policy.model)?.parameters ?? pace?.parameters ?? null;
  const kept = keptCheckpoints(config);
  // Of those that are kept, on average: some leave the optimizer's moments to others.
  const share = sharedAmong(kept, footprint(parameters ?? 1));
  const checkpointBytes =
    pace?.checkpointBytes != null
      ? quantity(pace, pace.checkpointBytes * share, share === 1 ? 'measured' : 'estimated')
      : parameters === null
        ? null
        : rule(footprint(parameters).checkpoint * share);
  const { bavail, bsize } = statfsSync(services.lab.root);
  return {
    ...expected,
    plans: pace === null ? null : quantity(pace, pace.plans, 'measured'),
    thoughts: pace === null ? null : quantity(pace, pace.thoughts, 'measured'),
    reviewSeconds: Object.fromEntries(
      PHASES.map((phase) => [phase, reviews[phase] ?? null]),
    ) as RunEstimate['reviewSeconds'],
    stages,
    stepSeconds:
      stages.length > 0
        ? meanStage(stages)
        : pace === null
          ? null
          : { ...quantity(pace, pace.seconds, pace.exact ? 'measured' : 'estimated'), load: pace.load },
    waited: waitedShare(services.store, config),
    checkpointBytes,
    checkpointsKept: kept.all,
    firstCheckpointBytes:
      config.train.lora === undefined
        ? checkpointBytes && checkpointBytes.value / share
        : parameters === null
          ? null
          : footprint(parameters).firstCheckpoint,
    memory: {
      trainer:
        pace?.memoryBytes != null
          ? quantity(pace, pace.memoryBytes, 'measured')
          : parameters === null
            ? null
            : rule(trainerBytes(config, parameters)),
      supervisor: supervisorBytes(services, config, rule),
      totalBytes: totalmem(),
      freeBytes: freemem(),
    },
    freeDiskBytes: bavail * bsize,
    cores: availableParallelism(),
  };
}

/** A number that has nothing to do with how busy the machine was; a time is given its load by whoever asks for it. */
function quantity({ from, at, steps }: StepPace, value: number, source: Quantity['source']): Quantity {
  return { value, source, from, at, n: steps, load: null };
}

/** Of all weights that a run has, by a rule of thumb. */
function trainerBytes(config: RunConfig, parameters: number): number {
  const sets = roleSettings(frameworkOf(config.framework), config, config.policy.model);
  // The model under an adapter is a reference that takes nothing.
  const references = sets.filter(
    ({ settings: { train } }) =>
      train.kl !== null && (train.lora === undefined || train.kl.reference === 'stage'),
  );
  // Of those that are in memory one at a time, the largest.
  const isAlone = config.policy.offload === 'always';
  const atOnce = (count: number): number => (isAlone ? Math.min(1, count) : count);
  return trainingBytes(trainSpecOf(config.train), parameters, atOnce(sets.length), atOnce(references.length));
}

function supervisorBytes(
  { store }: PaceServices,
  config: RunConfig,
  rule: (value: number) => Quantity,
): Quantity | null {
  const { supervision } = config;
  if (reviewerMaker(supervision.reviewer).usesModel !== true && !isWordedByModel(supervision)) return rule(0);
  const model = store.getModel(supervision.model);
  if (model === null) return null;
  const loaded = probeOf(store, model.sha256);
  if (loaded?.memoryBytes == null) return rule(reviewingBytes(model.bytes));
  const { memoryBytes: value, at } = loaded;
  return { value, source: 'measured', from: { kind: 'test-load' }, at, n: 1, load: null };
}

/** Checkpoints of which some have the optimizer's moments and the others go on from those. */
type Kept = { all: number; withMoments: number };

/** What the run's folder holds at its end: the first, every k-th, the newest two, and those whose moments one of these needs. */
export function keptCheckpoints({
  steps,
  checkpoints: { keepEvery, optimizerEvery = 1 },
}: Pick<RunConfig, 'steps' | 'checkpoints'>): Kept {
  const kept = new Set([0, steps - 1, steps].filter((step) => step >= 0));
  if (keepEvery > 0) for (let step = keepEvery; step <= steps; step += keepEvery) kept.add(step);
  const moments = new Set([...kept].map((step) => step - (step % optimizerEvery)));
  return { all: new Set([...kept, ...moments]).size, withMoments: moments.size };
}

/** What one of them takes on average, as a part of one that has moments. */
const sharedAmong = (
  { all, withMoments }: Kept,
  { checkpoint, withoutMoments }: ReturnType<typeof footprintOf>,
): number => (withMoments + ((all - withMoments) * withoutMoments) / checkpoint) / all;
