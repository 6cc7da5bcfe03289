import type { RunConfig } from '../../contract/index.ts';
import type { GgufRows, Sampler, SamplingLimits } from '../../models/index.ts';
import type { LoadRequest } from '../../processes/index.ts';

/** Answers of each length within the window that `tokensOf` gives it, however large the one is that the model was loaded for. */
export function withinOwn(sampler: Sampler, tokensOf: (maxNewTokens: number) => number): Sampler {
  const within = <L extends SamplingLimits>(limits: L): L => ({
    ...limits,
    contextTokens: tokensOf(limits.maxNewTokens),
  });
  return {
    sample: (messages, n, options) => sampler.sample(messages, n, within(options)),
    sampleEach: (requests, limits, ...rest) => sampler.sampleEach(requests, within(limits), ...rest),
  };
}

/** Toy questions fit what a run's own prompts fit. */
const SHORT_ANSWER_TOKENS = 256;
const TRAINER_ROWS = 64; // answers do not depend on each other; a wide batch is fastest, also on one core
/** Keys and values of so many tokens are held at once: 64 short rows, or a few long ones. */
const TOKENS_AT_ONCE = 131_072;
/** Room for a question. */
const QUESTION_TOKENS = 4096;

type Trained = { config: RunConfig; contextTokens: number | null };

/** The window that a trainer's answers of up to `maxNewTokens` have, questions included. */
export function trainerWindow({ config, contextTokens }: Trained, maxNewTokens: number): number {
  const isShort = maxNewTokens <= SHORT_ANSWER_TOKENS;
  const wanted = (isShort ? config.generation.maxPromptTokens : QUESTION_TOKENS) + maxNewTokens;
  return Math.min(wanted, contextTokens ?? wanted);
}

/** How a trainer is loaded for suites of these longest answers: with room for whichever takes most, questions included. */
export function trainerRollout(subject: Trained, lengths: readonly number[]): LoadRequest['rollout'] {
  const maxSeqTokens = Math.max(...lengths.map((length) => trainerWindow(subject, length)));
  return {
    maxSeqTokens,
    maxConcurrent: Math.max(1, Math.min(TRAINER_ROWS, Math.floor(TOKENS_AT_ONCE / maxSeqTokens))),
  };
}

/** Answers of up to so many tokens share one size of window. */
const SHORT_ANSWER = 1024;
const LONG_ANSWER = 4096;
/** Reading the weights once for each token of eight answers is most of what more rows could save. */
const MOST_ROWS = 8;
/** Of all rows: llama.cpp sets the room for keys and values aside at once, and that of one sequence more beside them. */
const CACHE_BYTES = 4 * 2 ** 30;
/** Of a model whose file does not say how much a token takes: one of 7 billion parameters with as many key heads as heads. */
const USUAL_BYTES_PER_TOKEN = 2 ** 19;
const UNKNOWN_WINDOW = 8192; // of a model whose file does not say
/** No answer of a suite says the same over and over for so long; a model that does so goes on to its limit. */
const LOOP_TOKENS = 512;

/**
 * How a GGUF model is loaded for answers of up to `maxNewTokens`. The numbers of an answer depend on how many rows are computed
 * together, so this is a function of model and suite, and of nothing that the machine or the other suites are.
 */
export function ggufRows(
  model: { contextTokens: number | null; cacheBytesPerToken: number | null },
  maxNewTokens: number,
): GgufRows {
  const wanted =
    QUESTION_TOKENS +
    (maxNewTokens <= SHORT_ANSWER
      ? SHORT_ANSWER
      : maxNewTokens <= LONG_ANSWER
        ? LONG_ANSWER
        : 2 ** Math.ceil(Math.log2(maxNewTokens)));
  const contextTokens = Math.min(model.contextTokens ?? UNKNOWN_WINDOW, wanted);
  const rowBytes = contextTokens * (model.cacheBytesPerToken ?? USUAL_BYTES_PER_TOKEN);
  let rows = MOST_ROWS;
  while (rows > 1 && rows * rowBytes > CACHE_BYTES) rows /= 2;
  return { contextTokens, rows, loopTokens: LOOP_TOKENS };
}
