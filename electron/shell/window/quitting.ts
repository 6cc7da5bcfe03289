import type { RunAtWork } from '../../hosts/index.ts';
import { quitQuestion, type QuitChoice, type QuitQuestion } from './quit-question.ts';

export type QuittingOptions = {
  work(): Promise<readonly RunAtWork[] | null>;
  ask(question: QuitQuestion): Promise<QuitChoice>;
  /** Has every run paused after its step; `stepsFinished` is called when all are. */
  finishSteps(): void;
  hideWindow(): void;
  /** Ends the engine, then the program. */
  end(): Promise<void>;
};

/** Leads from the wish to quit to the end, without a step being lost unasked. */
export class Quitting {
  readonly #options: QuittingOptions;
  #asking = false;
  #finishing = false;
  #ending: Promise<void> | null = null;

  constructor(options: QuittingOptions) {
    this.#options = options;
  }

  /** Whether the program may end now: everything is closed. */
  get isSettled(): boolean {
    return this.#ending !== null;
  }

  /** A person closed the window or chose to quit. */
  async wish(): Promise<void> {
    if (this.#asking || this.#ending !== null) return;
    this.#asking = true;
    try {
      const question = quitQuestion(await this.#options.work(), this.#finishing);
      const choice = question === null ? 'now' : await this.#options.ask(question);
      if (choice === 'now') return await this.end();
      if (choice === 'stay') return;
      if (choice === 'background') this.#options.hideWindow();
      this.#finishing = true;
      this.#options.finishSteps();
    } finally {
      this.#asking = false;
    }
  }

  /** Every run has stored its step, or the engine that was to do so is gone. */
  stepsFinished(): void {
    if (this.#finishing) void this.end();
  }

  /** Ends without a question: asked for by the system, or nothing is at work. */
  end(): Promise<void> {
    this.#ending ??= this.#options.end();
    return this.#ending;
  }
}
