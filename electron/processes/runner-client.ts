import { z } from 'zod';
import { failureKindSchema } from '../contract/index.ts';
import { systemClock, type Clock } from './child/timing.ts';
import { pythonEnvironment } from './child/program.ts';
import { type Dialect, parseAnswer } from './child/json-rpc.ts';
import {
  type Backoff,
  type ProcessState,
  RestartingProcess,
  retryOnLoss,
  Turns,
} from './child/restarting-process.ts';
import { ManagedChild } from './child/managed-child.ts';
import { ProcessFailure } from './child/failures.ts';
import {
  extractionSchema,
  gradeResultSchema,
  type Extraction,
  type GradeJob,
  type GradeResult,
} from './runner-grading.ts';
import {
  checkResultSchema,
  distancesSchema,
  helloSchema,
  parseFactsSchema,
  runResultSchema,
  type CheckJob,
  type CheckResult,
  type ParseFacts,
  type RunJob,
  type RunResult,
  type RunnerHello,
} from './runner-wire.ts';

/** The values of one graded program are at most 16 MiB of report; no other answer comes near it. A line is read in one go. */
const MAX_LINE_BYTES = 20 * 1024 * 1024;
/** The start includes a dozen sandbox probes on a possibly busy machine. */
const HANDSHAKE_TIMEOUT_MS = 120_000;
/** Longest sensible wait for any answer while jobs are open; a job is limited to seconds, a graded program to what its request says. */
const SILENCE = { limitMs: 60_000, slowLimitMs: 12 * 3_600_000, heartbeats: false };
/** A job may take eight times its wall time on a machine that is too busy for it; then its answer is due. */
const STRETCH = 8;
const ANSWER_GRACE_MS = 60_000;
const EXTRACT_WALL_S = 60;
const DISTANCE_WALL_S = 60;
/** Of a program whose tree is compared; what the broker takes in is of this order as well, and no policy writes as much. */
const MAX_COMPARED_CHARACTERS = 100_000;

export type RunnerOptions = {
  /** Python ≥ 3.11; needs nothing installed. */
  python: string;
  brokerPath: string;
  level: 'auto' | 'L3' | 'L2' | 'unsafe';
  workers: number;
  logFile: string;
  onState?(state: ProcessState): void;
  clock?: Clock;
  backoff?: Backoff;
};

/** The broker's own form: `{id, op, …}` and `{id, ok, result | error}`. */
const BROKER: Dialect = {
  encode: (id, op, params) => ({ ...params, id, op }),
  decode: (message) => {
    const id = typeof message.id === 'number' ? message.id : null;
    if (message.ok === true && id !== null) return { type: 'result', id, result: message.result };
    if (message.ok !== false) return null;
    const error = brokerErrorSchema.safeParse(message.error);
    return error.success ? { type: 'error', id, error: error.data } : null;
  },
};
const brokerErrorSchema = z.object({ kind: failureKindSchema.catch('internal'), message: z.string() });

const killsProcess = (error: unknown): error is ProcessFailure =>
  error instanceof ProcessFailure && error.kind === 'requestKillsProcess';

/** The result of a job that loses the runner whenever it is asked for. The same each time: nothing in it is measured. */
function diedOf(error: unknown, { calls }: CheckJob, level: RunResult['level']): RunResult {
  if (!killsProcess(error)) throw error;
  return {
    level,
    status: 'died',
    calls: calls.map((_, index) => ({ status: index === 0 ? 'died' : 'notRun' })),
    stdout: '',
    stderr: '',
    wallMs: 0,
    cpuMs: 0,
  };
}

/** Starts the sandbox broker and runs its self-test. Throws ProcessFailure when it cannot be started. */
export async function startRunner(options: RunnerOptions): Promise<RunnerClient> {
  const client = new RunnerClient(options);
  await client.open();
  return client;
}

/**
 * Runs model-written programs in the sandbox. Requests may be concurrent; the broker spreads them over its workers. A
 * lost broker is started again and what was outstanding is sent again, one after the other, unseen by the caller; what loses it again
 * by itself is given up, and is a result like any other where a program was run.
 */
export class RunnerClient {
  readonly #options: RunnerOptions;
  readonly #process: RestartingProcess;
  readonly #turns = new Turns();
  #hello: RunnerHello | null = null;

  /** Use startRunner. */
  constructor(options: RunnerOptions) {
    this.#options = options;
    const clock = options.clock ?? systemClock;
    this.#process = new RestartingProcess({
      name: 'runner',
      clock,
      backoff: options.backoff,
      onState: options.onState,
      start: () =>
        ManagedChild.start(
          {
            name: 'runner',
            command: options.python,
            args: ['-s', options.brokerPath],
            env: pythonEnvironment(null, 1),
            channel: 'stdio',
            dialect: BROKER,
            maxLineBytes: MAX_LINE_BYTES,
            logFile: options.logFile,
            handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
            silence: SILENCE,
            clock,
            onEvent: () => {},
          },
          (child) => this.#handshake(child),
        ),
    });
  }

  async open(): Promise<void> {
    await this.#process.start();
  }

  /** Level, self-test and whether programs may be executed; of the present broker. */
  get hello(): RunnerHello {
    if (!this.#hello)
      throw new ProcessFailure('runner', { kind: 'notStarted', message: 'The runner has not been started.' });
    return this.#hello;
  }

  get pid(): number | undefined {
    return this.#process.child.pid;
  }

  /**
   * Runs one program and its calls. One that loses the runner each time it is the only job has `died`, as one that ends its own process.
   * Throws `executionDisabled` when the sandbox's self-test failed.
   */
  run(job: RunJob): Promise<RunResult> {
    return this.#pure('run', job, runResultSchema).catch((error) => diedOf(error, job, this.hello.level));
  }

  /** Runs the job on two hash seeds, twice each, and tells whether all values were the same. One that loses the runner has `died`. */
  check(job: CheckJob): Promise<CheckResult> {
    return this.#pure('check', job, checkResultSchema).catch((error) => ({
      ...diedOf(error, job, this.hello.level),
      deterministic: false,
      differs: [],
    }));
  }

  /**
   * Static facts of each program, in the order given; `ok: false` with the reason for one that is no Python, or that the runner does
   * not survive reading.
   */
  async parse(programs: readonly string[]): Promise<ParseFacts[]> {
    if (programs.length === 0) return [];
    try {
      return await this.#pure('parse', { programs }, z.array(parseFactsSchema).length(programs.length));
    } catch (error) {
      if (!killsProcess(error)) throw error;
      if (programs.length === 1)
        return [{ ok: false, error: { type: 'ParserStopped', message: 'The runner did not survive it.' } }];
    }
    const facts: ParseFacts[] = [];
    for (const program of programs) facts.push(...(await this.parse([program])));
    return facts;
  }

  /**
   * How far a program's syntax tree is from those of the references, 0 to 1, as Absolute Zero's repository measures it (native/runner/README.md).
   * null for what is too long to be compared, or was not in time, and for all where the runner does not survive them.
   */
  async distances(program: string, references: readonly string[]): Promise<(number | null)[]> {
    const compared = references.filter((text) => text.length <= MAX_COMPARED_CHARACTERS);
    if (program.length > MAX_COMPARED_CHARACTERS || compared.length === 0) return references.map(() => null);
    const found = await this.#pure(
      'distance',
      { program, references: compared },
      distancesSchema.length(compared.length),
      { slow: true, answerWithinMs: DISTANCE_WALL_S * STRETCH * 1000 + ANSWER_GRACE_MS },
    ).catch((error: unknown) => {
      if (!killsProcess(error)) throw error;
      return compared.map(() => null);
    });
    return references.map((text) =>
      text.length > MAX_COMPARED_CHARACTERS ? null : (found[compared.indexOf(text)] ?? null),
    );
  }

  /** Runs a program on tests, each within its own time, and tells what every one returned. Gold stays with the caller. */
  grade(job: GradeJob): Promise<GradeResult> {
    const wallMs = (job.limits?.wallSeconds ?? 60) * 1000;
    return this.#pure('grade', job, gradeResultSchema, {
      slow: true,
      answerWithinMs: wallMs * STRETCH + ANSWER_GRACE_MS,
    });
  }

  /** The program in each answer, by EvalPlus's rules, in the order given; see native/runner/README.md. */
  async extract(texts: readonly { text: string; entry: string | null }[]): Promise<Extraction[]> {
    if (texts.length === 0) return [];
    const withinMs = EXTRACT_WALL_S * STRETCH * 1000 + ANSWER_GRACE_MS;
    const answers = await this.#pure('extract', { texts }, extractionSchema, {
      slow: true,
      answerWithinMs: withinMs,
    });
    if (answers.length !== texts.length)
      throw new ProcessFailure('runner', {
        kind: 'badAnswer',
        message: `The runner answered ${answers.length} of ${texts.length} texts.`,
      });
    return answers;
  }

  /** Runs the probes again on the present broker. */
  async selfTest(): Promise<RunnerHello> {
    return retryOnLoss(this.#process, 'runner', 'self-test', async (child) => {
      await this.#handshake(child);
      return this.hello;
    });
  }

  /** Counters of the broker, as it names them. */
  stats(): Promise<Record<string, unknown>> {
    return this.#pure('stats', {}, z.record(z.string(), z.unknown()));
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #handshake(child: ManagedChild): Promise<void> {
    const { level, workers } = this.#options;
    const answer = await child.call('hello', { workers, level, hashSeeds: [0, 4242] }, { slow: true }).result;
    this.#hello = parseAnswer('runner', 'hello', helloSchema, answer);
  }

  #pure<T>(
    op: string,
    params: object,
    schema: z.ZodType<T>,
    patience: { slow?: boolean; answerWithinMs?: number } = {},
  ): Promise<T> {
    return retryOnLoss(
      this.#process,
      'runner',
      `${op} job`,
      async (child) => parseAnswer('runner', op, schema, await child.call(op, params, patience).result),
      this.#turns,
    );
  }
}
