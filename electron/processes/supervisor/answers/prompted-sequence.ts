import type { LlamaContextSequence, Token } from 'node-llama-cpp';

/** Prompt tokens evaluated between two looks at the clock. Fixed, so that the arithmetic is the same each time. */
const CHUNK = 512;

export type Prompt = {
  tokens: readonly Token[];
  /** How many of the first tokens are the same in many prompts, such as the system's turn; they are evaluated once. */
  shared: number;
};

/**
 * A sequence that keeps the shared beginning of its last prompt. That beginning is always evaluated on its own and never
 * together with what follows, so that the numbers kept are bit for bit those of a fresh evaluation.
 */
export class PromptedSequence {
  readonly sequence: LlamaContextSequence;
  #kept: readonly Token[] = [];

  constructor(sequence: LlamaContextSequence) {
    this.sequence = sequence;
  }

  /**
   * Leaves in the sequence the prompt without its last tokens, at most 512 and at least one, and returns those: the caller
   * evaluates them together with what it asks. `check` is called between chunks and may throw.
   */
  async begin({ tokens, shared }: Prompt, check: () => void): Promise<readonly Token[]> {
    const beginning = tokens.slice(0, Math.min(shared, tokens.length - 1));
    if (
      beginning.length > 0 &&
      beginning.length === this.#kept.length &&
      beginning.every((token, index) => token === this.#kept[index])
    ) {
      await this.returnTo(beginning.length);
    } else {
      this.#kept = [];
      await this.sequence.clearHistory();
      for (let start = 0; start < beginning.length; start += CHUNK)
        await this.#evaluate(beginning.slice(start, start + CHUNK), check);
      this.#kept = beginning;
    }
    let rest = tokens.slice(beginning.length);
    for (; rest.length > CHUNK; rest = rest.slice(CHUNK)) await this.#evaluate(rest.slice(0, CHUNK), check);
    return rest;
  }

  /** For whoever uses the sequence besides: what it holds is no prompt of ours any more. */
  forget(): void {
    this.#kept = [];
  }

  /** Forgets everything after the first `length` tokens. */
  async returnTo(length: number): Promise<void> {
    await this.sequence.eraseContextTokenRanges([{ start: length, end: this.sequence.nextTokenIndex }]);
  }

  async #evaluate(tokens: readonly Token[], check: () => void): Promise<void> {
    await this.sequence.evaluateWithoutGeneratingNewTokens([...tokens]);
    check();
  }
}
