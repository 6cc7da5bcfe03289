import { isDeepStrictEqual } from 'node:util';
import type { RunConfig } from '../contract/index.ts';
import { expectedStages, frameworkOf, type ExpectedStage } from '../evolution/index.ts';
import type { StagePace } from '../store/index.ts';
import { likeRuns, sizesOf, type PaceServices, type Quantity } from './paces.ts';
import { policyKey, probesOf, sameKey, type Probe } from './probes.ts';

/** A stage of a planned run, and what one of its steps takes that nobody reviews; null where nothing like it was timed. */
export type PlannedStage = ExpectedStage & { seconds: Quantity | null };

/** What one response, measurement and trained response take, from whatever was timed; null for what was not. */
type Rates = { gen: number | null; estimate: number | null; update: number | null };

type Timed = Pick<Quantity, 'from' | 'at' | 'load'> & {
  rates: Rates;
  stages: readonly StagePace[];
  sizes: string;
};

/**
 * Each stage of a schedule at a price of its own. A stage that a run with the same policy went through costs what it did there, in
 * proportion to its responses; another one what its parts cost elsewhere: writing, measuring and updating are timed apart.
 */
export function plannedStages(services: PaceServices, config: RunConfig): PlannedStage[] {
  const expected = expectedStages(frameworkOf(config.framework), config, services.rewardedPrompts());
  if (expected.length === 0) return [];
  const timed = [...timedRuns(services, config), ...timedProbes(services, config)].sort((a, b) =>
    (b.at ?? '').localeCompare(a.at ?? ''),
  );
  const wanted = sizesOf(config);
  return expected.map((stage) => ({ ...stage, seconds: secondsOf(stage, timed, wanted) }));
}

function secondsOf(stage: ExpectedStage, timed: readonly Timed[], wanted: string): Quantity | null {
  const known = timed.flatMap(({ stages, ...source }) =>
    stages.flatMap((pace) => (pace.stage === stage.stage ? [{ pace, source }] : [])),
  );
  const basis = known.find(({ source }) => source.sizes === wanted) ?? known[0];
  if (basis !== undefined) {
    const { pace, source } = basis;
    const did = pace.generated + pace.measured;
    const isExact = source.sizes === wanted;
    const share = isExact || did === 0 ? 1 : (stage.generated + stage.measured) / did;
    return {
      value: pace.seconds * share,
      source: isExact ? 'measured' : 'estimated',
      from: source.from,
      at: source.at,
      n: pace.steps,
      load: source.load,
    };
  }
  for (const { rates, from, at, load } of timed) {
    const parts = [
      [stage.generated, rates.gen],
      [stage.measured, rates.estimate],
      [stage.trains ? stage.generated : 0, rates.update],
    ] as const;
    if (parts.some(([count, rate]) => count > 0 && rate === null)) continue;
    const value = parts.reduce((sum, [count, rate]) => sum + count * (rate ?? 0), 0);
    return { value, source: 'estimated', from, at, n: 0, load };
  }
  return null;
}

function timedRuns({ store }: PaceServices, config: RunConfig): Timed[] {
  return likeRuns(store, (run) => sameKey(policyKey(run.config), policyKey(config))).map((run) => {
    const stages = store.stagePaces(run.id);
    return {
      from: { kind: 'run', runId: run.id, name: run.config.name },
      at: stages.reduce<string | null>(
        (latest, { finishedAt }) => (latest === null || finishedAt > latest ? finishedAt : latest),
        null,
      ),
      load: store.runLoad(run.id),
      stages,
      rates: ratesOf(stages),
      sizes: sizesOf(run.config),
    };
  });
}

const timedProbes = ({ store }: PaceServices, config: RunConfig): Timed[] =>
  probesOf(store)
    .filter((probe) => sameKey(probe.policy, policyKey(config)))
    .map((probe) => ({
      from: { kind: 'probe' },
      at: probe.at,
      load: probe.load ?? null,
      stages: [],
      rates: probeRates(probe),
      sizes: '',
    }));

function ratesOf(stages: readonly StagePace[]): Rates {
  const sum = (of: (pace: StagePace) => number): number =>
    stages.reduce((all, pace) => all + pace.steps * of(pace), 0);
  return {
    gen: rate(
      sum(({ gen }) => gen),
      sum(({ generated }) => generated),
    ),
    estimate: rate(
      sum(({ estimate, measured }) => (measured > 0 ? estimate : 0)),
      sum(({ measured }) => measured),
    ),
    update: rate(
      sum(({ update }) => update),
      sum(({ generated, trains }) => generated * trains),
    ),
  };
}

const probeRates = ({ parts, trained, estimates }: Probe): Rates =>
  parts === undefined
    ? { gen: null, estimate: null, update: null }
    : {
        gen: rate(parts.gen, trained),
        estimate: rate(parts.estimate, estimates),
        update: rate(parts.update, trained),
      };

const rate = (seconds: number, count: number): number | null => (count === 0 ? null : seconds / count);

/** Seconds of a step of the run on average, once every stage has its price; null before. */
export function meanStage(stages: readonly PlannedStage[]): Quantity | null {
  const priced = stages.flatMap(({ steps, seconds }) => (seconds === null ? [] : [{ steps, ...seconds }]));
  const [first] = priced;
  if (first === undefined || priced.length < stages.length) return null;
  const all = priced.reduce((sum, { steps }) => sum + steps, 0);
  return {
    value: priced.reduce((sum, { steps, value }) => sum + steps * value, 0) / all,
    source: priced.every(({ source }) => source === 'measured') ? 'measured' : 'estimated',
    from: first.from,
    at: first.at,
    n: priced.reduce((sum, { n }) => sum + n, 0),
    // Stages that were timed in different runs were timed under different loads.
    load: priced.every(({ from }) => isDeepStrictEqual(from, first.from)) ? first.load : null,
  };
}
