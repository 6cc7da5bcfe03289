import type { Question, SuiteProtocol } from '../../../evaluation/index.ts';

/** A question with a name of its own and the seed of its noise. */
export type Asked = { key: string; question: Question; seed: number };

/** `too-long`: the question does not fit the model's window, so it was not asked. */
export type Given = {
  key: string;
  text: string;
  newTokens: number;
  finish: 'stop' | 'length' | 'error' | 'too-long';
};

/** Whoever answers: a policy through the trainer, or a GGUF model. The same questions, seeds and protocol give the same answers. */
export type Respondent = {
  /** Of the weights that answer. */
  weightsSha256: string;
  /**
   * So many questions, taken in order, are computed as one batch in which each answer depends on the others; whoever wants an answer
   * repeated asks all of its batch. 1: an answer depends on its question alone, whatever else is asked.
   */
  together: number;
  /** Answers arrive in any order, each once. @throws the signal's reason when it is aborted; answers given before are kept by then. */
  answer: (
    asked: readonly Asked[],
    protocol: SuiteProtocol,
    onAnswer: (given: Given) => void,
    signal: AbortSignal,
  ) => Promise<void>;
};

/** The answer up to the first stop. */
export function cutAtStops(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
