import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  everyPhase,
  PHASES,
  runConfigSchema,
  type Phase,
  type ReviewRecord,
  type RunConfig,
  type StepCommit,
} from '../contract/index.ts';
import {
  contextItem,
  evolveStep,
  expectedItems,
  frameworkOf,
  openCheckers,
  roleSettings,
  type CheckerProcesses,
  type RoleName,
  type RunState,
  type SeedRecord,
} from '../evolution/index.ts';
import { type MemoryPlan, type WeightSet, resolveModel, type Trainer } from '../models/index.ts';
import { firstContext, reviewerMaker, type Reviewer, type ReviewResult } from '../supervision/index.ts';
import { keepProbe, policyKey, supervisorKey, type Probe } from './probes.ts';
import { peakBytes, type ResourceMeter } from '../machine/index.ts';
import { promptTexts } from '../library/index.ts';
import { reviewerTools, type SupervisorServices } from '../reviewing/index.ts';
import type { PaceServices } from './paces.ts';

/** Trained rollouts of a timed step: enough to fill the policy's rows a little, few enough to be over soon. */
const PROBE_ROLLOUTS = 24;
/** What the meter and the trainer's process know the step by: it is of no run. */
const PROBE = 'probe';
/** Reviews timed per phase. */
const PROBE_REVIEWS = 3;

export type ProbeServices = SupervisorServices &
  PaceServices & {
    children: CheckerProcesses & {
      withTrainer: <T>(purpose: string, threads: number, use: (trainer: Trainer) => Promise<T>) => Promise<T>;
    };
    seeds: () => readonly SeedRecord[];
    meter: Pick<ResourceMeter, 'begin' | 'loadBeside' | 'end'>;
  };

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
  services: ProbeServices,
  wanted: RunConfig,
  { signal, besides, onStage }: ProbeOptions,
): Promise<Probe> {
  const config = probeConfig(wanted);
  const model = await policyOf(services, config);
  const maker = reviewerMaker(config.supervision.reviewer);
  const reviewer = limited((await maker.make(config, reviewerTools(services))).reviewer);
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-probe-'));
  services.meter.begin(PROBE);
  try {
    return await services.children.withTrainer(PROBE, config.policy.threads, async (trainer) => {
      signal.addEventListener('abort', () => void trainer.close(), { once: true });
      const sets = roleSettings(frameworkOf(config.framework), config, model.path);
      const opened = new Map<RoleName, WeightSet>();
      let parameters = 0;
      for (const { name, settings } of sets) {
        const point = { kind: 'model', folder: model.path, version: 0 } as const;
        const weights = trainer.weights(settings, point, () => {}, name);
        ({ parameters } = await weights.load(sets.filter((other) => other.name !== name)));
        opened.set(name, weights);
        signal.throwIfAborted();
      }
      const { run, env } = await beginning(services, config, opened, signal, onStage);
      const commit = await evolveStep(frameworkOf(config.framework), run, {
        ...env,
        reviewer,
        checkpointFolder: () => join(scratch, 'checkpoint'),
        onProgress: (stage, done, total) => (stage === 'generate' ? onStage(done, total) : undefined),
        onRollout: () => {},
        onReview: () => {},
      });
      const probe = describe(config, commit, services, {
        parameters,
        memoryBytes: peakBytes(trainer.pid),
        besides,
        load: services.meter.loadBeside(PROBE),
      });
      keepProbe(services.store, probe);
      return probe;
    });
  } finally {
    services.meter.end(PROBE);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What a run would take of this machine's memory, phase by phase, as its trainer reckons before it loads anything. */
export async function planMemory(services: ProbeServices, config: RunConfig): Promise<MemoryPlan> {
  const { path } = await policyOf(services, config);
  return services.children.withTrainer('plan', 1, (trainer) =>
    trainer.plan(roleSettings(frameworkOf(config.framework), config, path)),
  );
}

export const policyOf = (
  { store, resources, clock }: ProbeServices,
  { policy }: RunConfig,
): ReturnType<typeof resolveModel> => resolveModel(store, resources, policy.model, 'policy', clock.now());

/** The same run, smaller, with every phase reviewed and nobody asked; names and limits that do not matter for time are left alone. */
function probeConfig(config: RunConfig): RunConfig {
  const supervision = { ...config.supervision };
  delete supervision.human; // nobody is asked: a person's time is not the machine's
  return runConfigSchema.parse({
    ...config,
    steps: 1,
    framework: frameworkOf(config.framework).scaledDown(config.framework, PROBE_ROLLOUTS),
    // Its one checkpoint has the moments: what those take that leave them out is reckoned from it.
    checkpoints: { keepEvery: 0 },
    // So few plans are drawn that none may have a program to be compared with; what asking about one takes has to be known all the same.
    supervision: {
      ...supervision,
      phases: everyPhase(1),
      budgetSeconds: null,
      retry: 'record',
      nothingToCompare: 'ask',
    },
  });
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

/** The reviewer as it is, asked only a few times per phase. */
export function limited(reviewer: Reviewer): Reviewer {
  const asked = new Map<Phase, number>();
  const { kind, model, concurrency, gateSeed, countsUsefulTime } = reviewer;
  return {
    kind,
    model,
    concurrency,
    ...(gateSeed === undefined ? {} : { gateSeed }),
    ...(countsUsefulTime === undefined ? {} : { countsUsefulTime }),
    review: async (subject, signal, onShared) => {
      const { phase } = subject.item;
      const before = asked.get(phase) ?? 0;
      asked.set(phase, before + 1);
      return before >= PROBE_REVIEWS ? PASSED_OVER : reviewer.review(subject, signal, onShared);
    },
  };
}

async function beginning(
  services: ProbeServices,
  config: RunConfig,
  weights: ReadonlyMap<RoleName, WeightSet>,
  signal: AbortSignal,
  onChecked: (done: number, total: number) => void,
) {
  const { pack, guidance } = promptTexts(services.resources, config.policy.promptPack);
  const checkers = await openCheckers(services.children, config);
  const framework = frameworkOf(config.framework);
  const [first] = framework.roles(config.framework);
  const policy = weights.get(first) as WeightSet;
  const countTokens = async (text: string): Promise<number> =>
    (await policy.countTokens([contextItem(pack, text)]))[0] ?? 0;
  const context = await firstContext({ config: config.supervision, vocabulary: guidance, pack, countTokens });
  const tasks = await framework.init(config, { ...checkers, seeds: services.seeds, signal, onChecked });
  const run: RunState = { config, step: 1, context, state: framework.begin(config, tasks), previousHash: '' };
  const env = {
    weights: (role: RoleName) => weights.get(role) ?? policy,
    ...checkers,
    pack,
    guidance,
    rewardedPrompts: services.rewardedPrompts(),
    clock: services.clock,
    signal,
  };
  return { run, env };
}

function describe(
  config: RunConfig,
  { step, rollouts, reviews, checkpoint }: StepCommit,
  services: ProbeServices,
  found: Pick<Probe, 'parameters' | 'memoryBytes' | 'besides' | 'load'>,
): Probe {
  const trained = rollouts.filter(({ purpose }) => purpose !== 'estimate');
  const estimates = rollouts.length - trained.length;
  const { mostEstimates } = expectedItems(frameworkOf(config.framework), config, services.rewardedPrompts());
  const share = (part: 'plan' | 'thought'): number =>
    trained.filter((rollout) => (rollout[part] ?? '').trim() !== '').length / Math.max(1, trained.length);
  return {
    at: services.clock.now().toISOString(),
    policy: policyKey(config),
    supervisor: supervisorKey(config),
    seconds: (step.timings['step'] ?? 0) - (step.timings['supervise_wait'] ?? 0),
    trained: trained.length,
    estimates,
    parts: {
      gen: step.timings['gen'] ?? 0,
      estimate: step.timings['estimate'] ?? 0,
      update: (step.timings['update_actor'] ?? 0) + (step.timings['save_checkpoint'] ?? 0),
    },
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
