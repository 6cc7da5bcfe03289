import type { LlamaContextSequence, LlamaGrammarEvaluationState, LlamaModel, Token } from 'node-llama-cpp';
import { ProcessFailure } from '../child/process-failure.ts';
import type { SupervisorCompletion } from '../supervisor-wire.ts';

/** The sampler takes 32 bits, of which the highest value means "choose one yourself". */
const SAMPLER_SEEDS = 0xffff_ffff;
/** Usual cut of the tail when sampling is not greedy; small judges otherwise wander off. */
const TOP_K = 40;
const TOP_P = 0.95;
/** Native code that returns so long after the time was up is stuck, and only the end of its process ends it. */
const STUCK_AFTER_MS = 60_000;
const EXIT_STUCK = 75;
/** Prompt tokens evaluated between two looks at the clock. Fixed, so that the arithmetic is the same each time. */
const PREFILL_CHUNK = 512;

export type GenerationOptions = {
  maxTokens: number;
  seed: number;
  temperature: number;
  stop: string[];
  grammar: LlamaGrammarEvaluationState | null;
  /** Milliseconds from now, or null for no limit. */
  timeoutMs?: number | null;
  signal: AbortSignal;
};

/**
 * Evaluates a prompt from an empty history and writes the answer token by token. Raw evaluation instead of a chat
 * session: a session costs eight times as much per review (277 ms against 33 ms with a model of 2.8 M parameters).
 *
 * Throws `timeout` or `cancelled`; the sequence is usable afterwards. Ends the process when native code does not come back.
 */
export async function generate(model: LlamaModel, sequence: LlamaContextSequence, prompt: Token[], options: GenerationOptions): Promise<SupervisorCompletion> {
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

async function write(model: LlamaModel, sequence: LlamaContextSequence, prompt: Token[], options: GenerationOptions): Promise<SupervisorCompletion> {
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
    { text, tokensIn: prompt.length, tokensOut, milliseconds: performance.now() - started, stopReason }
  );

  await sequence.clearHistory();
  let rest = prompt;
  for (; rest.length > PREFILL_CHUNK; rest = rest.slice(PREFILL_CHUNK)) {
    await sequence.evaluateWithoutGeneratingNewTokens(rest.slice(0, PREFILL_CHUNK));
    check();
  }
  const written: Token[] = [];
  const tokens = sequence.evaluate(rest, {
    temperature: options.temperature, topK: TOP_K, topP: TOP_P, seed: options.seed % SAMPLER_SEEDS, yieldEogToken: true,
    grammarEvaluationState: options.grammar ?? undefined,
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
