import type { LlamaGrammarEvaluationState, LlamaModel } from 'node-llama-cpp';
import { ProcessFailure } from '../../child/process-failure.ts';
import type { SupervisorCompletion } from '../../supervisor-wire.ts';
import { draftedAnswer } from './drafted-answer.ts';
import type { Prompt, PromptedSequence } from './prompted-sequence.ts';
import { samplerOf, Writing, type Limits, type Sampling } from './writing.ts';

/** Native code that returns so long after the time was up is stuck, and only the end of its process ends it. */
const STUCK_AFTER_MS = 60_000;
const EXIT_STUCK = 75;

export type GenerationOptions = Sampling &
  Limits & {
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
export async function generate(
  model: LlamaModel,
  sequence: PromptedSequence,
  prompt: Prompt,
  options: GenerationOptions,
): Promise<SupervisorCompletion> {
  if (typeof options.timeoutMs !== 'number') return write(model, sequence, prompt, options);
  const stuck = setTimeout(() => {
    process.stderr.write(
      `native evaluation did not return ${STUCK_AFTER_MS / 1000} s after the time limit\n`,
    );
    process.exit(EXIT_STUCK);
  }, options.timeoutMs + STUCK_AFTER_MS);
  try {
    return await write(model, sequence, prompt, options);
  } finally {
    clearTimeout(stuck);
  }
}

async function write(
  model: LlamaModel,
  sequence: PromptedSequence,
  prompt: Prompt,
  options: GenerationOptions,
): Promise<SupervisorCompletion> {
  const started = performance.now();
  const check = (): void => {
    throwIfCancelled(options.signal);
    if (typeof options.timeoutMs === 'number' && performance.now() - started > options.timeoutMs) {
      throw new ProcessFailure('supervisor', {
        kind: 'timeout',
        retryable: true,
        message: `The supervisor did not finish its answer within ${options.timeoutMs / 1000} s.`,
      });
    }
  };
  const finish = (
    text: string,
    tokensOut: number,
    stopReason: SupervisorCompletion['stopReason'],
  ): SupervisorCompletion => ({
    text,
    tokensIn: prompt.tokens.length,
    tokensOut,
    milliseconds: performance.now() - started,
    stopReason,
  });

  const rest = await sequence.begin(prompt, check);
  const restStart = sequence.sequence.nextTokenIndex;
  if (options.temperature === 0 && options.closed) {
    const answer = await draftedAnswer(model, sequence, rest, {
      ...options.closed,
      maxTokens: options.maxTokens,
      check,
    });
    if (answer !== null) return finish(answer.text, answer.tokensOut, 'end');
    await sequence.returnTo(restStart);
  }
  const writing = new Writing(model, options);
  for await (const token of sequence.sequence.evaluate([...rest], {
    ...samplerOf(options),
    grammarEvaluationState: options.grammar?.(),
  })) {
    check();
    const end = writing.take(token);
    if (end !== null) return finish(end.text, end.tokensOut, end.stopReason);
  }
  return finish(model.detokenize(writing.tokens), writing.tokens.length, 'length');
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ProcessFailure('supervisor', {
      kind: 'cancelled',
      message: 'The request to the supervisor was cancelled.',
    });
}
