import { Failure, type TrainConfig } from '../contract/index.ts';
import {
  isProcessLost,
  type ChatMessage,
  type GenerateItem,
  type Loaded,
  type LoadRequest,
  type Rollout,
  type TrainerClient,
  type UpdateItem,
  type UpdateResult,
} from '../processes/index.ts';

export type LoadedWeights = Pick<Loaded, 'weightsSha256' | 'contextLength' | 'device' | 'parameters'>;
export type Sampling = { temperature: number; topP: number; topK: number; maxNewTokens: number };
export type SavedWeights = {
  weightsSha256: string;
  bytes: number;
  files: { path: string; bytes: number; sha256: string }[];
};

/** What a weight set is made of and how it is computed. */
export type WeightSetSettings = {
  /** Folder of the model it starts from, which a KL term is measured against. */
  model: string;
  device: LoadRequest['device'];
  threads: number;
  /** Shuffles an update's sequences. */
  seed: number;
  /** Tokens of a prompt and its answer together. */
  maxSeqTokens: number;
  /** Rows of the continuous batch. */
  maxConcurrent: number;
  /** Temperature at which the rollouts of an update were sampled. */
  temperature: number;
  train: TrainConfig;
};

/** What a restart returns to: the checkpoint a run last committed, or the model it starts from. version = updates applied to reach it. */
export type RecoveryPoint = { kind: 'checkpoint' | 'model'; folder: string; version: number };

/**
 * Weights that a run trains, as a step sees them: pure generation and one idempotent update, whatever happens to the process that
 * does the work. A lost trainer is started again from the recovery point and the open operation is repeated, which
 * gives the same result because sampling noise is counter-based and updates are identified by name.
 */
export class WeightSet {
  readonly #trainer: TrainerClient;
  readonly #settings: WeightSetSettings;
  readonly #onRecovery: (operation: string, why: string) => void;
  #point: RecoveryPoint;

  /** @param onRecovery called when a lost trainer makes an operation start over. */
  constructor(
    trainer: TrainerClient,
    settings: WeightSetSettings,
    point: RecoveryPoint,
    onRecovery: (operation: string, why: string) => void,
  ) {
    this.#trainer = trainer;
    this.#settings = settings;
    this.#point = point;
    this.#onRecovery = onRecovery;
  }

  get version(): number {
    return this.#point.version;
  }

  /** Loads the recovery point, dropping updates that were applied but never committed. */
  async load(): Promise<LoadedWeights> {
    return this.#repeat('load', () => this.#loadPoint(false));
  }

  /** Prompt lengths in tokens, chat template included. */
  async countTokens(prompts: (readonly ChatMessage[])[]): Promise<number[]> {
    if (prompts.length === 0) return [];
    return this.#repeat('tokenize', () => this.#trainer.countTokens(prompts));
  }

  /**
   * Generates all items as one continuous batch; each finished rollout is passed on at once, exactly once.
   * Pure in (weights, items, sampling): repeating it gives the same texts.
   */
  async generate(
    opKey: string,
    items: GenerateItem[],
    sampling: Sampling,
    signal: AbortSignal,
    onRollout: (rollout: Rollout) => void,
  ): Promise<Rollout[]> {
    if (items.length === 0) return [];
    const seen = new Map<string, Rollout>();
    await this.#repeat(`generate ${opKey}`, () =>
      this.#trainer.generate(
        { opKey, items, sampling, keep: true },
        {
          signal,
          onRollout: (rollout) => {
            if (rollout.finish === 'cancel' || seen.has(rollout.rolloutId)) return;
            seen.set(rollout.rolloutId, rollout);
            onRollout(rollout);
          },
        },
      ),
    );
    signal.throwIfAborted();
    return [...seen.values()];
  }

  /**
   * One update of the weights; asking again with the same name returns the first result without applying anything.
   * @throws Failure `notFinite` when no part of it could be applied: going on would only look like training.
   */
  async update(opId: string, items: UpdateItem[]): Promise<UpdateResult> {
    const { train, temperature, seed } = this.#settings;
    const result = await this.#repeat(`update ${opId}`, () =>
      this.#trainer.update({
        opId,
        expectVersion: this.#point.version,
        items,
        loss: {
          kind: 'pg-clip',
          level: train.level,
          agg: train.aggregate,
          clipLow: train.clipLow,
          clipHigh: train.clipHigh,
          dualClip: train.dualClip ?? undefined,
          entropyCoef: train.entropyCoefficient,
          kl: train.kl === null ? undefined : { coef: train.kl.coefficient, estimator: train.kl.estimator },
          oldLogprobs: train.oldLogprobs,
          temperature,
        },
        batch: {
          miniBatch: train.miniBatch ?? items.length,
          epochs: train.epochs,
          shuffleSeed: seed,
          order: 'given',
        },
      }),
    );
    if (result.optimizerSteps === 0 && result.loss.length > 0) {
      throw new Failure(
        'notFinite',
        `The update ${opId} was not finite (loss ${result.loss[0] ?? 'no number'}, gradient ${result.gradNorm[0] ?? 'no number'}), so the weights were left as they were; lower train.learningRate or train.gradClip in a new run, or resume to try the step again.`,
      );
    }
    return result;
  }

  /** Writes a loadable checkpoint of the present weights and optimizer; atomic. */
  async save(folder: string): Promise<SavedWeights> {
    return this.#repeat('save', async () => {
      const { files, weightsSha256 } = await this.#trainer.save({
        dir: folder,
        include: ['weights', 'optimizer', 'rng'],
      });
      return { weightsSha256, files, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
    });
  }

  /** Makes `point` the state that a restart returns to and forgets the rollouts that led there. */
  async commit(point: RecoveryPoint, opKeyPrefix: string): Promise<void> {
    this.#point = point;
    await this.#repeat('drop rollouts', () => this.#trainer.dropRollouts(opKeyPrefix));
  }

  async #loadPoint(replay: boolean): Promise<LoadedWeights> {
    const request = this.#loadRequest();
    return this.#trainer.load(
      this.#point.kind === 'model' ? request : { ...request, resume: { dir: this.#point.folder, replay } },
    );
  }

  #loadRequest(): LoadRequest {
    const { model, device, threads, seed, maxSeqTokens, maxConcurrent, train } = this.#settings;
    return {
      model: { path: model },
      device,
      threads,
      seed,
      reference: train.kl === null ? 'none' : 'copy',
      train: {
        mode: 'full',
        precision: 'master32',
        packTokens: train.packTokens,
        optim: {
          kind: 'adamw',
          lr: train.learningRate,
          betas: train.betas,
          eps: train.epsilon,
          weightDecay: train.weightDecay,
          warmupSteps: train.warmupSteps,
          gradClip: train.gradClip,
        },
      },
      rollout: { maxSeqTokens, maxConcurrent },
    };
  }

  /**
   * Repeats an operation on a fresh trainer when the present one is lost. Updates since the recovery point are replayed from the
   * trainer's journal first: `load` has dropped those of an earlier attempt, so whatever is in it belongs to this step.
   */
  async #repeat<T>(operation: string, action: () => Promise<T>): Promise<T> {
    let lost = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (lost) {
          await this.#trainer.ensureRunning();
          await this.#loadPoint(true);
          await this.#trainer.restoreRollouts();
        }
        return await action();
      } catch (error) {
        if (!isProcessLost(error)) throw error;
        const why = (error as Error).message;
        if (attempt === MAX_ATTEMPTS) {
          throw new Failure(
            'trainerLost',
            `The trainer was lost ${MAX_ATTEMPTS} times during "${operation}" (${why}); see the run's trainer.log, then resume the run.`,
            1,
            { cause: error },
          );
        }
        this.#onRecovery(operation, why);
        lost = true;
      }
    }
  }
}

const MAX_ATTEMPTS = 4; // the restart policy gives up on its own after five restarts in ten minutes
