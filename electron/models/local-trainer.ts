import { Failure, POLICY_ROLE } from '../contract/index.ts';
import {
  isProcessLost,
  startTrainer,
  type ExportForm,
  type Loaded,
  type LoadRequest,
  type MemoryPlan,
  type TrainerClient,
  type TrainerOptions,
} from '../processes/index.ts';
import { LocalSampler, type TrainerProcess } from './local-sampler.ts';
import { loadRequestOf, LocalWeightSet } from './local-weights.ts';
import type {
  ExportSource,
  NamedSettings,
  RecoveryPoint,
  Trainer,
  WatchedSampler,
  WeightSet,
  WeightSetSettings,
} from './port.ts';

const MAX_ATTEMPTS = 4; // the restart policy gives up on its own after five restarts in ten minutes

/**
 * Starts a trainer process on this machine. @throws ProcessFailure when it cannot be started.
 * @param attempts how often an operation is tried that loses the process.
 */
export async function startLocalTrainer(options: TrainerOptions, attempts = MAX_ATTEMPTS): Promise<Trainer> {
  return new LocalTrainer(await startTrainer(options), options.logFile, attempts);
}

/** A child process of this machine. The one place where the loss of a process that holds weights is recovered from. */
export class LocalTrainer implements Trainer {
  readonly #client: TrainerClient;
  readonly #logFile: string;
  readonly #attempts: number;
  /** How each weight set that the process holds is loaded again, by name. */
  readonly #reloads = new Map<string, () => Promise<unknown>>();
  /** Counts recoveries, so that two operations that lose the same process start only one again. */
  #life = 0;
  #recovering: Promise<void> | null = null;

  constructor(client: TrainerClient, logFile: string, attempts: number) {
    this.#client = client;
    this.#logFile = logFile;
    this.#attempts = attempts;
  }

  get capabilities(): Trainer['capabilities'] {
    return { replaysToTheBit: true, devices: this.#client.hello.devices.map(({ name }) => name) };
  }

  get pid(): number | undefined {
    return this.#client.pid;
  }

  weights(
    settings: WeightSetSettings,
    point: RecoveryPoint,
    onRecovery: (operation: string, why: string) => void,
    name: string = POLICY_ROLE,
  ): WeightSet {
    return new LocalWeightSet(this.#process(name), settings, point, onRecovery);
  }

  plan([first, ...others]: readonly [NamedSettings, ...NamedSettings[]]): Promise<MemoryPlan> {
    return this.#client.plan(loadRequestOf(first, others));
  }

  async sampler(request: LoadRequest): Promise<{ sampler: WatchedSampler; loaded: Loaded }> {
    const process = this.#process(request.policy ?? POLICY_ROLE);
    const load = (): Promise<Loaded> => this.#client.load(request);
    process.hold(null);
    const loaded = await this.#repeatOnLoss('load', load, () => {});
    process.hold(load);
    return { sampler: new LocalSampler(process), loaded };
  }

  async unload(name: string): Promise<void> {
    this.#reloads.delete(name);
    await this.#client.unload(name);
  }

  async export(source: ExportSource, form: ExportForm): Promise<void> {
    await this.#client.load({
      train: { mode: 'none' },
      ...source,
      rollout: { maxSeqTokens: 64, maxConcurrent: 1 },
      device: 'cpu',
      threads: 1,
      seed: 0,
      reference: 'none',
    });
    await this.#client.export(form);
  }

  async close(): Promise<void> {
    await this.#client.shutdown();
  }

  #process(weights: string): TrainerProcess {
    return {
      weights,
      client: this.#client,
      repeatOnLoss: (operation, action, onRecovery) => this.#repeatOnLoss(operation, action, onRecovery),
      hold: (reload) => {
        if (reload === null) this.#reloads.delete(weights);
        else this.#reloads.set(weights, reload);
      },
    };
  }

  async #repeatOnLoss<T>(
    operation: string,
    action: () => Promise<T>,
    onRecovery: (operation: string, why: string) => void,
  ): Promise<T> {
    let lost: number | null = null;
    for (let attempt = 1; ; attempt += 1) {
      // A process that was started again a moment ago holds nothing yet.
      await this.#recovering?.catch(() => {});
      let life = this.#life;
      try {
        if (lost === life) life = await this.#recover();
        return await action();
      } catch (error) {
        if (!isProcessLost(error) || this.#attempts === 1) throw error;
        if (attempt === this.#attempts) {
          throw new Failure(
            'trainerLost',
            `The trainer was lost ${this.#attempts} times during "${operation}" (${error.message}); see ${this.#logFile}, then resume what was at work.`,
            1,
            { cause: error },
          );
        }
        onRecovery(operation, error.message);
        lost = life;
      }
    }
  }

  async #recover(): Promise<number> {
    this.#recovering ??= (async () => {
      await this.#client.ensureRunning();
      for (const reload of this.#reloads.values()) await reload();
      this.#life += 1;
    })().finally(() => {
      this.#recovering = null;
    });
    await this.#recovering;
    return this.#life;
  }
}
