import { Failure, type RunRecord } from '../../contract/index.ts';
import { estimateProgress, thisProgram } from '../../core/index.ts';
import type { Lab } from '../../store/index.ts';
import { seedTextsOf, driveRun, type RunControl } from './run-loop.ts';
import { setRunState, type Services } from '../services.ts';

type RunAtWork = {
  control: RunControl;
  end: Promise<RunRecord>;
  stepTimes: { done: number; seconds: number }[];
  /** The same of tasks that the policy writes before step 1. */
  seedTimes: { done: number; seconds: number }[];
  startedMs: number;
};

/** The runs at work and those that wait for a place, first come first served. */
export class RunQueue {
  readonly #atWork = new Map<string, RunAtWork>();
  readonly #waiting: { id: string; end: PromiseWithResolvers<RunRecord> }[] = [];
  /** How each run at work or waiting will end. */
  readonly #ends = new Map<string, Promise<RunRecord>>();
  readonly #services: Services;
  /** Runs that may be at work together. */
  readonly #places: number;
  #closed = false;

  constructor(services: Services, places: number) {
    this.#services = services;
    this.#places = places;
  }

  add(id: string): void {
    const end = Promise.withResolvers<RunRecord>();
    end.promise.catch(() => {}); // whoever waits gets the failure; nobody waiting must not end the program
    this.#ends.set(id, end.promise);
    this.#waiting.push({ id, end });
    this.#fill();
  }

  isAtWork(id: string): boolean {
    return this.#atWork.has(id);
  }

  isWaiting(id: string): boolean {
    return this.#waiting.some((entry) => entry.id === id);
  }

  activity(): { atWork: string[]; waiting: string[]; places: number } {
    return {
      atWork: [...this.#atWork.keys()],
      waiting: this.#waiting.map(({ id }) => id),
      places: this.#places,
    };
  }

  /** Resolves when the run is done, paused or interrupted; rejects with its failure. Undefined for a run that is in neither list. */
  endOf(id: string): Promise<RunRecord> | undefined {
    return this.#ends.get(id);
  }

  /** @throws Failure `runNotAtWork` (exit code 2). */
  controlOf(id: string): RunControl {
    const run = this.#atWork.get(id);
    if (run === undefined)
      throw new Failure(
        'runNotAtWork',
        `Run "${id}" is ${this.#services.store.requireRun(id).state}, not at work.`,
        2,
      );
    return run.control;
  }

  /** A waiting run leaves the list as interrupted. Says whether it waited. */
  takeOut(id: string, reason: string): boolean {
    const place = this.#waiting.findIndex((entry) => entry.id === id);
    const [left] = place < 0 ? [] : this.#waiting.splice(place, 1);
    if (left === undefined) return false;
    this.#ends.delete(id);
    left.end.resolve(setRunState(this.#services, id, 'interrupted', reason));
    return true;
  }

  /** Notes when a step of a run at work was stored, for `estimate`. */
  noteStep(id: string, step: number): void {
    const run = this.#atWork.get(id);
    run?.stepTimes.push({ done: step, seconds: (this.#services.clock.monotonicMs() - run.startedMs) / 1000 });
  }

  /** Rate and remaining time of the first tasks of a run at work, of which `done` are stored. */
  estimateSeeds(id: string, done: number, total: number): ReturnType<typeof estimateProgress> | null {
    const run = this.#atWork.get(id);
    if (run === undefined) return null;
    const seconds = (this.#services.clock.monotonicMs() - run.startedMs) / 1000;
    if (run.seedTimes.at(-1)?.done !== done) run.seedTimes.push({ done, seconds });
    return estimateProgress(run.seedTimes, total);
  }

  /** Rate and remaining time of a run of `steps`; null for one that is not at work. */
  estimate(id: string, steps: number): ReturnType<typeof estimateProgress> | null {
    const run = this.#atWork.get(id);
    return run === undefined ? null : estimateProgress(run.stepTimes, steps);
  }

  /** Stops every run at work. */
  stopAll(): void {
    for (const { control } of this.#atWork.values()) control.stop.abort();
  }

  /** Stops every run, takes the waiting ones out for `reason`, and resolves when none is at work. */
  async close(reason: string): Promise<void> {
    this.#closed = true;
    while (this.#waiting[0] !== undefined) this.takeOut(this.#waiting[0].id, reason);
    this.stopAll();
    await Promise.allSettled([...this.#atWork.values()].map(({ end }) => end));
  }

  #fill(): void {
    while (!this.#closed && this.#atWork.size < this.#places) {
      const place = this.#waiting.findIndex(({ id }) => !this.#atWork.has(id));
      const [next] = place < 0 ? [] : this.#waiting.splice(place, 1);
      if (next === undefined) return;
      const control: RunControl = { pauseAfterStep: false, stop: new AbortController() };
      this.#atWork.set(next.id, {
        control,
        end: next.end.promise,
        stepTimes: [],
        seedTimes: [],
        startedMs: this.#services.clock.monotonicMs(),
      });
      void driveRun(this.#services, next.id, control)
        .then(next.end.resolve, next.end.reject)
        .finally(() => {
          this.#atWork.delete(next.id);
          if (this.#ends.get(next.id) === next.end.promise) this.#ends.delete(next.id);
          this.#fill();
          // The run's own last news came while it still counted as at work; whoever read activity then must read it again.
          this.#services.emit({ kind: 'changed', what: 'runs', runId: next.id });
        });
    }
  }
}

/** What resuming a run repeats, and whether a program of another version or with other rules took steps of it: one sentence each. */
export function whatIsRedone(
  run: RunRecord,
  store: Pick<Lab, 'getContext' | 'countSeedAttempts' | 'programsOf'>,
): string {
  const others = store.programsOf(run.id).filter((program) => program !== thisProgram());
  if (others.length === 0) return repeatedBy(run, store, true);
  const versions = others.map((program) => program ?? 'an earlier version').join(', ');
  return `${repeatedBy(run, store, false)} Steps of it were taken by another Anchor Lab (${versions}; this is ${thisProgram()}), so its result may be that of neither.`;
}

function repeatedBy(
  { id, state, committedSteps, config: { steps, supervision } }: RunRecord,
  store: Pick<Lab, 'getContext' | 'countSeedAttempts'>,
  isThisProgram: boolean,
): string {
  const next = committedSteps + 1;
  const seedTexts = committedSteps === 0 ? seedTextsOf(store, id) : 0;
  if (seedTexts > 0)
    return `No step is stored yet; the policy goes on writing its first tasks after the ${seedTexts} texts that are stored, then the run begins with step 1 of ${steps}.`;
  if (committedSteps === 0) return `No step is stored yet; the run begins with step 1 of ${steps}.`;
  if (committedSteps === steps)
    return `All ${steps} steps are stored; only the evaluation of the last checkpoint is taken up again.`;
  if (state === 'paused') return `Continuing with step ${next} of ${steps}; nothing is repeated.`;
  // Answers of people are kept with their step; those of a step that was cut off are gone with it.
  const asked = (supervision.human?.share ?? 0) > 0;
  const same = isThisProgram ? ', with the same result' : '';
  const result = asked ? ', and asks the person again, so its result may differ' : same;
  return `${committedSteps} of ${steps} steps are stored; step ${next} is taken again from its start${result}.`;
}
