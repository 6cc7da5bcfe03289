import { existsSync } from 'node:fs';
import { Failure, runConfigSchema, type ContextRecord, type EvaluationRecord, type RunConfig } from '../contract/index.ts';
import { rolloutSeed, sha256Hex, wilsonInterval, type Interval } from '../core/index.ts';
import { runSuite, suiteByName, type Answer } from '../evaluation/index.ts';
import { loadPromptPack, type PromptPack } from '../library/index.ts';
import { isProcessLost, type LoadRequest, type Loaded, type TrainerClient } from '../processes/index.ts';
import { contextText, initialContext } from '../supervision/index.ts';
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

const ANSWER_TOKENS = 192; // longest traced answer of the held-out items is below 150
const EVALUATION_ROWS = 64; // answers do not depend on each other; a wide batch is fastest on one core

/**
 * Asks suites, grades the answers in the sandbox and stores every item. @throws the signal's reason when it is aborted.
 * @param by a trainer that has nothing else to do; without it one is started for this request.
 */
export async function evaluatePolicy(world: RunWorld, request: EvaluationRequest, by?: TrainerClient): Promise<EvaluationOutcome[]> {
  const { store, resources, children, clock } = world;
  const { config, folder, runId, step } = await locate(world, request);
  const pack = loadPromptPack(resources.prompts(config.policy.promptPack), config.policy.promptPack);
  const execute = executeWith(await children.runner(config.sandbox), config.sandbox);
  const plan = request.contexts.flatMap((which) => request.suites.map((name) => ({ suite: suiteByName(name), context: contextOf(world, which, pack) })));
  const ask = async (trainer: TrainerClient): Promise<EvaluationOutcome[]> => {
    const policy = new AnsweringPolicy(trainer, loadRequest(config, folder, request.seed), request);
    const { weightsSha256 } = await policy.load();
    const outcomes: EvaluationOutcome[] = [];
    for (const { suite, context } of plan) {
      const started = clock.monotonicMs();
      const result = await runSuite(suite, resources.suites, request.limit, pack, context, policy.answer(outcomes.length), execute);
      const record: EvaluationRecord = {
        id: `eval-${clock.now().toISOString().replaceAll(/[-:.TZ]/g, '')}-${weightsSha256.slice(0, 8)}-${outcomes.length}`,
        createdAt: clock.now().toISOString(), runId, step, model: config.policy.model, weightsSha256,
        suite: suite.name, suiteKind: suite.kind, suiteSha256: result.suiteSha256, contextHash: context?.hash ?? null,
        temperature: suite.temperature, seed: request.seed, n: result.n, passed: result.passed, milliseconds: clock.monotonicMs() - started, items: result.items,
      };
      store.putEvaluation(record);
      outcomes.push({ ...record, interval: wilsonInterval(result.passed, result.n), withContext: context !== null });
      request.onProgress?.(outcomes.length, plan.length);
    }
    return outcomes;
  };
  return by === undefined ? children.withTrainer('evaluation', config.policy.threads, ask) : ask(by);
}

function loadRequest(config: RunConfig, folder: string, seed: number): LoadRequest {
  return {
    model: { path: folder }, train: { mode: 'none' }, rollout: { maxSeqTokens: config.azr.maxPromptTokens + ANSWER_TOKENS, maxConcurrent: EVALUATION_ROWS },
    device: config.policy.device, threads: config.policy.threads, seed, reference: 'none',
  };
}

const ATTEMPTS = 3;

/** A policy that only answers. Losing its process repeats the suite at hand, which gives the same answers. */
class AnsweringPolicy {
  readonly #trainer: TrainerClient;
  readonly #load: LoadRequest;
  readonly #request: EvaluationRequest;

  constructor(trainer: TrainerClient, load: LoadRequest, request: EvaluationRequest) {
    this.#trainer = trainer;
    this.#load = load;
    this.#request = request;
  }

  load(): Promise<Loaded> {
    return this.#insist(() => this.#trainer.load(this.#load), false);
  }

  /** The noise of an answer depends on the seed and the item's place alone, so two policies meet the same noise. */
  answer(part: number): Answer {
    const { seed, signal } = this.#request;
    return (items, temperature) => this.#insist(async () => {
      signal?.throwIfAborted();
      const answers = new Map<string, { text: string; newTokens: number }>();
      await this.#trainer.generate({
        opKey: `eval${part}`, keep: false, sampling: { temperature, topP: 1, topK: 0, maxNewTokens: ANSWER_TOKENS },
        items: items.map(({ key, messages }, index) => ({ key, messages, seed: rolloutSeed(seed, 'evaluation', index) })),
      }, { signal, onRollout: ({ key, text, newTokens }) => void answers.set(key, { text, newTokens }) });
      signal?.throwIfAborted();
      return answers;
    }, true);
  }

  async #insist<T>(action: () => Promise<T>, loaded: boolean): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > 1) {
          await this.#trainer.ensureRunning();
          if (loaded) await this.#trainer.load(this.#load);
        }
        return await action();
      } catch (error) {
        if (!isProcessLost(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }
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
