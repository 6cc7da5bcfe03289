import { z } from 'zod';
import { isProcessLost, ProcessFailure } from './child/failures.ts';
import { JSON_RPC, parseAnswer } from './child/json-rpc.ts';
import { ManagedChild } from './child/managed-child.ts';
import { pythonEnvironment } from './child/program.ts';
import { type ProcessState, RestartingProcess } from './child/restarting-process.ts';
import { type Clock, systemClock } from './child/timing.ts';

const MAX_LINE_BYTES = 1024 * 1024;
/** Importing sympy and proving known pairs takes a second of processor time, on a busy machine a minute. */
const HANDSHAKE_TIMEOUT_MS = 180_000;
/** Pairs are timed one by one below; silence is no sign of anything here. */
const SILENCE = { limitMs: 24 * 3_600_000, slowLimitMs: 24 * 3_600_000, heartbeats: false };
/** What the kernel sends when a pair's processor time is used up. */
const PROCESSOR_TIME_SIGNAL = 'SIGPROF';
/** A pair that ends the process is tried once more: it may have been killed for another's memory. */
const ATTEMPTS = 2;

export type GraderLimits = {
  /** Processor time per pair, enforced by the kernel, so that a busy machine fails no answer. */
  processorSeconds: number;
  /** Wall time per pair, enforced by us; the only limit on systems without such a timer. */
  wallSeconds: number;
};
/** 3 s, as AZR gives each pair, and a minute of wall time for a machine that is busy with something else. */
export const GRADER_LIMITS: GraderLimits = { processorSeconds: 3, wallSeconds: 60 };

export type GraderOptions = {
  /** Interpreter of the project's virtual environment. */
  python: string;
  /** Folder that holds the package anchor_grader. */
  moduleDir: string;
  logFile: string;
  limits?: GraderLimits;
  onState?(state: ProcessState): void;
  clock?: Clock;
};

/** Starts the process and waits until it has proven itself on known pairs. Throws ProcessFailure when it cannot be started. */
export async function startGrader(options: GraderOptions): Promise<GraderClient> {
  const client = new GraderClient(options);
  await client.open();
  return client;
}

/**
 * Compares mathematical answers with math-verify. Requests may be concurrent and are answered one after the other. A pair that
 * runs out of time costs the process its life and gets the outcome `timeout`; the next pair meets a fresh process.
 */
export class GraderClient {
  readonly #options: GraderOptions;
  readonly #clock: Clock;
  readonly #process: RestartingProcess;
  #hello: GraderHello | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** Use startGrader. */
  constructor(options: GraderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#process = new RestartingProcess({
      name: 'grader',
      clock: this.#clock,
      onState: options.onState,
      start: () =>
        ManagedChild.start(
          {
            name: 'grader',
            command: options.python,
            args: ['-s', '-m', 'anchor_grader'],
            env: pythonEnvironment(options.moduleDir, 1),
            channel: 'stdio',
            dialect: JSON_RPC,
            maxLineBytes: MAX_LINE_BYTES,
            logFile: options.logFile,
            handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
            silence: SILENCE,
            clock: this.#clock,
            onEvent: () => {},
          },
          (child) => this.#handshake(child),
        ),
    });
  }

  async open(): Promise<void> {
    await this.#process.start();
  }

  /** Versions and limits of the present process. */
  get hello(): GraderHello {
    if (!this.#hello)
      throw new ProcessFailure('grader', { kind: 'notStarted', message: 'The grader has not been started.' });
    return this.#hello;
  }

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  /** Whether two answers are the same. Throws only when no process can be started, or for a pair over 1 MiB (`tooLarge`). */
  compare(pair: ComparePair): Promise<Comparison> {
    const turn = this.#last.then(() => this.#compareNow(pair));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #compareNow(pair: ComparePair): Promise<Comparison> {
    for (let attempt = 1; ; attempt += 1) {
      const child = await this.#process.ensureRunning();
      const began = this.#clock.now();
      const outcome = await this.#ask(child, pair);
      const wallMs = this.#clock.now() - began;
      if ('equal' in outcome) return { outcome: 'compared', wallMs, ...outcome };
      // Claimed at once and not counted as a loss: it is the pair that ended this life, and each pair ends two at most.
      await this.#process.restart();
      if (outcome.limit !== null)
        return { outcome: 'timeout', limit: outcome.limit, wallMs, reason: outcome.reason };
      if (attempt === ATTEMPTS) return { outcome: 'lost', wallMs, reason: outcome.reason };
    }
  }

  async #ask(
    child: ManagedChild,
    pair: ComparePair,
  ): Promise<z.infer<typeof comparedSchema> | { limit: 'processor' | 'wall' | null; reason: string }> {
    const { processorSeconds, wallSeconds } = this.#options.limits ?? GRADER_LIMITS;
    let late = false;
    const cancel = this.#clock.after(wallSeconds * 1000, () => {
      late = true;
      child.kill();
    });
    try {
      return parseAnswer(
        'grader',
        'compare',
        comparedSchema,
        await child.call('compare', { ...pair, seconds: processorSeconds }).result,
      );
    } catch (error) {
      if (!isProcessLost(error)) throw error;
      if (late) return { limit: 'wall', reason: `no answer within ${wallSeconds} s` };
      const { signal } = await child.ended;
      return signal === PROCESSOR_TIME_SIGNAL
        ? { limit: 'processor', reason: `no answer within ${processorSeconds} s of processor time` }
        : { limit: null, reason: error.message };
    } finally {
      cancel();
    }
  }

  async #handshake(child: ManagedChild): Promise<void> {
    const hello = parseAnswer(
      'grader',
      'hello',
      graderHelloSchema,
      await child.call('hello', {}, { slow: true }).result,
    );
    if (hello.protocol !== GRADER_PROTOCOL.name || hello.major !== GRADER_PROTOCOL.major) {
      throw new ProcessFailure('grader', {
        kind: 'protocolMismatch',
        message: `The grader speaks ${hello.protocol} ${hello.major}.${hello.minor}, this application ${GRADER_PROTOCOL.name} ${GRADER_PROTOCOL.major}; the two do not belong to the same version of Anchor Lab.`,
      });
    }
    this.#hello = hello;
  }
}

/** Protocol of native/grader. Unknown fields of answers are dropped; the major version must be the same. */
export const GRADER_PROTOCOL = { name: 'anchor-grader', major: 1 } as const;

export const graderHelloSchema = z.object({
  protocol: z.string(),
  major: z.int(),
  minor: z.int(),
  python: z.string(),
  /** Of the packages that decide a verdict; part of what a stored verdict rests on. */
  versions: z.record(z.string(), z.string()),
  /** `processorTimer`: the kernel ends the process when a pair has used its processor time; elsewhere only wall time counts. */
  limits: z.object({ addressBytes: z.int().nullable(), processorTimer: z.boolean() }),
});
export type GraderHello = z.infer<typeof graderHelloSchema>;

/** Two answers and how math-verify reads them; what is left out is its own default. */
export type ComparePair = {
  gold: string;
  answer: string;
  /** Each text is an answer by itself and is boxed before it is parsed (default); false searches both texts for their answers. */
  boxed?: boolean;
  targets?: readonly ('latex' | 'expr')[];
  /** A box counts more than what a sentence calls the final answer. */
  boxFirst?: boolean;
  floatRounding?: number;
  numericPrecision?: number;
  strict?: boolean;
  setRelations?: boolean;
  /** Two real numbers that differ by no more are equal as well. */
  tolerance?: number;
};

const formSchema = z.enum(['parsed', 'text', 'nothing']);
export const comparedSchema = z.object({
  equal: z.boolean(),
  gold: formSchema,
  answer: formSchema,
  /** Name of the failure inside the comparison, which counts as "not equal". */
  problem: z.string().nullable(),
  processorMs: z.number(),
});

/**
 * `timeout`: the pair used up its time and the process was killed; by the wall clock, where there is a processor timer, because the
 * machine was busy with something else. `lost`: the process died of the pair, twice.
 */
export type Comparison =
  | ({ outcome: 'compared'; wallMs: number } & z.infer<typeof comparedSchema>)
  | { outcome: 'timeout'; limit: 'processor' | 'wall'; wallMs: number; reason: string }
  | { outcome: 'lost'; wallMs: number; reason: string };
