import { getLlama, type Llama } from 'node-llama-cpp';
import { z } from 'zod';
import { ProcessFailure } from '../child/failures.ts';
import { readGgufHeader } from '../gguf/header.ts';
import {
  completeParamsSchema,
  conversationSchema,
  loadParamsSchema,
  reviewParamsSchema,
  weighParamsSchema,
  type SupervisorModel,
} from '../supervisor-wire.ts';
import { throwIfCancelled } from './generation.ts';
import { LoadedModel } from './loaded-model.ts';
import type { Method } from './rpc-server.ts';

const NEVER = new AbortController().signal;
const textSchema = z.strictObject({ text: z.string() });

/** The methods of the worker: one model at a time, requests one after the other. */
export class ModelHost {
  #llama: { gpu: boolean; llama: Llama } | null = null;
  #model: LoadedModel | null = null;
  /** End of the queue; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  methods(): Record<string, Method> {
    return {
      hello: () => ({ pid: process.pid, node: process.version }),
      load: (params, signal) =>
        this.#inTurn(signal, () => this.#load(parseParams('load', loadParamsSchema, params))),
      unload: (_params, signal) =>
        this.#inTurn(signal, async () => {
          await this.#unload();
          return {};
        }),
      review: (params, signal) => {
        const request = parseParams('review', reviewParamsSchema, params);
        return this.#sideOrTurn(request, signal, () => this.#loaded().review(request, signal));
      },
      weigh: (params, signal) => {
        const request = parseParams('weigh', weighParamsSchema, params);
        return this.#afterLoads(signal, () => this.#loaded().weigh(request, signal));
      },
      complete: (params, signal, tell) => {
        const request = parseParams('complete', completeParamsSchema, params);
        return this.#sideOrTurn(request, signal, () =>
          this.#loaded().complete(request, signal, (token) => tell('token', token)),
        );
      },
      tokenCount: (params) => ({
        tokens: this.#loaded().countTokens(parseParams('tokenCount', textSchema, params).text),
      }),
      frame: (params) => this.#loaded().frame(parseParams('frame', conversationSchema, params).messages),
    };
  }

  /** What is written beside others takes turns of its own. */
  #sideOrTurn<T>({ side }: { side?: unknown }, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return side === undefined ? this.#inTurn(signal, work) : this.#afterLoads(signal, work);
  }

  /** For work that takes turns of its own, several of which may be under way: begins after everything asked before. */
  async #afterLoads<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#last;
    throwIfCancelled(signal);
    return work();
  }

  /** Runs after everything asked before; a request cancelled while it waits never runs. */
  #inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      throwIfCancelled(signal);
      return work();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  #loaded(): LoadedModel {
    if (!this.#model)
      throw new ProcessFailure('supervisor', {
        kind: 'notLoaded',
        message: 'The supervisor has no model loaded; load a GGUF file first.',
      });
    return this.#model;
  }

  async #load(params: z.output<typeof loadParamsSchema>): Promise<SupervisorModel> {
    const started = performance.now();
    await this.#unload();
    const header = readGgufHeader(params.path);
    const llama = await this.#engine(params.gpu !== false, params.threads);
    this.#model = await LoadedModel.open(llama, header, params, (work) => this.#inTurn(NEVER, work));
    return { ...this.#model.facts, loadMs: Math.round(performance.now() - started) };
  }

  async #unload(): Promise<void> {
    const model = this.#model;
    this.#model = null;
    await model?.dispose();
  }

  async #engine(gpu: boolean, threads: number): Promise<Llama> {
    if (this.#llama?.gpu === gpu) {
      this.#llama.llama.maxThreads = threads;
      return this.#llama.llama;
    }
    await this.#llama?.llama.dispose();
    // Prebuilt binaries only: an air-gapped machine must neither download nor compile.
    const llama = await getLlama({
      gpu: gpu ? 'auto' : false,
      build: 'never',
      skipDownload: true,
      maxThreads: threads,
      progressLogs: false,
      logger: (level, message) => {
        process.stderr.write(`${level}: ${message}\n`);
      },
    });
    this.#llama = { gpu, llama };
    return llama;
  }
}

function parseParams<T>(method: string, schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ProcessFailure('supervisor', {
    kind: 'badRequest',
    message: `The field "${issue?.path.join('.') || 'params'}" of a ${method} request is wrong: ${issue?.message}.`,
  });
}
