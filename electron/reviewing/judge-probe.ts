import { join } from 'node:path';
import {
  decidingPass,
  Failure,
  runConfigSchema,
  type Job,
  type JudgeProbeAnswer,
  type JudgeProbePlan,
  type MeasuredJudge,
  type LiveEvent,
  type ModelRecord,
  type Phase,
  type ProbePass,
  type SandboxConfig,
} from '../contract/index.ts';
import type { Clock, JobHandle, JobRunner } from '../core/index.ts';
import { programChecker } from '../evolution/index.ts';
import { loadPromptPack, type ResourcePaths } from '../library/index.ts';
import { EMBEDDED_SUPERVISOR, resolveModel } from '../models/index.ts';
import { startSupervisor, type RunnerClient, type SupervisorClient } from '../processes/index.ts';
import type { Lab } from '../store/index.ts';
import {
  askProbe,
  itemsOfPass,
  itemsSha256,
  measuredJudge,
  openReviewModel,
  orderedPhases,
  PROBE_VERSION,
  probeItems,
  probeResults,
  requireItems,
  reviewModeOf,
  reviewPackOf,
  reviewTextsSha256,
  type ProbeItem,
} from '../supervision/index.ts';

/** What a probe works with; the engine provides it. */
export type ProbeServices = {
  store: Lab;
  resources: ResourcePaths;
  lab: { logs: string };
  clock: Clock;
  jobs: Pick<JobRunner, 'start' | 'list'>;
  children: { runner(sandbox: SandboxConfig): Promise<RunnerClient> };
  emit: (event: LiveEvent) => void;
};

export type ProbeRequest = {
  /** Library name, path of a GGUF file, or `embedded`. */
  model: string;
  items: number;
  phases: readonly Phase[];
  seed: number;
  threads: number;
};

const KIND = 'judge-probe';
/** A slow machine must not make a judge look bad. */
const PATIENCE_SECONDS = 1800;

/** A model by name or path, `embedded` for the one that comes with the application. @throws Failure `missingModel`, `badModel`. */
const judgeOf = ({ store, resources, clock }: ProbeServices, model: string): Promise<ModelRecord> =>
  resolveModel(
    store,
    resources,
    model === 'embedded' ? EMBEDDED_SUPERVISOR : model,
    'supervisor',
    clock.now(),
  );

/**
 * Measures how good a model is as a judge: it is asked about items with known answers exactly as a run asks it, then without what was
 * computed, then some of them again. Answers are kept as they come; the same request goes on where it was cut off.
 * @throws Failure `usage`, `missingModel`, `badModel`, `probeUnderWay` (exit code 2)
 */
export async function startJudgeProbe(services: ProbeServices, request: ProbeRequest): Promise<Job> {
  requireItems(request);
  const model = await judgeOf(services, request.model);
  const title = `Probe of ${model.name} as a judge`;
  const running = services.jobs.list().some((job) => job.state === 'running' && job.kind === KIND);
  if (running)
    throw new Failure('probeUnderWay', 'A judge is being probed already; wait for it, or cancel its job.', 2);
  return services.jobs.start(
    {
      kind: KIND,
      title,
      unit: 'review',
      keeps: 'It was stopped; its answers are kept, and the same probe goes on from there.',
    },
    (job) => probe(services, model, request, job),
  );
}

async function probe(
  services: ProbeServices,
  model: ModelRecord,
  request: ProbeRequest,
  job: JobHandle,
): Promise<MeasuredJudge> {
  const { store, emit } = services;
  const { items, plan } = await plannedProbe(services, model, request, job.signal);
  const begun = store.beginJudgeProbe(model.name, plan);
  if (begun.results !== null) return measuredJudge(begun);
  const passes = (['run', 'alone', 'again'] as const).map((pass) => ({
    pass,
    items: itemsOfPass(items, pass, plan),
  }));
  const known = store.listJudgeProbeAnswers(begun.id);
  job.total(passes.reduce((sum, each) => sum + each.items.length, 0));
  job.found({ done: known.length });
  await withModel(services, model, request.threads, async (client, supervision) => {
    const open = await openReviewModel(model, supervision, {
      pack: (name) => loadPromptPack(services.resources.prompts(name), name),
      openModel: async (path, { threads }, contextSize) => {
        await client.load({ path, contextSize, threads });
        return client;
      },
    });
    for (const { pass, items: ofPass } of passes) {
      const shows = seenIn(pass, plan) === 'run' ? 'computed' : 'material';
      await askProbe({
        reviewer: open(shows),
        pass,
        items: withoutKnown(ofPass, pass, known),
        seed: plan.seed,
        clock: services.clock,
        signal: job.signal,
        onAnswer: (answer) => {
          store.putJudgeProbeAnswer(begun.id, answer);
          job.advance(1);
        },
      });
    }
  });
  const finished = store.finishJudgeProbe(
    begun.id,
    probeResults(plan, items, store.listJudgeProbeAnswers(begun.id)),
  );
  emit({ kind: 'changed', what: 'judges', runId: null });
  emit({ kind: 'changed', what: 'plan', runId: null }); // a plan goes by the time of its judge's reviews
  return measuredJudge(finished);
}

const seenIn = (pass: ProbePass, { mode }: JudgeProbePlan): 'run' | 'alone' =>
  pass === 'again' ? decidingPass(mode) : pass;

const withoutKnown = (
  items: readonly ProbeItem[],
  pass: ProbePass,
  known: readonly JudgeProbeAnswer[],
): ProbeItem[] => {
  const answered = new Set(known.filter((answer) => answer.pass === pass).map(({ ordinal }) => ordinal));
  return items.filter(({ ordinal }) => !answered.has(ordinal));
};

/** The items of a probe, confirmed in the sandbox, and the plan that names it. */
async function plannedProbe(
  { children, resources }: ProbeServices,
  model: ModelRecord,
  { items: count, phases: wanted, seed }: ProbeRequest,
  signal: AbortSignal,
): Promise<{ items: ProbeItem[]; plan: JudgeProbePlan }> {
  const mode = reviewModeOf(model);
  const packName = reviewPackOf(mode);
  const pack = loadPromptPack(resources.prompts(packName), packName);
  const phases = orderedPhases(wanted);
  const runner = await children.runner(runConfigSchema.parse({}).sandbox);
  const check = programChecker(runner, packName);
  const style = packName === 'compact' ? 'compact' : 'plain';
  const items = await probeItems({ items: count, phases, seed, style }, (program, input) => {
    signal.throwIfAborted();
    return check(program, input);
  });
  const plan: JudgeProbePlan = {
    modelSha256: model.sha256,
    version: PROBE_VERSION,
    mode,
    promptsSha256: reviewTextsSha256(pack),
    itemsSha256: itemsSha256(items),
    items: count,
    phases,
    seed,
  };
  return { items, plan };
}

/** A process of its own, which ends with the work: native code that loads a model cannot be asked to stop. */
async function withModel(
  { lab }: ProbeServices,
  model: ModelRecord,
  threads: number,
  use: (
    client: SupervisorClient,
    supervision: ReturnType<typeof runConfigSchema.parse>['supervision'],
  ) => Promise<void>,
): Promise<void> {
  const { supervision } = runConfigSchema.parse({});
  const client = await startSupervisor({ logFile: join(lab.logs, 'judge-probe.log') });
  try {
    await use(client, {
      ...supervision,
      model: model.name,
      threads,
      reviewTimeoutSeconds: PATIENCE_SECONDS,
    });
  } finally {
    await client.close();
  }
}

/** The probe of a library model that was finished last; null where there is none, or no such model. */
export function lastJudgeProbe({ store }: Pick<ProbeServices, 'store'>, model: string): MeasuredJudge | null {
  const record = store.getModel(model);
  const last = record === null ? null : store.lastJudgeProbe(record.sha256);
  return last === null ? null : measuredJudge(last);
}
