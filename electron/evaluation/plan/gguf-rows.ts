import type { GgufRows } from '../../models/index.ts';

/** Room for a question. */
export const QUESTION_TOKENS = 4096;
/** Answers of up to so many tokens share one size of window, so that suites can be asked without loading the model again. */
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
