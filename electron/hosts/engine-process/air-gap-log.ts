import type { Engine } from '../../engine/index.ts';
import { Allowance } from '../limits.ts';
import type { BlockedAttempt } from './messages.ts';

/** A page gone wild must not fill the lab: so many are written one by one, the rest are counted with the next. */
const BURST = 60;
const PER_SECOND = 1;

/** Writes what the shell's guard refused into the lab's chain of events, as `airgap.blocked`. */
export class AirGapLog {
  readonly #engine: Engine;
  readonly #allowance: Allowance;
  #unwritten = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#allowance = new Allowance(BURST, PER_SECOND, () => engine.clock.monotonicMs());
  }

  note(attempt: BlockedAttempt): void {
    if (!this.#allowance.take()) {
      this.#unwritten += 1;
      return;
    }
    this.#engine.store.appendEvent(null, 'airgap.blocked', { ...attempt, unwrittenBefore: this.#unwritten });
    this.#unwritten = 0;
    this.#engine.live.emit({ kind: 'changed', what: 'airgap', runId: null });
  }
}
