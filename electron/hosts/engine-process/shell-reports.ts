import type { Engine } from '../../engine/index.ts';
import { Allowance } from '../admission.ts';
import type { BlockedAttempt, RunAtWork, RunEnded } from './messages.ts';

const AT_WORK = ['setting-up', 'stepping', 'pausing'] as const;

/** Runs that would lose the step they are in if the program ended now. */
export function runsAtWork(engine: Engine): RunAtWork[] {
  return engine.store
    .listRuns({ states: [...AT_WORK] }, { limit: 500 })
    .rows.filter((run) => engine.isActive(run.id))
    .map(({ id, state, committedSteps, config: { name, steps } }) => ({
      id,
      name,
      state,
      step: Math.min(committedSteps + 1, steps),
      steps,
    }));
}

/** Pauses every run after the step it is in and resolves when all have. Queued runs leave the queue, or the next would begin. */
export async function finishSteps(engine: Engine): Promise<void> {
  const queued = engine.store
    .listRuns({ states: ['queued'] }, { limit: 500 })
    .rows.filter((run) => engine.isActive(run.id));
  for (const { id } of queued) engine.stop(id);
  const working = runsAtWork(engine);
  for (const { id } of working) engine.pause(id);
  await Promise.allSettled(working.map(({ id }) => engine.waitFor(id)));
}

/** Tells of every run that finishes or fails until `signal` aborts. */
export async function followEnds(
  engine: Engine,
  send: (run: RunEnded) => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const { events } of engine.live.follow(null, signal)) {
    for (const { event } of events) {
      if (event.kind !== 'run' || (event.state !== 'done' && event.state !== 'failed')) continue;
      const run = engine.store.getRun(event.runId);
      if (run !== null)
        send({
          id: run.id,
          name: run.config.name,
          state: event.state,
          reason: event.reason,
          committedSteps: run.committedSteps,
          steps: run.config.steps,
        });
    }
  }
}

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
