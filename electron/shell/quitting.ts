import type { RunAtWork } from '../hosts/index.ts';
import { WORDS } from './words.ts';

export type QuitChoice = 'finish' | 'background' | 'now' | 'stay';
export type QuitQuestion = {
  message: string;
  detail: string;
  buttons: string[];
  choices: QuitChoice[];
  cancelId: number;
};

/**
 * What to ask before quitting; null when nothing would be lost. Runs whose step is already being finished are waited for, so the
 * second question offers to stop waiting.
 * @param runs null when the engine does not answer.
 */
export function quitQuestion(runs: readonly RunAtWork[] | null, isFinishing: boolean): QuitQuestion | null {
  if (runs?.length === 0) return null;
  const lines =
    runs === null
      ? [WORDS.quit.unknown]
      : runs.map(({ name, step, steps }) => WORDS.quit.at(name, step, steps));
  const detail = [...lines, '', WORDS.quit.detail].join('\n');
  if (isFinishing || runs === null) {
    return {
      message: isFinishing ? WORDS.quit.finishingTitle : WORDS.quit.title,
      detail,
      buttons: [WORDS.quit.now, WORDS.quit.wait],
      choices: ['now', 'stay'],
      cancelId: 1,
    };
  }
  return {
    message: WORDS.quit.title,
    detail,
    buttons: [WORDS.quit.finish, WORDS.quit.background, WORDS.quit.cancel],
    choices: ['finish', 'background', 'stay'],
    cancelId: 2,
  };
}

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
