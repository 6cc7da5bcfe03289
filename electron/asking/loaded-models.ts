import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/index.ts';
import { requireAsResolved, type ResolvedSubject } from '../evaluation/index.ts';
import { availableMemory, readGpus } from '../machine/index.ts';
import { GgufSampler, type Trainer, type WatchedSampler } from '../models/index.ts';
import { startSupervisor, type SupervisorClient } from '../processes/index.ts';
import type { AskingServices } from './services.ts';

/** A model that was loaded to answer. `hasChat`: it puts messages into a form of its own. */
export type AskedModel = {
  sampler: WatchedSampler;
  weightsSha256: string;
  hasChat: boolean;
  /** Tokens of question and answer together. */
  contextTokens: number;
};

/** Question, conversation and answer together; longer ones are refused with a sentence. */
const MOST_TOKENS = 8192;
/** Of a GGUF model whose file does not say how long its window is. */
const UNKNOWN_WINDOW = 4096;
/** Models that stay loaded: one for each side. */
const KEPT = 2;
const SLOTS = ['asked-1', 'asked-2'] as const;
/** The same question to both sides of one model, with and without a context, is answered side by side. */
const ROWS = 2;
/** So long a model stays loaded after its last answer. */
const IDLE_MS = 5 * 60_000;
/** An answer that was lost with its process is begun again once; then whoever asked is told. */
const ATTEMPTS = 2;
/** Passages that a GGUF model repeats over so many tokens end its answer. */
const LOOP_TOKENS = 512;
/** What a llama.cpp process takes beside weights, keys and values: measured 90 to 160 MB. */
const PROCESS_BYTES = 200_000_000;

type Held = {
  key: string;
  /** Under which name a trainer holds it; null for a process of its own. */
  slot: string | null;
  /** Sizes and times of the files that it was loaded from. */
  stamp: string;
  model: AskedModel;
  usedAt: number;
  release: () => Promise<void>;
};

type Loaded = Pick<Held, 'slot' | 'model' | 'release'>;

/** One trainer process, and the end of its work. */
type HeldTrainer = { trainer: Trainer; release: () => void; ended: Promise<void> };

/**
 * The models that were asked last stay loaded, so that the next answer begins at once. Every weight set of safetensors lies in one trainer
 * process for each number of threads, every GGUF file has a process of its own; none is a run's, whose process nobody else may use.
 */
export class LoadedModels {
  readonly #services: AskingServices;
  readonly #freeBytes: () => number;
  readonly #trainers = new Map<number, Promise<HeldTrainer>>();
  #held: Held[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** Loading is done one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(services: AskingServices, freeBytes: () => number = availableMemory) {
    this.#services = services;
    this.#freeBytes = freeBytes;
  }

  /**
   * The subject, ready to answer. @param beside keys of subjects that the same question needs, which stay.
   * @throws Failure `modelChanged` where its files are not the stored ones, `oom` where it does not fit, or what its process says of it.
   */
  take(resolved: ResolvedSubject, beside: readonly string[] = []): Promise<AskedModel> {
    const taken = this.#turn.then(() => this.#take(resolved, beside));
    this.#turn = taken.catch(() => {});
    return taken;
  }

  /** What was loaded is not what answers any more: the next question loads it anew. */
  async drop(resolved: ResolvedSubject): Promise<void> {
    const key = keyOf(resolved);
    const dropped = this.#held.filter((each) => each.key === key);
    this.#held = this.#held.filter((each) => each.key !== key);
    await Promise.all(dropped.map((each) => each.release()));
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#turn;
    const [held, trainers] = [this.#held, [...this.#trainers.values()]];
    this.#held = [];
    this.#trainers.clear();
    await Promise.all([
      ...held.map((each) => each.release().catch(() => {})),
      ...trainers.map(async (starting) => {
        const found = await starting.catch(() => null);
        found?.release();
        await found?.ended;
      }),
    ]);
  }

  async #take(resolved: ResolvedSubject, beside: readonly string[]): Promise<AskedModel> {
    const key = keyOf(resolved);
    const stamp = stampOf(resolved);
    const present = this.#held.find((each) => each.key === key);
    if (present !== undefined && present.stamp === stamp) return this.#use(present);
    if (present !== undefined) await this.drop(resolved);
    await requireAsResolved(this.#services, resolved);
    while (this.#held.length >= KEPT) {
      const free = this.#held.filter((each) => !beside.includes(each.key));
      const oldest = (free.length > 0 ? free : this.#held).toSorted((a, b) => a.usedAt - b.usedAt)[0]!;
      this.#held = this.#held.filter((each) => each !== oldest);
      await oldest.release().catch(() => {}); // a process that is gone holds nothing
    }
    const loaded = await this.#load(resolved);
    const held = { key, stamp, usedAt: 0, ...loaded };
    this.#held.push(held);
    return this.#use(held);
  }

  #use(held: Held): AskedModel {
    held.usedAt = this.#services.clock.monotonicMs();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.close(), IDLE_MS);
    this.#timer.unref();
    return held.model;
  }

  async #load(resolved: ResolvedSubject): Promise<Loaded> {
    try {
      return await (resolved.subject.format === 'gguf'
        ? this.#loadGguf(resolved)
        : this.#loadWeights(resolved));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'oom') throw error;
      throw new Failure('oom', `${error.message}${this.#whoHoldsMemory()}`, 1, { cause: error });
    }
  }

  /** A run at work keeps its memory, and nothing of it may be disturbed for a question. */
  #whoHoldsMemory(): string {
    const [first] = this.#services.activity().atWork;
    return first === undefined
      ? ' Ask a smaller model, or close other programs.'
      : ` Run "${this.#services.store.requireRun(first).config.name}" is at work and keeps its own; ask when it has ended, or pause it.`;
  }

  async #loadWeights(resolved: ResolvedSubject): Promise<Loaded> {
    const { path, config, contextTokens } = resolved;
    const { threads, device } = config.policy;
    const { trainer } = await this.#trainer(threads);
    const slot = SLOTS.find((each) => !this.#held.some((other) => other.slot === each)) ?? SLOTS[0];
    const maxSeqTokens = Math.min(contextTokens ?? MOST_TOKENS, MOST_TOKENS);
    const { sampler, loaded } = await trainer.sampler({
      policy: slot,
      model: { path },
      train: { mode: 'none' },
      rollout: { maxSeqTokens, maxConcurrent: ROWS },
      device,
      threads,
      seed: 0,
      reference: 'none',
      ...(config.policy.thinking === 'on' ? { thinking: true } : {}),
    });
    return {
      slot,
      model: {
        sampler,
        weightsSha256: loaded.weightsSha256,
        hasChat: loaded.tokenizer.templateSha256 !== null,
        contextTokens: maxSeqTokens,
      },
      release: () => trainer.unload(slot),
    };
  }

  async #loadGguf(resolved: ResolvedSubject): Promise<Loaded> {
    const { path, config, subject } = resolved;
    const contextTokens = Math.min(resolved.contextTokens ?? UNKNOWN_WINDOW, MOST_TOKENS);
    const keysBytes = contextTokens * (resolved.cacheBytesPerToken ?? 0);
    const needed = statSync(path).size + keysBytes + PROCESS_BYTES;
    const free = this.#freeBytes();
    // What a graphics card takes, llama.cpp decides by itself.
    if (needed > free && (config.policy.device === 'cpu' || (await readGpus()).cards.length === 0))
      throw new Failure(
        'oom',
        `The model in ${path} needs ${gigabytes(needed)} GB of memory (keys and values of ${contextTokens} tokens among them), but ${gigabytes(free)} GB are free; nothing was loaded.`,
      );
    const client: SupervisorClient = await startSupervisor({
      logFile: join(this.#services.lab.logs, 'asked.log'),
    });
    try {
      await client.load({
        path,
        contextSize: contextTokens,
        threads: config.policy.threads,
        gpu: config.policy.device === 'cpu' ? false : 'auto',
      });
    } catch (error) {
      await client.close();
      throw error;
    }
    const sampler = new GgufSampler(client, { contextTokens, rows: 1, loopTokens: LOOP_TOKENS });
    return {
      slot: null,
      model: { sampler, weightsSha256: subject.sha256, hasChat: true, contextTokens },
      release: () => client.close(),
    };
  }

  /** The process lives until `release`; its scratch folder goes with it. */
  #trainer(threads: number): Promise<HeldTrainer> {
    const present = this.#trainers.get(threads);
    if (present !== undefined) return present;
    const starting = new Promise<HeldTrainer>((resolve, reject) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const ended = this.#services.children.withTrainer(
        'ask',
        threads,
        async (trainer) => {
          resolve({ trainer, release, ended: ended.catch(() => {}) });
          await released;
        },
        ATTEMPTS,
      );
      ended.catch(reject);
    });
    this.#trainers.set(threads, starting);
    starting.catch(() => this.#trainers.delete(threads));
    return starting;
  }
}

export const keyOf = ({ subject, path }: ResolvedSubject): string =>
  `${subject.id}\n${path}\n${subject.sha256}`;

/** Sizes and times of what a run stored; models of the library are compared when they are resolved. */
const stampOf = ({ stored }: ResolvedSubject): string =>
  stored
    .map(({ path }) => {
      if (!existsSync(path)) return `${path}:gone`;
      const { size, mtimeMs } = statSync(path);
      return `${path}:${size}:${mtimeMs}`;
    })
    .join('\n');

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
