import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Failure,
  PHASES,
  runConfigSchema,
  type Phase,
  type ReviewRecord,
  type RunConfig,
  type StepCommit,
} from '../../contract/index.ts';
import {
  everyPhase,
  evolveStep,
  expectedItems,
  frameworkOf,
  policySettings,
  type RunState,
} from '../../evolution/index.ts';
import { loadGuidance, loadPromptPack } from '../../library/index.ts';
import type { WeightSet } from '../../models/index.ts';
import { firstContext, reviewerMaker, type Reviewer, type ReviewResult } from '../../supervision/index.ts';
import { resolveModel } from '../../models/index.ts';
import { keepProbe, policyKey, supervisorKey, type Probe } from './probes.ts';
import type { Services } from '../services.ts';
import { peakBytes } from '../../machine/index.ts';

/** Trained rollouts of a timed step: enough to fill the policy's rows a little, few enough to be over soon. */
const PROBE_ROLLOUTS = 24;
/** Reviews timed per phase. */
const PROBE_REVIEWS = 3;

export type ProbeOptions = {
  signal: AbortSignal;
  besides: number;
  onStage: (done: number, total: number) => void;
};

/**
 * Takes one real step of a small size with the chosen policy, sandbox and supervisor in a scratch folder, times it and throws it
 * away. Up to three reviews per phase are asked of the supervisor, on what the policy really wrote.
 * @throws Failure with the reason the run itself could not start, and the signal's reason on abort.
 */
export async function takeProbe(
  world: Services,
  wanted: RunConfig,
  { signal, besides, onStage }: ProbeOptions,
): Promise<Probe> {
  const config = probeConfig(wanted);
  const model = await resolveModel(
    world.store,
    world.resources,
    config.policy.model,
    'policy',
    world.clock.now(),
  );
  const reviewer = limited(await openReviewer(world, config));
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-probe-'));
  try {
    return await world.children.withTrainer('probe', config.policy.threads, async (trainer) => {
      signal.addEventListener('abort', () => void trainer.close(), { once: true });
      const policy = trainer.weights(
        policySettings(config, model.path),
        { kind: 'model', folder: model.path, version: 0 },
        () => {},
      );
      const { parameters } = await policy.load();
      signal.throwIfAborted();
      const { run, env } = await beginning(world, config, policy, signal, onStage);
      const commit = await evolveStep(frameworkOf(config.framework), run, {
        ...env,
        reviewer,
        checkpointFolder: () => join(scratch, 'checkpoint'),
        onProgress: (stage, done, total) => (stage === 'generate' ? onStage(done, total) : undefined),
        onRollout: () => {},
        onReview: () => {},
      });
      const probe = describe(config, commit, world, {
        parameters,
        memoryBytes: peakBytes(trainer.pid),
        besides,
      });
      keepProbe(world.store, probe);
      return probe;
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The same run, smaller, with every phase reviewed and nobody asked; names and limits that do not matter for time are left alone. */
function probeConfig(config: RunConfig): RunConfig {
  const supervision = { ...config.supervision };
  delete supervision.human; // nobody is asked: a person's time is not the machine's
  return runConfigSchema.parse({
    ...config,
    steps: 1,
    framework: frameworkOf(config.framework).scaledDown(config.framework, PROBE_ROLLOUTS),
    supervision: { ...supervision, phases: everyPhase(1), budgetSeconds: null, retry: 'record' },
  });
}

async function openReviewer(
  { store, resources, children, clock }: Services,
  config: RunConfig,
): Promise<Reviewer> {
  const { reviewer } = await reviewerMaker(config.supervision.reviewer).make(config, {
    pack: (name) => loadPromptPack(resources.prompts(name), name),
    findModel: (reference) => resolveModel(store, resources, reference, 'supervisor', clock.now()),
    openModel: (path, computing, contextTokens) => children.supervisor(path, computing, contextTokens),
  });
  return reviewer;
}

const PASSED_OVER: ReviewResult = {
  answer: null,
  problem: 'Enough of this phase was timed.',
  skipped: true,
  prompt: '',
  tokensIn: 0,
  tokensOut: 0,
  milliseconds: 0,
  attempts: 0,
};

/** The reviewer, asked only a few times per phase. */
function limited(reviewer: Reviewer): Reviewer {
  const asked = new Map<Phase, number>();
  return {
    kind: reviewer.kind,
    model: reviewer.model,
    concurrency: reviewer.concurrency,
    review: async (subject, signal) => {
      const { phase } = subject.item;
      const before = asked.get(phase) ?? 0;
      asked.set(phase, before + 1);
      return before >= PROBE_REVIEWS ? PASSED_OVER : reviewer.review(subject, signal);
    },
  };
}

async function beginning(
  world: Services,
  config: RunConfig,
  policy: WeightSet,
  signal: AbortSignal,
  onChecked: (done: number, total: number) => void,
) {
  const pack = loadPromptPack(world.resources.prompts(config.policy.promptPack), config.policy.promptPack);
  const guidance = loadGuidance(world.resources.prompts('compact'));
  const runner = await world.children.runner(config.sandbox);
  const countTokens = async (text: string): Promise<number> =>
    (await policy.countTokens([[{ role: 'system', content: text }]]))[0] ?? 0;
  const context = await firstContext({ config: config.supervision, vocabulary: guidance, pack, countTokens });
  const framework = frameworkOf(config.framework);
  const tasks = await framework.init(config, { seeds: world.seeds, runner, signal, onChecked });
  const run: RunState = { config, step: 1, context, state: framework.begin(config, tasks), previousHash: '' };
  const env = {
    // One process holds one set of weights here: a step is timed, not stored, so every role may ask the same.
    weights: () => policy,
    runner,
    pack,
    guidance,
    rewardedPrompts: world.rewardedPrompts(),
    clock: world.clock,
    signal,
  };
  return { run, env };
}

function describe(
  config: RunConfig,
  { step, rollouts, reviews, checkpoint }: StepCommit,
  world: Services,
  found: Pick<Probe, 'parameters' | 'memoryBytes' | 'besides'>,
): Probe {
  const trained = rollouts.filter(({ purpose }) => purpose !== 'estimate');
  const estimates = rollouts.length - trained.length;
  const { mostEstimates } = expectedItems(frameworkOf(config.framework), config, world.rewardedPrompts());
  const share = (part: 'plan' | 'thought'): number =>
    trained.filter((rollout) => (rollout[part] ?? '').trim() !== '').length / Math.max(1, trained.length);
  return {
    at: world.clock.now().toISOString(),
    policy: policyKey(config),
    supervisor: supervisorKey(config),
    seconds: (step.timings['step'] ?? 0) - (step.timings['supervise_wait'] ?? 0),
    trained: trained.length,
    estimates,
    newTokens: rollouts.reduce((sum, { newTokens }) => sum + newTokens, 0),
    plans: share('plan'),
    thoughts: share('thought'),
    validity: mostEstimates === 0 ? 0 : estimates / mostEstimates,
    reviews: timesOf(reviews),
    checkpointBytes: checkpoint?.bytes ?? null,
    ...found,
  };
}

function timesOf(reviews: readonly ReviewRecord[]): Probe['reviews'] {
  return Object.fromEntries(
    PHASES.flatMap((phase) => {
      const times = reviews
        .filter(
          (review) =>
            review.phase === phase && review.status !== 'skipped-by-budget' && review.status !== 'failed',
        )
        .map(({ milliseconds }) => milliseconds / 1000)
        .sort((a, b) => a - b);
      const middle = times[Math.floor(times.length / 2)];
      return middle === undefined ? [] : [[phase, { seconds: middle, n: times.length }]];
    }),
  );
}

/** For whoever asks for a probe while one is under way. */
export const probeUnderWay = (): Failure =>
  new Failure('probeUnderWay', 'A step is being timed already; wait for it, or cancel it.', 2);
