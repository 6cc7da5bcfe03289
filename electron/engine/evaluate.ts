import { existsSync } from 'node:fs';
import { Failure, runConfigSchema, type ContextRecord, type EvaluationRecord, type RunConfig } from '../contract/index.ts';
import { sha256Hex, wilsonInterval, type Interval } from '../core/index.ts';
import { runSuite, suiteByName } from '../evaluation/index.ts';
import { loadPromptPack, type PromptPack } from '../library/index.ts';
import type { LoadRequest, TrainerClient } from '../processes/index.ts';
import { contextText, initialContext } from '../supervision/index.ts';
import { ANSWER_TOKENS, AnsweringPolicy } from './answering-policy.ts';
import { executeWith } from './execute-program.ts';
import { resolveModel } from './models.ts';
import { requireRun, type RunWorld } from './world.ts';

/** Which weights: a checkpoint of a run (step 0 = before training), or a model of the library. */
export type PolicyReference = { runId: string; step: number } | { model: string };

/** What stands in the prompt: nothing (the weights alone), the context of a run's step, or given lines. */
export type AskedContext = null | { runId: string; step: number } | { lines: readonly string[] };

export type EvaluationRequest = {
  policy: PolicyReference; suites: readonly string[]; limit: number; seed: number;
  contexts: readonly AskedContext[];
  /** For policies that are not a run's checkpoint. */
  config?: RunConfig;
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
};

export type EvaluationOutcome = EvaluationRecord & { interval: Interval; withContext: boolean };

const EVALUATION_ROWS = 64; // answers do not depend on each other; a wide batch is fastest on one core

/**
 * Asks suites together, grades each as soon as it is answered, in the sandbox, and stores every item. @throws the signal's reason when it is aborted.
 * @param by a trainer that has nothing else to do; without it one is started for this request.
 */
export async function evaluatePolicy(world: RunWorld, request: EvaluationRequest, by?: TrainerClient): Promise<EvaluationOutcome[]> {
  const { store, resources, children, clock } = world;
  const { config, folder, runId, step } = await locate(world, request);
  const pack = loadPromptPack(resources.prompts(config.policy.promptPack), config.policy.promptPack);
  const execute = executeWith(await children.runner(config.sandbox), config.sandbox);
  const plan = request.contexts.flatMap((which) => request.suites.map((name) => ({ suite: suiteByName(name), context: contextOf(world, which, pack) })));
  const ask = async (trainer: TrainerClient): Promise<EvaluationOutcome[]> => {
    const policy = new AnsweringPolicy(trainer, loadRequest(config, folder, request.seed), request.seed, request.signal);
    const { weightsSha256 } = await policy.load();
    const asker = policy.together(plan.length);
    let done = 0;
    return Promise.all(plan.map(async ({ suite, context }, part): Promise<EvaluationOutcome> => {
      const started = clock.monotonicMs();
      const result = await runSuite(suite, resources.suites, request.limit, pack, context, asker(part), execute);
      const record: EvaluationRecord = {
        id: `eval-${clock.now().toISOString().replaceAll(/[-:.TZ]/g, '')}-${weightsSha256.slice(0, 8)}-${part}`,
        createdAt: clock.now().toISOString(), runId, step, model: config.policy.model, weightsSha256,
        suite: suite.name, suiteKind: suite.kind, suiteSha256: result.suiteSha256, contextHash: context?.hash ?? null,
        temperature: suite.temperature, seed: request.seed, n: result.n, passed: result.passed, milliseconds: clock.monotonicMs() - started, items: result.items,
      };
      store.putEvaluation(record);
      request.onProgress?.((done += 1), plan.length);
      return { ...record, interval: wilsonInterval(result.passed, result.n), withContext: context !== null };
    }));
  };
  return by === undefined ? children.withTrainer('evaluation', config.policy.threads, ask) : ask(by);
}

function loadRequest(config: RunConfig, folder: string, seed: number): LoadRequest {
  return {
    model: { path: folder }, train: { mode: 'none' }, rollout: { maxSeqTokens: config.azr.maxPromptTokens + ANSWER_TOKENS, maxConcurrent: EVALUATION_ROWS },
    device: config.policy.device, threads: config.policy.threads, seed, reference: 'none',
  };
}

async function locate(world: RunWorld, { policy, config }: EvaluationRequest): Promise<{ config: RunConfig; folder: string; runId: string | null; step: number | null }> {
  if ('model' in policy) {
    const model = await resolveModel(world.store, world.resources, policy.model, 'policy', world.clock.now());
    return { config: config ?? runConfigSchema.parse({ policy: { model: policy.model } }), folder: model.path, runId: null, step: null };
  }
  const run = requireRun(world.store, policy.runId);
  const folder = world.lab.run(run.folder).checkpoint(policy.step);
  if (!existsSync(folder)) {
    const kept = world.store.listCheckpoints(policy.runId).map((checkpoint) => checkpoint.step);
    throw new Failure('noCheckpoint', `Run "${policy.runId}" has no checkpoint of step ${policy.step}; it keeps those of steps ${kept.join(', ')}.`, 2);
  }
  return { config: run.config, folder, runId: policy.runId, step: policy.step };
}

/** Of a run's step: the context it ran under; step = committed steps + 1 is the newest. */
function contextOf(world: RunWorld, asked: AskedContext, pack: PromptPack): ContextRecord | null {
  if (asked === null) return null;
  if ('lines' in asked) {
    const text = contextText(pack, asked.lines.map((line) => ({ text: line })));
    return { ...initialContext(), text, hash: sha256Hex(text) };
  }
  const { runId, step } = asked;
  const context = world.store.getContext(runId, step);
  if (context === null) throw new Failure('noContext', `Run "${runId}" has no context for step ${step}.`, 2);
  return context;
}
