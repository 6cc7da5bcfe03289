import type { LlamaGrammarEvaluationState, LlamaModel, Token } from 'node-llama-cpp';
import { ProcessFailure } from '../child/process-failure.ts';
import type { SupervisorCompletion } from '../supervisor-wire.ts';
import { draftedAnswer } from './drafted-answer.ts';
import type { Prompt, PromptedSequence } from './prompted-sequence.ts';

/** The sampler takes 32 bits, of which the highest value means "choose one yourself". */
const SAMPLER_SEEDS = 0xffff_ffff;
/** Usual cut of the tail when sampling is not greedy; small judges otherwise wander off. */
const TOP_K = 40;
const TOP_P = 0.95;
/** Native code that returns so long after the time was up is stuck, and only the end of its process ends it. */
const STUCK_AFTER_MS = 60_000;
const EXIT_STUCK = 75;

export type GenerationOptions = {
  maxTokens: number;
  seed: number;
  temperature: number;
  stop: string[];
  /** Makes a state of the grammar that has seen nothing yet; null for free text. */
  grammar: (() => LlamaGrammarEvaluationState) | null;
  /** The texts the grammar allows, when they are few, and which of them come often: greedy answers are then drafted. */
  closed?: { answers: readonly string[]; likely: readonly string[] } | null;
  /** Milliseconds from now, or null for no limit. */
  timeoutMs?: number | null;
  signal: AbortSignal;
};

/**
 * Evaluates a prompt and writes the answer, which depends on nothing the sequence held before. Raw evaluation instead of a
 * chat session: a session costs eight times as much per review (277 ms against 33 ms with a model of 2.8 M parameters).
 *
 * Throws `timeout` or `cancelled`; the sequence is usable afterwards. Ends the process when native code does not come back.
 */
export async function generate(model: LlamaModel, sequence: PromptedSequence, prompt: Prompt, options: GenerationOptions): Promise<SupervisorCompletion> {
  if (typeof options.timeoutMs !== 'number') return write(model, sequence, prompt, options);
  const stuck = setTimeout(() => {
    process.stderr.write(`native evaluation did not return ${STUCK_AFTER_MS / 1000} s after the time limit\n`);
    process.exit(EXIT_STUCK);
  }, options.timeoutMs + STUCK_AFTER_MS);
  try {
    return await write(model, sequence, prompt, options);
  } finally {
    clearTimeout(stuck);
  }
}

async function write(model: LlamaModel, sequence: PromptedSequence, prompt: Prompt, options: GenerationOptions): Promise<SupervisorCompletion> {
  const started = performance.now();
  const check = (): void => {
    if (options.signal.aborted) throw new ProcessFailure('supervisor', { kind: 'cancelled', message: 'The request to the supervisor was cancelled.' });
    if (typeof options.timeoutMs === 'number' && performance.now() - started > options.timeoutMs) {
      throw new ProcessFailure('supervisor', {
        kind: 'timeout', retryable: true, message: `The supervisor did not finish its answer within ${options.timeoutMs / 1000} s.`,
      });
    }
  };
  const finish = (text: string, tokensOut: number, stopReason: SupervisorCompletion['stopReason']): SupervisorCompletion => (
    { text, tokensIn: prompt.tokens.length, tokensOut, milliseconds: performance.now() - started, stopReason }
  );

  const rest = await sequence.begin(prompt, check);
  const restStart = sequence.sequence.nextTokenIndex;
  if (options.temperature === 0 && options.closed) {
    const answer = await draftedAnswer(model, sequence, rest, { ...options.closed, maxTokens: options.maxTokens, check });
    if (answer !== null) return finish(answer.text, answer.tokensOut, 'end');
    await sequence.returnTo(restStart);
  }
  const written: Token[] = [];
  const tokens = sequence.sequence.evaluate([...rest], {
    temperature: options.temperature, topK: TOP_K, topP: TOP_P, seed: options.seed % SAMPLER_SEEDS, yieldEogToken: true,
    grammarEvaluationState: options.grammar?.(),
  });
  for await (const token of tokens) {
    check();
    if (model.isEogToken(token)) return finish(model.detokenize(written), written.length, 'end');
    written.push(token);
    const cut = cutAtStop(model, written, options.stop);
    if (cut !== null) return finish(cut, written.length, 'stop');
    if (written.length >= options.maxTokens) break;
  }
  return finish(model.detokenize(written), written.length, 'length');
}

/** Text before the first stop string, or null while none has appeared. */
function cutAtStop(model: LlamaModel, written: Token[], stop: string[]): string | null {
  if (stop.length === 0) return null;
  const text = model.detokenize(written);
  const places = stop.map((word) => text.indexOf(word)).filter((place) => place !== -1);
  return places.length === 0 ? null : text.slice(0, Math.min(...places));
}
