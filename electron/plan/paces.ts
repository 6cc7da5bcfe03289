import {
  hasMoments,
  type MachineLoad,
  PHASES,
  type Phase,
  type RunConfig,
  type RunRecord,
  type RewardedPrompt,
} from '../contract/index.ts';
import { type ExpectedItems, expectedItems, frameworkOf } from '../evolution/index.ts';
import type { ReviewPace, Lab } from '../store/index.ts';
import { reviewerMaker } from '../supervision/index.ts';
import { policyKey, probesOf, sameKey, supervisorKey } from './probes.ts';

/** A number with where it comes from. `rule`: from sizes alone, nothing was timed. */
export type Quantity = {
  value: number;
  source: 'measured' | 'estimated';
  from:
    | { kind: 'run'; runId: string; name: string }
    | { kind: 'probe' }
    | { kind: 'judge-probe' }
    | { kind: 'test-load' }
    | { kind: 'rule' };
  /** When it was measured; null for a rule. */
  at: string | null;
  /** Observations behind it: steps or reviews. */
  n: number;
  /** How busy the machine was with everything else meanwhile; null where nobody looked, or nothing was timed. */
  load: MachineLoad | null;
};

/** What was measured before is looked up in these. */
export type PaceServices = { store: Lab; rewardedPrompts: () => readonly RewardedPrompt[] };

/** Runs looked through for one that was like this: the newest ones tell most about the machine as it is. */
const RUNS_LOOKED_AT = 60;

/** Seconds of an unreviewed step of the planned size, and what they rest on. `exact`: timed at just these sizes. */
export type StepPace = Pick<Quantity, 'from' | 'at' | 'load'> & {
  seconds: number;
  exact: boolean;
  steps: number;
  plans: number;
  thoughts: number;
  checkpointBytes: number | null;
  memoryBytes: number | null;
  parameters: number | null;
};

type Timed = Omit<StepPace, 'seconds' | 'exact'> & {
  seconds: number;
  rollouts: number;
  /** Estimates made of those that could have been. */ validity: number;
  sizes: string;
};

/** Everything that changes what a step does, supervision apart. */
export function sizesOf({
  generation,
  train,
  rewardedPrompts,
  policy,
  sandbox,
  framework,
}: RunConfig): string {
  const { promptPack, device, threads, maxConcurrent, model } = policy;
  return JSON.stringify([
    framework.name,
    model,
    promptPack,
    device,
    threads,
    maxConcurrent,
    sandbox.workers,
    ...frameworkOf(framework).workload(framework),
    generation.maxPromptTokens,
    generation.maxNewTokens,
    train.epochs,
    train.miniBatch,
    train.kl !== null,
    rewardedPrompts.share,
    rewardedPrompts.samplesPerPrompt,
  ]);
}

/** From a run with just these sizes; else the newer of a timed step and a run with the same policy, scaled by rollouts. Null when this policy was never at work here. */
export function stepPace(
  services: PaceServices,
  config: RunConfig,
  expected: ExpectedItems,
): StepPace | null {
  const wanted = sizesOf(config);
  const runs = likeRuns(services.store, (run) => sameKey(policyKey(run.config), policyKey(config)));
  const timed = [...runs.flatMap((run) => timedRun(services, run)), ...timedProbes(services, config)].sort(
    (a, b) => (b.at ?? '').localeCompare(a.at ?? ''),
  );
  const exact = timed.find(({ sizes }) => sizes === wanted);
  const basis = exact ?? timed[0];
  if (basis === undefined) return null;
  const rollouts = expected.trained + expected.mostEstimates * basis.validity;
  return {
    ...basis,
    exact: exact !== undefined,
    seconds: exact === undefined ? basis.seconds * (rollouts / Math.max(1, basis.rollouts)) : basis.seconds,
  };
}

function timedRun({ store, rewardedPrompts }: PaceServices, run: RunRecord): Timed[] {
  const pace = store.runPace(run.id);
  if (pace === null) return [];
  const { mostEstimates } = expectedItems(frameworkOf(run.config.framework), run.config, rewardedPrompts());
  return [
    {
      from: { kind: 'run', runId: run.id, name: run.config.name },
      at: pace.finishedAt,
      load: pace.load,
      steps: pace.steps,
      seconds: pace.seconds,
      plans: pace.plans,
      thoughts: pace.thoughts,
      rollouts: pace.trained + pace.estimates,
      validity: mostEstimates === 0 ? 0 : pace.estimates / mostEstimates,
      sizes: sizesOf(run.config),
      // Not checkpoint 0, which is a whole model also where a step saves an adapter.
      checkpointBytes:
        store.listCheckpoints(run.id).findLast((one) => one.step > 0 && hasMoments(one))?.bytes ?? null,
      memoryBytes: null,
      parameters: null,
    },
  ];
}

function timedProbes({ store }: PaceServices, config: RunConfig): Timed[] {
  return probesOf(store)
    .filter((probe) => sameKey(probe.policy, policyKey(config)))
    .map((probe): Timed => ({
      from: { kind: 'probe' },
      at: probe.at,
      load: probe.load ?? null,
      steps: 1,
      seconds: probe.seconds,
      plans: probe.plans,
      thoughts: probe.thoughts,
      rollouts: probe.trained + probe.estimates,
      validity: probe.validity,
      sizes: '',
      checkpointBytes: probe.checkpointBytes,
      memoryBytes: probe.memoryBytes,
      parameters: probe.parameters,
    }));
}

/**
 * Seconds per review by phase, each from the newest run or timed step in which this supervisor reviewed it. A phase that nobody timed
 * goes by the mean of the others and is called estimated. Where none was timed, the last probe of this judge says how long its reviews take.
 */
export function supervisorPace(store: Lab, config: RunConfig): Partial<Record<Phase, Quantity>> {
  const key = supervisorKey(config);
  const sha256 = supervisorSha256Of(store, config);
  const runs = likeRuns(store, (other) => isSameSupervisor(other, config, sha256));
  const timed: (Pick<Quantity, 'from'> & { pace: ReviewPace; at: string; load?: MachineLoad | null })[] = [
    ...runs.map((run) => ({
      pace: store.reviewPace(run.id),
      from: { kind: 'run' as const, runId: run.id, name: run.config.name },
      at: store.getStep(run.id, run.committedSteps)?.finishedAt ?? run.createdAt,
    })),
    ...probesOf(store)
      .filter((other) => sameKey(other.supervisor, key))
      .map(({ reviews, at, load = null }) => ({ pace: reviews, from: { kind: 'probe' as const }, at, load })),
  ]
    .filter(({ pace }) => Object.keys(pace).length > 0)
    .sort((a, b) => b.at.localeCompare(a.at));
  const loadOf = ({ from, load = null }: (typeof timed)[number]): MachineLoad | null =>
    from.kind === 'run' ? store.runLoad(from.runId) : load;
  const found = new Map(
    PHASES.flatMap((phase): [Phase, Quantity][] => {
      const newest = timed.find(({ pace }) => pace[phase] !== undefined);
      const own = newest?.pace[phase];
      return newest === undefined || own === undefined
        ? []
        : [
            [
              phase,
              {
                value: own.seconds,
                source: 'measured',
                from: newest.from,
                at: newest.at,
                n: own.n,
                load: loadOf(newest),
              },
            ],
          ];
    }),
  );
  const [first] = timed;
  if (first === undefined) return judgePace(store, sha256);
  const mean = [...found.values()].reduce((sum, { value }) => sum + value, 0) / found.size;
  return Object.fromEntries(
    PHASES.map((phase) => [
      phase,
      found.get(phase) ?? {
        value: mean,
        source: 'estimated',
        from: first.from,
        at: first.at,
        n: 0,
        load: loadOf(first),
      },
    ]),
  );
}

/**
 * Share of its supervisor's work that the newest run of these sizes and with this supervisor waited for, 0 to 1; the rest was hidden
 * behind everything else. What a person took to answer is none of it, so runs that asked one tell nothing. Null where there is none.
 */
export function waitedShare(store: Lab, config: RunConfig): Quantity | null {
  const wanted = sizesOf(config);
  const sha256 = supervisorSha256Of(store, config);
  const isLike = (other: RunRecord): boolean =>
    sizesOf(other.config) === wanted && sameKey(policyKey(other.config), policyKey(config));
  for (const run of likeRuns(store, isLike)) {
    const { supervision } = run.config;
    const isReviewed = PHASES.some((phase) => supervision.phases[phase] > 0);
    if (!isReviewed || (supervision.human?.share ?? 0) > 0 || !isSameSupervisor(run, config, sha256))
      continue;
    const pace = store.runPace(run.id);
    if (pace === null || pace.supervising <= 0) continue;
    return {
      value: Math.min(1, pace.waiting / pace.supervising),
      source: 'measured',
      from: { kind: 'run', runId: run.id, name: run.config.name },
      at: pace.finishedAt,
      n: pace.steps,
      load: pace.load,
    };
  }
  return null;
}

/** Of the model that a plan asks for reviews, as far as the library knows it; null where none is asked. */
function supervisorSha256Of(store: Lab, { supervision }: RunConfig): string | null {
  if (reviewerMaker(supervision.reviewer).usesModel !== true) return null;
  const model =
    store.getModel(supervision.model) ?? store.listModels().find(({ path }) => path === supervision.model);
  return model?.sha256 ?? null;
}

/** A model is the same by what its file holds, whatever it is called; by its name where nobody knows what it holds. */
function isSameSupervisor(run: RunRecord, config: RunConfig, sha256: string | null): boolean {
  const [own, wanted] = [supervisorKey(run.config), supervisorKey(config)];
  if (sha256 === null || run.supervisorSha256 === null) return sameKey(own, wanted);
  return run.supervisorSha256 === sha256 && sameKey({ ...own, model: '' }, { ...wanted, model: '' });
}

/** Of some items everything is computed and nothing is asked; a probe that counted them by phase says what an item costs on the whole. */
function judgePace(store: Lab, sha256: string | null): Partial<Record<Phase, Quantity>> {
  const probe = sha256 === null ? null : store.lastJudgeProbe(sha256);
  const results = probe?.results ?? null;
  if (probe === null || results?.seconds == null) return {};
  const { mean, n } = results.seconds;
  const byPhase = new Map(results.pace?.map((one) => [one.phase, one]));
  return Object.fromEntries(
    PHASES.map((phase) => {
      const own = byPhase.get(phase);
      const each: Quantity = {
        value: own?.seconds ?? mean,
        source: 'measured',
        from: { kind: 'judge-probe' },
        at: probe.finishedAt,
        n: own?.n ?? n,
        load: null,
      };
      return [phase, each];
    }),
  );
}

/** Newest first. */
export function likeRuns(store: Lab, like: (run: RunRecord) => boolean): RunRecord[] {
  return store
    .listRuns({}, { limit: RUNS_LOOKED_AT })
    .rows.filter((run) => run.committedSteps > 0 && like(run));
}
