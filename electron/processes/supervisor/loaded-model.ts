import { availableParallelism } from 'node:os';
import {
  type Llama,
  type LlamaContext,
  type LlamaContextOptions,
  type LlamaGrammar,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import { ProcessFailure } from '../child/failures.ts';
import type { GgufHeader } from '../gguf/header.ts';
import type {
  FramedPrompt,
  SupervisorComplete,
  SupervisorCompletion,
  SupervisorModel,
  SupervisorReview,
  SupervisorReviewResult,
  SupervisorToken,
  SupervisorWeigh,
  SupervisorWeighing,
} from '../supervisor-wire.ts';
import type { ChatMessage } from '../trainer-wire.ts';
import { enumerateAnswers, jsonGrammar } from './answer-schema.ts';
import { chatFrame, type ChatFrame } from './chat-frame.ts';
import { AnswerMemory } from './answer-memory.ts';
import { AnswerRows, inOrderOfRows } from './answer-rows.ts';
import { generate, throwIfCancelled, throwIfLate } from './generation.ts';
import { type Prompt, PromptedSequence } from './sequence.ts';
import { ThreadChoice, threadCounts } from './cores.ts';
import { Watchdog } from './watchdog.ts';
import { weighQuestions } from './weighing.ts';

/**
 * Up to this size on a CPU, attention is computed the plain way: flash attention takes 1 ms a token longer there, as its
 * path for single tokens works row by row (2.5 M parameters, 150 tokens of context).
 */
const PLAIN_ATTENTION_PARAMETERS = 100_000_000;
/** `general.file_type` of a GGUF whose matrices are all float32. */
const ALL_FLOAT32 = 0;
/** Reviews use a handful of schemas, one per phase and prompt pack. */
const CACHED_GRAMMARS = 32;

/** Reviews written side by side: one core took 214 ms for a round of eight and 132 ms for a single token (0.5 B parameters, Q4_K_M). */
const REVIEW_ROWS = 8;
/** As long as nothing else is chosen, a review's prompt has at most about 3,000 tokens and its answer 160; eight rows of more would take gigabytes. */
const REVIEW_TOKENS = 4096;

/** In tokens but for the number of rows. */
type LoadedSizes = { contextSize: number; rows?: number | undefined; reviewSize?: number | undefined };

type SideBySide = {
  contextSize: number;
  threads: ThreadChoice;
  /** For questions that are weighed. */
  sequence: PromptedSequence;
  rows: AnswerRows;
};

/** What holds answers to a schema: its grammar, and all texts it allows where they are few. */
type AnswerForm = { grammar: LlamaGrammar; answers: string[] | null };

/** Runs native work when nothing else of the model is at work: what was asked before goes first. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** One GGUF model with one context, whose answers depend on nothing that was asked before. */
export class LoadedModel {
  readonly facts: Omit<SupervisorModel, 'loadMs'>;
  readonly #llama: Llama;
  readonly #model: LlamaModel;
  readonly #context: LlamaContext;
  /** For what is asked alone. */
  readonly #sequence: PromptedSequence;
  /** Rows that the model was loaded for; null where they are made for reviews when the first comes. */
  readonly #rowCount: number | null;
  readonly #reviewSize: number;
  readonly #watchdog = new Watchdog();
  readonly #inTurn: InTurn;
  /** Made when the first answer is written beside others. */
  #rows: Promise<SideBySide> | null = null;
  #rowsContext: LlamaContext | null = null;
  readonly #frame: ChatFrame;
  readonly #memory = new AnswerMemory();
  readonly #grammars = new Map<string, AnswerForm>();
  /** Prompt and answer together, as asked for; the context itself may be rounded up. */
  readonly #contextSize: number;

  private constructor(
    llama: Llama,
    model: LlamaModel,
    context: LlamaContext,
    header: GgufHeader,
    { contextSize, rows, reviewSize = REVIEW_TOKENS }: LoadedSizes,
    inTurn: InTurn,
  ) {
    this.#llama = llama;
    this.#model = model;
    this.#context = context;
    this.#sequence = new PromptedSequence(context.getSequence());
    this.#rowCount = rows ?? null;
    this.#reviewSize = Math.min(contextSize, reviewSize);
    this.#inTurn = inTurn;
    this.#frame = chatFrame(model, header.chatTemplate);
    this.#contextSize = contextSize;
    this.facts = {
      architecture: header.architecture,
      parameters: header.parameters,
      contextSize,
      trainContextSize: header.contextLength,
      sizeBytes: header.sizeBytes,
      chat: this.#frame.name,
      gpu: llama.gpu === false ? null : llama.gpu,
    };
  }

  /** Throws `badModel` when native code refuses the file. */
  static async open(
    llama: Llama,
    header: GgufHeader,
    options: LoadedSizes & { path: string; threads: number; gpu: false | 'auto' },
    inTurn: InTurn,
  ): Promise<LoadedModel> {
    const contextSize = Math.min(options.contextSize, header.contextLength ?? options.contextSize);
    let model: LlamaModel | null = null;
    try {
      model = await llama.loadModel({
        modelPath: options.path,
        gpuLayers: options.gpu === false ? 0 : 'auto',
        checkTensors: true,
      });
      const context = await model.createContext({
        contextSize,
        sequences: 1 + (options.rows ?? 0),
        ...(options.rows === undefined ? {} : { batching: { itemPrioritizationStrategy: inOrderOfRows } }),
        threads: options.threads,
        batchSize: Math.min(512, contextSize),
        ...(options.gpu === false && header.parameters <= PLAIN_ATTENTION_PARAMETERS
          ? plainAttention(header)
          : {}),
      });
      return new LoadedModel(llama, model, context, header, { ...options, contextSize }, inTurn);
    } catch (error) {
      await model?.dispose();
      const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
      throw new ProcessFailure(
        'supervisor',
        {
          kind: 'badModel',
          message: `${options.path} cannot be used as a supervisor: ${why}. Details are in the supervisor's log.`,
        },
        { cause: error },
      );
    }
  }

  /**
   * Rows that answers are written in side by side: those that the model was loaded for, else in a context of their own with a sequence
   * more for questions that are weighed.
   */
  #sideBySide(): Promise<SideBySide> {
    this.#rows ??= this.#inTurn(async () => {
      const contextSize = this.#rowCount === null ? this.#reviewSize : this.#contextSize;
      const rowCount = this.#rowCount ?? REVIEW_ROWS;
      const counts = threadCounts(rowCount, this.#llama.maxThreads, availableParallelism());
      if (this.#rowCount === null)
        this.#rowsContext = await this.#model.createContext({
          contextSize,
          sequences: rowCount + 1,
          batching: { itemPrioritizationStrategy: inOrderOfRows },
          threads: Math.max(...counts),
          batchSize: Math.min(512, contextSize),
        });
      const context = this.#rowsContext ?? this.#context;
      const threads = new ThreadChoice(counts, (count) => {
        this.#llama.maxThreads = count;
      });
      const sequence =
        this.#rowsContext === null ? this.#sequence : new PromptedSequence(context.getSequence());
      const sequences = Array.from({ length: rowCount }, () => context.getSequence());
      const tools = { watchdog: this.#watchdog, threads };
      return {
        contextSize,
        threads,
        sequence,
        rows: new AnswerRows(this.#model, sequences, tools, this.#inTurn),
      };
    });
    return this.#rows;
  }

  async dispose(): Promise<void> {
    await this.#rowsContext?.dispose();
    await this.#context.dispose();
    await this.#model.dispose();
  }

  countTokens(text: string): number {
    return this.#model.tokenize(text, false).length;
  }

  frame(messages: readonly ChatMessage[]): FramedPrompt {
    const tokens = this.#frame.tokens(messages);
    return {
      ids: tokens.map(Number),
      text: this.#model.detokenize(tokens, true),
      controlPositions: tokens.flatMap((token, index) => (this.#model.isSpecialToken(token) ? [index] : [])),
    };
  }

  /** Takes its own turns where the request is one that is written beside others; else the caller has to have the turn. */
  async review(request: SupervisorReview, signal: AbortSignal): Promise<SupervisorReviewResult> {
    const started = performance.now();
    const form = await this.#answerForm(request.schema);
    const foreign =
      form.answers === null
        ? undefined
        : request.likely?.find((answer) => form.answers?.includes(answer) === false);
    if (foreign !== undefined)
      throw new ProcessFailure('supervisor', {
        kind: 'badRequest',
        message: `The likely answer ${foreign} does not fit the review schema.`,
      });
    const known = this.#memory.get(request);
    const completion = known ?? (await this.#evaluate(request, form, signal));
    this.#memory.put(request, completion);
    // Beside others the time passes for all of them; the share of this one is what it reports.
    const milliseconds =
      request.side === undefined || known !== null ? performance.now() - started : completion.milliseconds;
    return { ...completion, milliseconds, value: parseOrNull(completion.text) };
  }

  /** Takes its own turn. Each question is evaluated alone after the material, so neither their number nor their order changes an answer. */
  async weigh(
    { system, user, questions, timeoutMs, patience }: SupervisorWeigh,
    signal: AbortSignal,
  ): Promise<SupervisorWeighing> {
    const prompts = questions.map((question) =>
      this.#chatPrompt([
        { role: 'system', content: system },
        { role: 'user', content: `${user}${question}` },
      ]),
    );
    const { sequence, threads, contextSize } = await this.#sideBySide();
    for (const { tokens } of prompts) this.#checkLength(tokens, 1, contextSize);
    const bare = this.#chatPrompt([
      { role: 'system', content: system },
      { role: 'user', content: user },
    ]);
    return this.#inTurn(async () => {
      // What is asked beside it takes turns as well; waiting for those is none of its time.
      const started = performance.now();
      const tokens = sequence.left(prompts[0] as Prompt);
      const limitMs = threads.limitMs({ timeoutMs, patience }, { prompt: tokens, answer: 0 });
      const check = (tick: () => void): void => {
        tick();
        throwIfCancelled(signal);
        throwIfLate(started, limitMs);
      };
      const found = await threads.time('prompt', tokens, () =>
        this.#watchdog.guard((tick) =>
          weighQuestions(this.#model, sequence, prompts, bare, () => check(tick)),
        ),
      );
      return { ...found, milliseconds: performance.now() - started };
    });
  }

  async #evaluate(
    request: SupervisorReview,
    { grammar, answers }: AnswerForm,
    signal: AbortSignal,
  ): Promise<SupervisorCompletion> {
    const prompt = this.#chatPrompt([
      { role: 'system', content: request.system },
      { role: 'user', content: request.user },
    ]);
    const state = (): LlamaGrammarEvaluationState =>
      new LlamaGrammarEvaluationState({ model: this.#model, grammar });
    if (request.side !== undefined) {
      const { rows, contextSize } = await this.#sideBySide();
      this.#checkLength(prompt.tokens, request.maxTokens, contextSize);
      const alone = request.side === 'alone';
      return rows.write({ ...request, prompt, signal, stop: [], grammar: state, alone });
    }
    this.#checkLength(prompt.tokens, request.maxTokens);
    return generate(this.#model, this.#sequence, prompt, {
      ...request,
      signal,
      stop: [],
      watchdog: this.#watchdog,
      grammar: state,
      closed: answers === null ? null : { answers, likely: request.likely ?? [] },
    });
  }

  /** @param onToken hears each token of an answer that is written by itself with `alternatives`. */
  async complete(
    request: SupervisorComplete,
    signal: AbortSignal,
    onToken: (token: SupervisorToken) => void,
  ): Promise<SupervisorCompletion> {
    const { prompt: raw, messages = [], side, alternatives = 0, contextSize, ...sampling } = request;
    const prompt =
      raw === undefined ? this.#chatPrompt(messages) : { tokens: this.#model.tokenize(raw, true), shared: 0 };
    const free = {
      ...sampling,
      stop: request.stop ?? [],
      timeoutMs: request.timeoutMs ?? null,
      grammar: null,
      signal,
    };
    const beside = side === undefined ? null : await this.#sideBySide();
    const room = beside?.contextSize ?? this.#contextSize;
    this.#checkLength(prompt.tokens, request.maxTokens, Math.min(contextSize ?? room, room));
    if (beside !== null) return beside.rows.write({ ...free, prompt, alone: side === 'alone' });
    return generate(this.#model, this.#sequence, prompt, {
      ...free,
      watchdog: this.#watchdog,
      watched: alternatives > 0 ? { alternatives, onToken } : null,
    });
  }

  /** Shared is what no user's text can change: the system's turn and the mark that begins the user's. */
  #chatPrompt(messages: readonly ChatMessage[]): Prompt {
    const tokens = this.#frame.tokens(messages);
    const empty = this.#frame.tokens([
      ...messages.filter(({ role }, index) => role === 'system' && index === 0),
      { role: 'user', content: '' },
    ]);
    const differs = tokens.findIndex((token, index) => token !== empty[index]);
    return { tokens, shared: differs === -1 ? 0 : differs };
  }

  /** @throws ProcessFailure `promptTooLong`, or `badRequest` for an empty prompt, which no model can answer. */
  #checkLength(tokens: readonly Token[], maxTokens: number, contextSize = this.#contextSize): void {
    if (tokens.length === 0)
      throw new ProcessFailure('supervisor', {
        kind: 'badRequest',
        message: 'The prompt for the supervisor is empty.',
      });
    if (tokens.length + maxTokens <= contextSize) return;
    const limit = contextSize - maxTokens;
    throw new ProcessFailure('supervisor', {
      kind: 'promptTooLong',
      detail: { tokens: tokens.length, limit, contextSize, maxTokens },
      message: `The prompt for the supervisor has ${tokens.length} tokens; ${limit} fit beside an answer of ${maxTokens} in its context of ${contextSize}.`,
    });
  }

  async #answerForm(schema: Record<string, unknown>): Promise<AnswerForm> {
    const text = jsonGrammar(schema);
    const known = this.#grammars.get(text);
    if (known) return known;
    const form = {
      grammar: await this.#llama.createGrammar({ grammar: text }),
      answers: enumerateAnswers(schema),
    };
    const [oldest] = this.#grammars.keys();
    if (this.#grammars.size >= CACHED_GRAMMARS && oldest !== undefined) this.#grammars.delete(oldest);
    this.#grammars.set(text, form);
    return form;
  }
}

/** Keys and values are cached as precisely as the weights are: greedy texts of a float32 file then equal the trainer's. */
function plainAttention(header: GgufHeader): Partial<LlamaContextOptions> {
  const cache = header.metadata.get('general.file_type') === ALL_FLOAT32 ? 'F32' : 'F16';
  return { flashAttention: false, experimentalKvCacheKeyType: cache, experimentalKvCacheValueType: cache };
}

/** An answer cut off by its token limit is no JSON; that is a result and not an error. */
function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
