import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Clock, type SilenceLimits, systemClock } from './child/timing.ts';
import { childEnvironment, nodeLauncher } from './child/program.ts';
import { JSON_RPC, parseAnswer } from './child/json-rpc.ts';
import {
  type Backoff,
  type ProcessState,
  RestartingProcess,
  retryOnLoss,
} from './child/restarting-process.ts';
import { ManagedChild } from './child/managed-child.ts';
import { isProcessLost, ProcessFailure } from './child/failures.ts';
import {
  completionSchema,
  framedPromptSchema,
  loadResultSchema,
  tokenSchema,
  reviewResultSchema,
  weighResultSchema,
  type FramedPrompt,
  type SupervisorComplete,
  type SupervisorCompletion,
  type SupervisorLoad,
  type SupervisorModel,
  type SupervisorReview,
  type SupervisorReviewResult,
  type SupervisorToken,
  type SupervisorWeigh,
  type SupervisorWeighing,
} from './supervisor-wire.ts';
import { endedByWatchdog } from './supervisor/watchdog.ts';
import type { ChatMessage } from './trainer-wire.ts';

const WORKER = fileURLToPath(new URL('./supervisor/worker.ts', import.meta.url));
const MAX_LINE_BYTES = 4 * 1024 * 1024;
/**
 * Beyond a review's own time limit. The worker ends itself when native code is stuck for longer than it ever was; what is silent
 * for so long has lost the request.
 */
const LATE_MS = 600_000;
/** Loading a large file from a slow disk, or a long text on a crowded machine; what has no limit of its own is lost after that. */
const NO_ANSWER_MS = 30 * 60_000;
/**
 * It yields to everything else on the machine (supervisor/cores.ts), so where all cores are wanted many times over even its
 * heartbeats wait. Native code that does not come back is found by the worker itself.
 */
const SILENCE: SilenceLimits = { limitMs: 300_000, slowLimitMs: 900_000, heartbeats: true };
/** So often may native code hang over one request: once may be chance, and what hangs again is the request's own fault. */
const HANGS = 2;
/** Includes loading the model again after a loss; a large file comes from a slow disk. */
const HANDSHAKE_TIMEOUT_MS = 300_000;

export type SupervisorOptions = {
  logFile: string;
  /** Node program that runs the worker; by default the one that runs us. */
  node?: string;
  /** Aborting it ends the process at once. */
  signal?: AbortSignal;
  onState?(state: ProcessState): void;
  clock?: Clock;
  backoff?: Backoff;
};

/** Starts the worker process; no model is loaded yet. Throws ProcessFailure when it cannot be started. */
export async function startSupervisor(options: SupervisorOptions): Promise<SupervisorClient> {
  const client = new SupervisorClient(options);
  await client.open();
  return client;
}

/**
 * A GGUF model in a process of its own that writes reviews. Requests are answered one after the other in the order sent.
 * A lost worker is started again, loads the same model and is asked again, unseen by the caller: every answer is a
 * function of model and request alone.
 */
export class SupervisorClient {
  readonly #process: RestartingProcess;
  readonly #watchers = new Map<number, (token: SupervisorToken) => void>();
  #load: SupervisorLoad | null = null;

  /** Use startSupervisor. */
  constructor(options: SupervisorOptions) {
    const clock = options.clock ?? systemClock;
    const launch = nodeLauncher();
    this.#process = new RestartingProcess({
      name: 'supervisor',
      clock,
      backoff: options.backoff,
      onState: options.onState,
      start: () =>
        ManagedChild.start(
          {
            name: 'supervisor',
            command: options.node ?? process.execPath,
            // Else Node opens its debugger at SIGUSR1, on a port that every user of the machine reaches.
            args: ['--disable-sigusr1', WORKER],
            env: childEnvironment({ NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true' }),
            ...(launch === null ? {} : { launch: ({ env }) => launch('supervisor/worker', env) }),
            channel: 'descriptor-3',
            dialect: JSON_RPC,
            maxLineBytes: MAX_LINE_BYTES,
            logFile: options.logFile,
            handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
            silence: SILENCE,
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

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  /**
   * Loads a GGUF file, replacing the model loaded before. Throws `badModel` with the fault of a file that is damaged or
   * cannot be loaded; the file's header is checked before native code sees it.
   */
  async load(params: SupervisorLoad): Promise<SupervisorModel> {
    this.#load = null;
    const model = await retryOnLoss(this.#process, 'supervisor', 'loading of a model', async (child) => {
      try {
        return parseAnswer(
          'supervisor',
          'load',
          loadResultSchema,
          await child.call('load', params, { slow: true, answerWithinMs: NO_ANSWER_MS }).result,
        );
      } catch (error) {
        const report = isProcessLost(error) ? await child.ended : null;
        // A file that crashes native code will do so again; being killed is no fault of the file.
        if (report === null || report.signal === 'SIGKILL' || report.signal === 'SIGTERM') throw error;
        throw new ProcessFailure(
          'supervisor',
          {
            kind: 'badModel',
            message: `${params.path} cannot be used as a supervisor: loading it ended its process. ${report.sentence}`,
          },
          { cause: error },
        );
      }
    });
    this.#load = params;
    return model;
  }

  /**
   * One review, constrained to the JSON schema. The same request always gives the same text, whatever was asked before.
   * Throws `promptTooLong` with `detail {tokens, limit}`, `timeout`, `cancelled`, `notLoaded` or `badRequest`.
   */
  review(request: SupervisorReview, signal?: AbortSignal): Promise<SupervisorReviewResult> {
    const alone = request.side === undefined ? request : { ...request, side: 'alone' as const };
    return this.#ask('review', request, reviewResultSchema, signal, request.timeoutMs + LATE_MS, alone);
  }

  /** The log-odds of yes over no, question by question; each a function of model, material and question alone. */
  weigh(request: SupervisorWeigh, signal?: AbortSignal): Promise<SupervisorWeighing> {
    return this.#ask('weigh', request, weighResultSchema, signal, request.timeoutMs + LATE_MS);
  }

  /**
   * Free text after a chat prompt or a raw one; see review for errors.
   * @param onToken hears each token of a request with `alternatives`; after a loss of the process all of them again, from position 0.
   */
  complete(
    request: SupervisorComplete,
    signal?: AbortSignal,
    onToken?: (token: SupervisorToken) => void,
  ): Promise<SupervisorCompletion> {
    const alone = request.side === undefined ? request : { ...request, side: 'alone' as const };
    return this.#ask('complete', request, completionSchema, signal, undefined, alone, onToken);
  }

  /** Tokens of a text as an agent's: markers in it are text and count as such. */
  async tokenCount(text: string): Promise<number> {
    const answer = await this.#ask('tokenCount', { text }, z.strictObject({ tokens: z.int() }));
    return answer.tokens;
  }

  /** The token ids that a conversation becomes; for showing and testing that agent text cannot forge a role marker. */
  frame(messages: readonly ChatMessage[]): Promise<FramedPrompt> {
    return this.#ask('frame', { messages }, framedPromptSchema);
  }

  /** Frees the model; the process stays. */
  async unload(): Promise<void> {
    this.#load = null;
    await this.#ask('unload', {}, z.strictObject({}));
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #handshake(child: ManagedChild): Promise<void> {
    await child.call('hello', {}).result;
    if (this.#load) await child.call('load', this.#load, { slow: true }).result;
  }

  #ask<T>(
    method: string,
    params: object,
    schema: z.ZodType<T>,
    signal?: AbortSignal,
    answerWithinMs = NO_ANSWER_MS,
    /** What is asked instead after the process was lost. */
    again: object = params,
    onToken?: (token: SupervisorToken) => void,
  ): Promise<T> {
    let hung = 0;
    let lost = false;
    return retryOnLoss(this.#process, 'supervisor', method, async (child) => {
      if (signal?.aborted)
        throw new ProcessFailure('supervisor', {
          kind: 'cancelled',
          message: 'The request to the supervisor was cancelled.',
        });
      const call = child.call(method, lost ? again : params, { answerWithinMs });
      if (onToken !== undefined) this.#watchers.set(call.id, onToken);
      const cancel = (): void => {
        child.call('cancel', { id: call.id }).result.catch(() => {});
      };
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return parseAnswer('supervisor', method, schema, await call.result);
      } catch (error) {
        if (!isProcessLost(error)) throw error;
        lost = true;
        if (!endedByWatchdog(await child.ended) || ++hung < HANGS) throw error;
        throw new ProcessFailure(
          'supervisor',
          {
            kind: 'hung',
            message: `The supervisor's native code did not come back from this ${method}, ${hung} times in a row.`,
          },
          { cause: error },
        );
      } finally {
        signal?.removeEventListener('abort', cancel);
        this.#watchers.delete(call.id);
      }
    });
  }

  #receive(name: string, params: unknown): void {
    if (name !== 'token') return;
    const { id, ...token } = parseAnswer('supervisor', 'event/token', tokenSchema, params);
    this.#watchers.get(id)?.(token);
  }
}
