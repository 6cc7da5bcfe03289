import { LlamaGrammarEvaluationState, type Llama, type LlamaContext, type LlamaContextSequence, type LlamaGrammar, type LlamaModel, type Token } from 'node-llama-cpp';
import { ProcessFailure } from '../child/process-failure.ts';
import type { GgufHeader } from '../gguf-header.ts';
import type {
  FramedPrompt, SupervisorComplete, SupervisorCompletion, SupervisorModel, SupervisorReview, SupervisorReviewResult,
} from '../supervisor-wire.ts';
import { chatFrame, type ChatFrame } from './chat-frame.ts';
import { generate } from './generation.ts';
import { jsonGrammar } from './json-grammar.ts';

/**
 * Up to this size on a CPU, keys and values are cached in full precision and attention is computed the plain way: that costs
 * nothing there (39 against 36 ms a review at 2.8 M parameters) and lets greedy texts equal the trainer's. Above it the
 * cache is half as large.
 */
const FULL_PRECISION_PARAMETERS = 100_000_000;
/** Reviews use a handful of schemas, one per phase and prompt pack. */
const CACHED_GRAMMARS = 32;

/** One GGUF model with one context and one sequence, whose answers depend on nothing that was asked before. */
export class LoadedModel {
  readonly facts: Omit<SupervisorModel, 'loadMs'>;
  readonly #llama: Llama;
  readonly #model: LlamaModel;
  readonly #context: LlamaContext;
  readonly #sequence: LlamaContextSequence;
  readonly #frame: ChatFrame;
  readonly #grammars = new Map<string, LlamaGrammar>();
  /** Prompt and answer together, as asked for; the context itself may be rounded up. */
  readonly #contextSize: number;

  private constructor(llama: Llama, model: LlamaModel, context: LlamaContext, header: GgufHeader, contextSize: number) {
    this.#llama = llama;
    this.#model = model;
    this.#context = context;
    this.#sequence = context.getSequence();
    this.#frame = chatFrame(model, header.chatTemplate);
    this.#contextSize = contextSize;
    this.facts = {
      architecture: header.architecture, parameters: header.parameters, contextSize, trainContextSize: header.contextLength,
      sizeBytes: header.sizeBytes, chat: this.#frame.name, gpu: llama.gpu === false ? null : llama.gpu,
    };
  }

  /** Throws `badModel` when native code refuses the file. */
  static async open(llama: Llama, header: GgufHeader, options: { path: string; contextSize: number; threads: number; gpu: false | 'auto' }): Promise<LoadedModel> {
    const contextSize = Math.min(options.contextSize, header.contextLength ?? options.contextSize);
    let model: LlamaModel | null = null;
    try {
      model = await llama.loadModel({ modelPath: options.path, gpuLayers: options.gpu === false ? 0 : 'auto', checkTensors: true });
      const context = await model.createContext({
        contextSize, sequences: 1, threads: options.threads, batchSize: Math.min(512, contextSize),
        ...(options.gpu === false && header.parameters <= FULL_PRECISION_PARAMETERS
          ? { flashAttention: false, experimentalKvCacheKeyType: 'F32', experimentalKvCacheValueType: 'F32' } : {}),
      });
      return new LoadedModel(llama, model, context, header, contextSize);
    } catch (error) {
      await model?.dispose();
      throw new ProcessFailure('supervisor', {
        kind: 'badModel',
        message: `${options.path} cannot be used as a supervisor: ${error instanceof Error ? error.message : String(error)}. Details are in the supervisor's log.`,
      }, { cause: error });
    }
  }

  async dispose(): Promise<void> {
    await this.#context.dispose();
    await this.#model.dispose();
  }

  countTokens(text: string): number {
    return this.#model.tokenize(text, false).length;
  }

  frame(prompt: { system: string; user: string }): FramedPrompt {
    const tokens = this.#frame.tokens(prompt.system, prompt.user);
    return {
      ids: tokens.map(Number), text: this.#model.detokenize(tokens, true),
      controlPositions: tokens.flatMap((token, index) => (this.#model.isSpecialToken(token) ? [index] : [])),
    };
  }

  async review(request: SupervisorReview, signal: AbortSignal): Promise<SupervisorReviewResult> {
    const tokens = this.#frame.tokens(request.system, request.user);
    this.#checkLength(tokens, request.maxTokens);
    const grammar = await this.#grammar(request.schema);
    const completion = await generate(this.#model, this.#sequence, tokens, {
      ...request, signal, stop: [], grammar: new LlamaGrammarEvaluationState({ model: this.#model, grammar }),
    });
    return { ...completion, value: parseOrNull(completion.text) };
  }

  async complete(request: SupervisorComplete, signal: AbortSignal): Promise<SupervisorCompletion> {
    const tokens = request.prompt === undefined
      ? this.#frame.tokens(request.system ?? '', request.user ?? '')
      : this.#model.tokenize(request.prompt, true);
    this.#checkLength(tokens, request.maxTokens);
    return generate(this.#model, this.#sequence, tokens, {
      ...request, stop: request.stop ?? [], timeoutMs: request.timeoutMs ?? null, signal, grammar: null,
    });
  }

  #checkLength(tokens: Token[], maxTokens: number): void {
    const limit = this.#contextSize - maxTokens;
    if (tokens.length > 0 && tokens.length <= limit) return;
    if (tokens.length === 0) throw new ProcessFailure('supervisor', { kind: 'badRequest', message: 'The prompt for the supervisor is empty.' });
    throw new ProcessFailure('supervisor', {
      kind: 'promptTooLong', detail: { tokens: tokens.length, limit, contextSize: this.#contextSize, maxTokens },
      message: `The prompt for the supervisor has ${tokens.length} tokens; ${limit} fit beside an answer of ${maxTokens} in its context of ${this.#contextSize}.`,
    });
  }

  async #grammar(schema: Record<string, unknown>): Promise<LlamaGrammar> {
    const text = jsonGrammar(schema);
    const known = this.#grammars.get(text);
    if (known) return known;
    const grammar = await this.#llama.createGrammar({ grammar: text });
    const [oldest] = this.#grammars.keys();
    if (this.#grammars.size >= CACHED_GRAMMARS && oldest !== undefined) this.#grammars.delete(oldest);
    this.#grammars.set(text, grammar);
    return grammar;
  }
}

/** An answer cut off by its token limit is no JSON; that is a result and not an error. */
function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
