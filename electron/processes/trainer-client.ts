import { z } from 'zod';
import { type Clock, DEFAULT_SILENCE, systemClock } from './child/timing.ts';
import { pythonEnvironment } from './child/program.ts';
import { JSON_RPC, parseAnswer } from './child/json-rpc.ts';
import { type Backoff, type ProcessState, RestartingProcess } from './child/restarting-process.ts';
import { ManagedChild } from './child/managed-child.ts';
import { ProcessFailure } from './child/failures.ts';
import {
  countsSchema,
  exportedSchema,
  generatedSchema,
  heartbeatSchema,
  idsSchema,
  loadedSchema,
  movedEventSchema,
  logprobsSchema,
  planSchema,
  PROTOCOL,
  rolloutEventSchema,
  tokenEventSchema,
  savedSchema,
  trainerHelloSchema,
  unloadedSchema,
  updatedSchema,
  repeatedSchema,
  type DrawnToken,
  type ExportRequest,
  type ExportResult,
  type GenerateRequest,
  type GenerateSummary,
  type Loaded,
  type LoadRequest,
  type Logprobs,
  type LogprobsRequest,
  type MemoryPlan,
  type PlanRequest,
  type PromptItem,
  type Rollout,
  type SaveRequest,
  type SaveResult,
  type TrainerHello,
  type UpdateRequest,
  type RepeatRequest,
  type RepeatResult,
  type UpdateResult,
} from './trainer-wire.ts';

const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Importing PyTorch from a slow disk takes a while. */
const HANDSHAKE_TIMEOUT_MS = 120_000;
const HEARTBEAT_MS = 2000;
/** The weight set that a request means when it names none. */
const POLICY = 'policy';
const named = <T extends { policy?: string }>(request: T): T & { policy: string } => ({
  ...request,
  policy: request.policy ?? POLICY,
});
const SHUTDOWN_MS = 5000;
/** A packed row of the largest model takes minutes, loading one from a slow disk a quarter of an hour; beyond this it hangs. */
const NO_PROGRESS_MS = 30 * 60_000;
/**
 * A request is on its way for as long as a pipe takes and is then among those that heartbeats count. Both are asked for: after a block of
 * our own event loop many old heartbeats are read at once, and one late heartbeat may span any time.
 */
const FORGOTTEN_MS = 10_000;
const FORGOTTEN_BEATS = 5;

export type TrainerOptions = {
  /** Interpreter of the project's virtual environment. */
  python: string;
  /** Folder that holds the package anchor_trainer. */
  moduleDir: string;
  /** Folder of the run; journal and spool live in it. */
  runDir: string;
  spoolDir: string;
  logFile: string;
  /** Environment of a Python with vLLM, for weights whose rollouts that draws. */
  vllm?: string;
  /** Threads of the numerical libraries; the number given to load should be the same. 1 by default. */
  threads?: number;
  /** Aborting it ends the process at once. */
  signal?: AbortSignal | undefined;
  /** Events beside rollouts: progress, log, memory, heartbeat, fatal. */
  onEvent?(name: string, params: unknown): void;
  onState?(state: ProcessState): void;
  clock?: Clock;
  backoff?: Backoff;
  /** After so long without progress in an open request the trainer is given up as lost; half an hour by default. */
  noProgressMs?: number;
};

/** Starts the trainer and waits until it answers. Throws ProcessFailure when it cannot be started. */
export async function startTrainer(options: TrainerOptions): Promise<TrainerClient> {
  const client = new TrainerClient(options);
  await client.open();
  return client;
}

/**
 * The process that owns the weights that are trained: one weight set or several, by name. Its state cannot be repeated blindly, so a lost trainer is not restarted
 * behind the caller's back: open requests reject with kind `processLost` (see isProcessLost), the caller calls
 * ensureRunning, loads its checkpoint and decides what to do again.
 */
export class TrainerClient {
  readonly #options: TrainerOptions;
  readonly #process: RestartingProcess;
  readonly #listeners = new Map<number, (rollout: Rollout) => void>();
  readonly #watchers = new Map<number, (token: DrawnToken) => void>();
  /** Seconds by weight set, over all processes that this one was. */
  readonly #moved = new Map<string, number>();
  #hello: TrainerHello | null = null;
  /** The trainer's own time of its last progress, and since when it stands still by our clock. */
  #progress = { at: 0, since: 0 };
  /** Heartbeats in a row that counted fewer requests than wait for an answer, all with this one as the oldest. */
  #missed = { request: -1, beats: 0, since: 0 };

  /** Use startTrainer. */
  constructor(options: TrainerOptions) {
    this.#options = options;
    const clock = options.clock ?? systemClock;
    this.#process = new RestartingProcess({
      name: 'trainer',
      clock,
      backoff: options.backoff,
      onState: options.onState,
      start: () =>
        ManagedChild.start(
          {
            name: 'trainer',
            command: options.python,
            args: ['-m', 'anchor_trainer'],
            env: pythonEnvironment(options.moduleDir, options.threads ?? 1),
            channel: 'stdio',
            dialect: JSON_RPC,
            maxLineBytes: MAX_LINE_BYTES,
            logFile: options.logFile,
            handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
            silence: DEFAULT_SILENCE,
            clock,
            signal: options.signal,
            onEvent: (name, params) => this.#receive(name, params),
          },
          (child) => this.#handshake(child),
        ),
    });
  }

  async open(): Promise<void> {
    await this.#process.start();
  }

  /** Restarts a lost trainer with growing pauses; resolves when it answers. It has no model then. Throws `crashLoop` when it keeps dying. */
  async ensureRunning(): Promise<TrainerHello> {
    await this.#process.ensureRunning();
    return this.hello;
  }

  /** Ends the present process and starts a fresh one. */
  async restart(): Promise<TrainerHello> {
    await this.#process.restart();
    return this.hello;
  }

  /** Versions, devices and limits of the present process. */
  get hello(): TrainerHello {
    if (!this.#hello)
      throw new ProcessFailure('trainer', {
        kind: 'notStarted',
        message: 'The trainer has not been started.',
      });
    return this.#hello;
  }

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  /** Seconds in which a weight set was brought back into memory, others being put aside for it. */
  movedSeconds(policy = POLICY): number {
    return this.#moved.get(policy) ?? 0;
  }

  /** What a model would need in memory; allocates nothing. */
  plan(request: PlanRequest): Promise<MemoryPlan> {
    return this.#ask('plan', named(request), planSchema);
  }

  /**
   * Loads a weight set from a model or a checkpoint, in place of what the process holds under that name; the others stay as they are.
   * Throws `badModel` with the fault of a damaged folder.
   */
  async load(request: LoadRequest): Promise<Loaded> {
    const loaded = await this.#ask('load', named(request), loadedSchema, { slow: true });
    return { ...loaded, parameters: loaded.params };
  }

  /** Frees a weight set and tells whether it was loaded. Its journal and kept rollouts stay on disk for a later load of the name. */
  async unload(policy = POLICY): Promise<boolean> {
    return (await this.#ask('unload', { policy }, unloadedSchema)).unloaded;
  }

  /** Lengths in tokens, chat template included, in the order given. */
  async countTokens(items: readonly (PromptItem | PromptMessages)[], policy = POLICY): Promise<number[]> {
    if (items.length === 0) return [];
    const answer = await this.#ask(
      'tokenize',
      { policy, items: items.map(asItem), what: 'count' },
      countsSchema,
    );
    return answer.counts;
  }

  /** Token ids, chat template included, in the order given. */
  async tokenIds(items: readonly (PromptItem | PromptMessages)[], policy = POLICY): Promise<number[][]> {
    if (items.length === 0) return [];
    const answer = await this.#ask('tokenize', { policy, items: items.map(asItem), what: 'ids' }, idsSchema);
    return answer.ids;
  }

  /**
   * Samples all items; `onRollout` gets each as it finishes, `onToken` each token of those with `alternatives`. A pure function of (weights, ordered items, sampling,
   * maxConcurrent) while no other request is open. Aborting the signal ends it within half a second: unfinished rollouts
   * arrive with finish `cancel` and the promise resolves. Throws `promptTooLong` before anything is generated, and what
   * either throws, which ends the request too.
   */
  async generate(
    request: GenerateRequest,
    options: {
      onRollout?(rollout: Rollout): void;
      onToken?(token: DrawnToken): void;
      signal?: AbortSignal;
    } = {},
  ): Promise<GenerateSummary> {
    const { onRollout, onToken, signal } = options;
    signal?.throwIfAborted();
    const child = this.#process.child;
    const call = child.call('generate', { stream: 'rollout', ...named(request) });
    const cancel = (): void => {
      child.call('cancel', { id: call.id, mode: 'now' }).result.catch(() => {});
    };
    let thrown: { error: unknown } | null = null;
    // Registered in the same turn as the call is made, so no rollout can come earlier.
    const guarded =
      <T>(listener: ((told: T) => void) | undefined) =>
      (told: T): void => {
        try {
          if (!thrown) listener?.(told);
        } catch (error) {
          thrown = { error };
          cancel();
        }
      };
    this.#listeners.set(call.id, guarded(onRollout));
    if (onToken !== undefined) this.#watchers.set(call.id, guarded(onToken));
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const summary = parseAnswer('trainer', 'generate', generatedSchema, await call.result);
      if (thrown) throw (thrown as { error: unknown }).error;
      return summary;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#listeners.delete(call.id);
      this.#watchers.delete(call.id);
    }
  }

  /** Log-probabilities of kept rollouts or given texts under the present weights or the reference. */
  logprobs(request: LogprobsRequest): Promise<Logprobs> {
    return this.#ask('logprobs', named(request), logprobsSchema);
  }

  /** One update of the weights; idempotent by opId, refused with `versionMismatch` on other weights than expected. */
  update(request: UpdateRequest): Promise<UpdateResult> {
    return this.#ask('update', named(request), updatedSchema);
  }

  /** Updates of a checkpoint once more, for weights that are kept nowhere. Where other figures come out, the answer says for which. */
  repeat(request: RepeatRequest): Promise<RepeatResult> {
    return this.#ask('repeat', named(request), repeatedSchema);
  }

  /** Forgets kept rollouts, in memory and on disk, whose opKey begins with `opKeyPrefix`. */
  async dropRollouts(opKeyPrefix: string, policy = POLICY): Promise<void> {
    await this.#ask('rollouts', { policy, op: 'drop', opKeyPrefix }, z.looseObject({}));
  }

  /** Reads kept rollouts back from the spool, after a restart. */
  async restoreRollouts(policy = POLICY): Promise<void> {
    await this.#ask('rollouts', { policy, op: 'restore' }, z.looseObject({}));
  }

  /** Writes a checkpoint that can be loaded as a model; atomic. Throws `diskFull`. */
  save(request: SaveRequest): Promise<SaveResult> {
    return this.#ask('save', named(request), savedSchema, { slow: true });
  }

  export(request: ExportRequest): Promise<ExportResult> {
    return this.#ask('export', named(request), exportedSchema, { slow: true });
  }

  /** State, versions and counters, as the trainer names them. */
  stats(): Promise<Record<string, unknown>> {
    return this.#ask('stats', {}, z.record(z.string(), z.unknown()));
  }

  /** Ends the process: asked first, then terminated. */
  async shutdown(): Promise<void> {
    await this.#process.close({ method: 'shutdown', params: { deadlineMs: SHUTDOWN_MS } });
  }

  async #handshake(child: ManagedChild): Promise<void> {
    const { runDir, spoolDir } = this.#options;
    const answer = await child.call('hello', {
      protocol: PROTOCOL,
      app: { name: 'anchor-lab', version: '1' },
      runDir,
      spoolDir,
      heartbeatMs: HEARTBEAT_MS,
      vllm: this.#options.vllm,
    }).result;
    const hello = parseAnswer('trainer', 'hello', trainerHelloSchema, answer);
    if (hello.protocol.major !== PROTOCOL.major) {
      throw new ProcessFailure('trainer', {
        kind: 'protocolMismatch',
        message: `The trainer speaks protocol ${hello.protocol.major}.${hello.protocol.minor} and this program ${PROTOCOL.major}.${PROTOCOL.minor}; run the set-up again.`,
      });
    }
    this.#hello = hello;
  }

  #receive(name: string, params: unknown): void {
    if (name === 'rollout') {
      const { reqId, ...rollout } = parseAnswer('trainer', 'event/rollout', rolloutEventSchema, params);
      this.#listeners.get(reqId)?.(rollout);
    }
    if (name === 'token') {
      const { reqId, ...token } = parseAnswer('trainer', 'event/token', tokenEventSchema, params);
      this.#watchers.get(reqId)?.(token);
    }
    if (name === 'moved') {
      const { policy, ms } = parseAnswer('trainer', 'event/moved', movedEventSchema, params);
      this.#moved.set(policy, this.movedSeconds(policy) + ms / 1000);
    }
    if (name === 'heartbeat') {
      const heartbeat = parseAnswer('trainer', 'event/heartbeat', heartbeatSchema, params);
      this.#watchProgress(heartbeat);
      this.#watchForgotten(heartbeat.activeReqs);
    }
    this.#options.onEvent?.(name, params);
  }

  /** Its heart beats in a thread of its own, so a computation that never ends shows only here. */
  #watchProgress({ activeReqs, lastProgressTs }: z.infer<typeof heartbeatSchema>): void {
    const { clock = systemClock, noProgressMs = NO_PROGRESS_MS } = this.#options;
    if (activeReqs === 0 || lastProgressTs !== this.#progress.at)
      this.#progress = { at: lastProgressTs, since: clock.now() };
    else if (clock.now() - this.#progress.since >= noProgressMs) {
      this.#process.child.giveUp(
        `The trainer made no progress for ${Math.round(noProgressMs / 1000)} s and is taken for stuck.`,
      );
    }
  }

  /** A request that it took and forgot would be waited for without end. */
  #watchForgotten(known: number): void {
    const { clock = systemClock } = this.#options;
    const child = this.#process.living;
    const { count, oldest } = child?.unanswered ?? { count: 0, oldest: null };
    if (oldest === null || known >= count || oldest !== this.#missed.request)
      this.#missed = { request: oldest ?? -1, beats: 0, since: clock.now() };
    else if (++this.#missed.beats >= FORGOTTEN_BEATS && clock.now() - this.#missed.since >= FORGOTTEN_MS)
      child?.giveUp('The trainer lives but no longer knows a request that it was sent.');
  }

  async #ask<T>(
    method: string,
    params: object,
    schema: z.ZodType<T>,
    options?: { slow: boolean },
  ): Promise<T> {
    return parseAnswer(
      'trainer',
      method,
      schema,
      await this.#process.child.call(method, params, options).result,
    );
  }
}

/** A bare list of messages, as prompts are kept by the engine. */
type PromptMessages = Extract<PromptItem, { messages: unknown }>['messages'];

function asItem(prompt: PromptItem | PromptMessages): PromptItem {
  return Array.isArray(prompt) ? { messages: prompt } : (prompt as PromptItem);
}
