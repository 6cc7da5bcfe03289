import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeFolders } from '../core/index.ts';
import { Failure, type RunConfig, type SandboxConfig } from '../contract/index.ts';
import type { ResourcePaths, LabFolder, RunFolder } from '../library/index.ts';
import { startLocalTrainer, type Trainer } from '../models/index.ts';
import {
  isProcessLost,
  startGrader,
  startRunner,
  startSupervisor,
  type GraderClient,
  type RunnerClient,
  type SupervisorClient,
} from '../processes/index.ts';
import type { Computing } from '../supervision/index.ts';
import type { ProcessMonitor } from '../machine/index.ts';

/**
 * The engine's child processes. One runner and one supervisor per kind, and one grader, serve all runs; every run has a trainer of its own,
 * because a trainer holds one policy's weights.
 */
export class Children {
  readonly #resources: ResourcePaths;
  readonly #lab: LabFolder;
  readonly #watch: ProcessMonitor;
  readonly #runners = new Map<string, Promise<RunnerClient>>();
  readonly #supervisors = new Map<string, Promise<SupervisorClient>>();
  readonly #graders = new Map<string, Promise<GraderClient>>();

  constructor(resources: ResourcePaths, lab: LabFolder, watch: ProcessMonitor) {
    this.#resources = resources;
    this.#lab = lab;
    this.#watch = watch;
  }

  /** @throws Failure `executionDisabled` when the sandbox does not hold at the wanted level. */
  async runner(sandbox: SandboxConfig): Promise<RunnerClient> {
    const name = `runner-${sandbox.level}-${sandbox.workers}`;
    const runner = await memoizeStart(this.#runners, name, () =>
      retryStart(() =>
        startRunner({
          python: this.#resources.python,
          brokerPath: this.#resources.runnerBroker,
          level: sandbox.level,
          workers: sandbox.workers,
          logFile: join(this.#lab.logs, `${name}.log`),
          onState: this.#watch.follow('runner', null, name).onState,
        }),
      ),
    );
    if (!runner.hello.executionAllowed) {
      throw new Failure(
        'executionDisabled',
        `Model-written programs cannot be executed safely here (${runner.hello.why}); check every part in Settings, or with "anchor doctor", for the remedy.`,
      );
    }
    return runner;
  }

  /** The process that compares the mathematical answers of all runs. */
  grader(): Promise<GraderClient> {
    return memoizeStart(this.#graders, 'grader', () =>
      retryStart(() =>
        startGrader({
          python: this.#resources.python,
          moduleDir: this.#resources.graderModule,
          logFile: join(this.#lab.logs, 'grader.log'),
          onState: this.#watch.follow('grader', null, 'grader').onState,
        }),
      ),
    );
  }

  /** A supervisor process with `path` loaded; the second caller shares it. */
  async supervisor(
    path: string,
    { threads, device = 'cpu', windowTokens }: Computing,
    contextSize: number,
  ): Promise<SupervisorClient> {
    const window = windowTokens === undefined ? contextSize : `${contextSize}/${windowTokens}`;
    const name = `${device}:${threads}:${window}:${path}`;
    return memoizeStart(this.#supervisors, name, async () => {
      const client = await retryStart(() =>
        startSupervisor({
          logFile: join(this.#lab.logs, 'supervisor.log'),
          onState: this.#watch.follow('supervisor', null, name).onState,
        }),
      );
      try {
        const gpu = device === 'cpu' ? false : 'auto';
        await client.load({ path, contextSize, reviewSize: windowTokens, threads, gpu });
        return client;
      } catch (error) {
        await client.close();
        throw error;
      }
    });
  }

  /** A fresh trainer; whoever starts it shuts it down. */
  async trainer(config: RunConfig, folder: RunFolder): Promise<Trainer> {
    makeFolders(folder.spool);
    const runId = basename(folder.root);
    return retryStart(() =>
      startLocalTrainer({
        python: this.#resources.python,
        moduleDir: this.#resources.trainerModule,
        runDir: folder.root,
        spoolDir: folder.spool,
        logFile: folder.trainerLog,
        vllm: this.#resources.vllm,
        threads: config.policy.threads,
        ...this.#watch.follow('trainer', runId, `trainer of ${runId}`),
      }),
    );
  }

  /**
   * A trainer for one purpose with a scratch folder of its own; both are gone when `use` has ended, however it ends.
   * @param attempts how often an operation is tried that loses the process; the trainer's own number when absent.
   * @param signal ends the process at once when aborted.
   */
  async withTrainer<T>(
    purpose: string,
    threads: number,
    use: (trainer: Trainer) => Promise<T>,
    attempts?: number,
    signal?: AbortSignal,
  ): Promise<T> {
    const scratch = mkdtempSync(join(tmpdir(), `anchor-${purpose}-`));
    try {
      const trainer = await retryStart(() =>
        startLocalTrainer(
          {
            python: this.#resources.python,
            moduleDir: this.#resources.trainerModule,
            runDir: scratch,
            spoolDir: join(scratch, 'spool'),
            logFile: join(this.#lab.logs, `${purpose}-trainer.log`),
            threads,
            signal,
          },
          attempts,
        ),
      );
      return await use(trainer).finally(() => trainer.close());
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }

  /** The run ends its own processes from here on. */
  forgetRun(runId: string): void {
    this.#watch.forgetRun(runId);
  }

  async close(): Promise<void> {
    const clients = [...this.#runners.values(), ...this.#supervisors.values(), ...this.#graders.values()];
    this.#runners.clear();
    this.#supervisors.clear();
    this.#graders.clear();
    this.#watch.close();
    await Promise.all(clients.map(async (starting) => (await starting.catch(() => null))?.close()));
  }
}

/** Starts once per name, also when two ask at the same time; a failed start may be tried again. */
async function memoizeStart<T>(
  started: Map<string, Promise<T>>,
  name: string,
  start: () => Promise<T>,
): Promise<T> {
  const present = started.get(name);
  if (present !== undefined) return present;
  const starting = start();
  started.set(name, starting);
  starting.catch(() => started.delete(name));
  return starting;
}

const START_ATTEMPTS = 3;

/** A child that is killed while it starts is started again; one that cannot start says why at once. */
async function retryStart<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (isProcessLost(error) && attempt < START_ATTEMPTS) continue;
      throw error;
    }
  }
}
