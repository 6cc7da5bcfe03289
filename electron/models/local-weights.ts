import { aggregationOf, Failure, tisOf, trainSpecOf, type TrainConfig } from '../contract/index.ts';
import type {
  GenerateItem,
  Loaded,
  LoadRequest,
  Logprobs,
  LogprobsRequest,
  LossSpec,
  PromptItem,
  Rollout,
  UpdateItem,
  UpdateResult,
} from '../processes/index.ts';
import { LocalSampler, type TrainerProcess } from './local-sampler.ts';
import type {
  LoadedWeights,
  NamedSettings,
  RecoveryPoint,
  RolloutSampling,
  SavedWeights,
  WeightSet,
  WeightSetSettings,
} from './port.ts';

/**
 * Weights in a trainer process of this machine. When the process is lost, the recovery point is loaded and the open operation is
 * repeated, which gives the same result because sampling noise is counter-based and updates are identified by name.
 */
export class LocalWeightSet extends LocalSampler implements WeightSet {
  readonly #settings: WeightSetSettings;
  #point: RecoveryPoint;

  constructor(
    process: TrainerProcess,
    settings: WeightSetSettings,
    point: RecoveryPoint,
    onRecovery: (operation: string, why: string) => void,
  ) {
    super(process, onRecovery);
    this.#settings = settings;
    this.#point = point;
  }

  get version(): number {
    return this.#point.version;
  }

  get movedSeconds(): number {
    return this.process.client.movedSeconds(this.process.weights);
  }

  async load(beside: readonly NamedSettings[] = []): Promise<LoadedWeights> {
    this.process.hold(null);
    const loaded = await this.repeat('load', () => this.#loadPoint(false, beside));
    // Updates since the recovery point are replayed from the trainer's journal: `load` has dropped those of an earlier attempt, so
    // whatever is in it belongs to this step.
    this.process.hold(async () => {
      const { replayed, replayedExactly } = await this.#loadPoint(true, beside);
      if (replayed.length > 0 && !replayedExactly)
        this.onRecovery(
          `replay ${replayed.join(', ')}`,
          'on this device an update that is applied again differs in its last digits, so what follows cannot be repeated to the bit',
        );
      await this.process.client.restoreRollouts(this.process.weights);
    });
    return loaded;
  }

  async countTokens(prompts: readonly PromptItem[]): Promise<number[]> {
    if (prompts.length === 0) return [];
    return this.repeat('tokenize', () => this.process.client.countTokens(prompts, this.process.weights));
  }

  async generate(
    opKey: string,
    items: GenerateItem[],
    sampling: RolloutSampling,
    signal: AbortSignal,
    onRollout: (rollout: Rollout) => void,
  ): Promise<Rollout[]> {
    if (items.length === 0) return [];
    const seen = new Map<string, Rollout>();
    await this.repeat(`generate ${opKey}`, () =>
      this.process.client.generate(
        { policy: this.process.weights, opKey, items, sampling, keep: true },
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

  logprobs(request: LogprobsRequest): Promise<Logprobs> {
    return this.repeat('logprobs', () =>
      this.process.client.logprobs({ ...request, policy: this.process.weights }),
    );
  }

  async update(opId: string, items: UpdateItem[], beginsStage = false): Promise<UpdateResult> {
    const { train, temperature, seed, backend } = this.#settings;
    const tis = tisOf(train, backend);
    const result = await this.repeat(`update ${opId}`, () =>
      this.process.client.update({
        policy: this.process.weights,
        opId,
        expectVersion: this.#point.version,
        items,
        loss: {
          kind: 'pg-clip',
          level: train.level,
          agg: aggregationOf(train),
          clipLow: train.clipLow,
          clipHigh: train.clipHigh,
          dualClip: train.dualClip ?? undefined,
          entropyCoef: train.entropyCoefficient,
          kl: klOf(train),
          oldLogprobs: tis === null ? train.oldLogprobs : 'recompute',
          ...(tis === null ? {} : { tis }),
          temperature,
        },
        batch: {
          miniBatch: train.miniBatch ?? items.length,
          epochs: train.epochs,
          shuffleSeed: seed,
          order: 'given',
        },
        // Weights that begin at a model have no past to forget, and are their own reference.
        ...(beginsStage && this.#point.kind === 'checkpoint' ? { beginsFrom: this.#point.folder } : {}),
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

  async repeatUpdates(checkpoint: string, version: number): Promise<void> {
    // A lost process comes back at the recovery point, from which the same request leads to the same version.
    await this.repeat(`repeat to ${version}`, () =>
      this.process.client.repeat({ policy: this.process.weights, dir: checkpoint, version }),
    );
  }

  async save(folder: string, withMoments = true): Promise<SavedWeights> {
    return this.repeat('save', async () => {
      const { files, weightsSha256 } = await this.process.client.save({
        policy: this.process.weights,
        dir: folder,
        ...(withMoments
          ? { include: ['weights', 'optimizer', 'rng'] }
          : {
              include: ['weights', 'updates', 'rng'],
              momentsIn: this.#point.moments ?? this.#point.folder,
            }),
      });
      return { weightsSha256, files, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
    });
  }

  async commit(point: RecoveryPoint | null, opKeyPrefix: string): Promise<void> {
    if (point !== null) this.#point = point;
    await this.repeat('drop rollouts', () =>
      this.process.client.dropRollouts(opKeyPrefix, this.process.weights),
    );
  }

  #loadPoint(replay: boolean, beside: readonly NamedSettings[]): Promise<Loaded> {
    const request = loadRequestOf({ name: this.process.weights, settings: this.#settings }, beside);
    return this.process.client.load(
      this.#point.kind === 'model' ? request : { ...request, resume: { dir: this.#point.folder, replay } },
    );
  }
}

function klOf({ kl }: Pick<TrainConfig, 'kl'>): LossSpec['kl'] {
  if (kl === null) return undefined;
  const { coefficient, estimator, clamp } = kl;
  return { coef: coefficient, estimator, ...(clamp === undefined ? {} : { clamp }) };
}

/** What a trainer is asked for to load these weights from their model, or to plan it, beside others that it is to hold. */
export function loadRequestOf(
  { name, settings }: NamedSettings,
  beside: readonly NamedSettings[] = [],
): LoadRequest {
  const { model, device, backend, threads, offload, seed, maxSeqTokens, maxConcurrent, train, thinking } =
    settings;
  return {
    policy: name,
    model: { path: model },
    device,
    threads,
    seed,
    reference: train.kl === null ? 'none' : train.kl.reference === 'stage' ? 'stage' : 'copy',
    train: trainSpecOf(train),
    rollout: { maxSeqTokens, maxConcurrent, ...(backend === 'native' ? {} : { backend }) },
    ...(thinking ? { thinking } : {}),
    ...(offload === 'auto' ? {} : { offload }),
    ...(beside.length === 0 ? {} : { beside: beside.map((one) => loadRequestOf(one)) }),
  };
}
