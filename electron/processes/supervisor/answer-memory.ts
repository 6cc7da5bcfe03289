import type { SupervisorCompletion, SupervisorReview } from '../supervisor-wire.ts';

/** Reviews repeat within a run and from step to step (one in nine of a demo run at p = 0.3); a few steps' worth is kept. */
const KEPT_ANSWERS = 2_000;

/**
 * Answers already given, so that an equal request need not be evaluated again. Only greedy requests are kept: their answer is
 * a function of model, prompt, schema and token limit, which makes the answer from memory the very one of another evaluation.
 */
export class AnswerMemory {
  /** In order of use, the longest unused first. */
  readonly #answers = new Map<string, SupervisorCompletion>();

  get(request: SupervisorReview): SupervisorCompletion | null {
    if (request.temperature > 0) return null;
    const key = keyOf(request);
    const known = this.#answers.get(key);
    if (known === undefined) return null;
    this.#answers.delete(key);
    this.#answers.set(key, known);
    return known;
  }

  put(request: SupervisorReview, answer: SupervisorCompletion): void {
    if (request.temperature > 0) return;
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= KEPT_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(keyOf(request), answer);
  }
}

const keyOf = ({ system, user, schema, maxTokens }: SupervisorReview): string =>
  JSON.stringify([system, user, schema, maxTokens]);
