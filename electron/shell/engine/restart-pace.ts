/** Pauses before a restart, growing: something that dies at once gets time to recover. */
const PAUSES_MS = [250, 1000, 2000, 4000, 8000] as const;
/** So many losses within this time are no accidents any more. */
export const MOST_RESTARTS = PAUSES_MS.length;
export const WINDOW_MS = 10 * 60_000;

/** Decides after each loss whether and when to start again. */
export class RestartPace {
  #losses: number[] = [];

  /** @param nowMs monotonic. @returns milliseconds to wait, or null when it is time to give up. */
  afterLoss(nowMs: number): number | null {
    this.#losses = [...this.#losses.filter((at) => nowMs - at < WINDOW_MS), nowMs];
    return PAUSES_MS[this.#losses.length - 1] ?? null;
  }

  /** A person asked for another try. */
  forget(): void {
    this.#losses = [];
  }
}
