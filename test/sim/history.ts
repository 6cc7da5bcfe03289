import { existsSync } from 'node:fs';
import { RUN_STATES, type RunConfig } from '../../electron/contract/index.ts';
import type { Lab } from '../../electron/store/index.ts';
import { isClean, type Simulation } from './simulation.ts';

/** Step hashes of an undisturbed run, by the name of its configuration. */
export type References = ReadonlyMap<string, readonly string[]>;

/** What the engine acknowledged, and whether the lab has kept its word. */
export class History {
  readonly violations: string[] = [];
  readonly #simulation: Simulation;
  readonly #references: References;
  /** Hash by run and step. */
  readonly #acknowledged = new Map<string, Map<number, string>>();
  readonly #configs = new Map<string, RunConfig>();
  readonly #gone = new Set<string>();
  answers = 0;
  refusals = 0;
  steps = 0;

  constructor(simulation: Simulation, references: References) {
    this.#simulation = simulation;
    this.#references = references;
  }

  begun(runId: string, config: RunConfig): void {
    if (!this.#simulation.isKilled) this.#configs.set(runId, config);
  }

  mayBeGone(runId: string): void {
    this.#gone.add(runId);
  }

  answered(verb: string): void {
    this.answers += 1;
    this.#simulation.world.trace(`answer: ${verb}`);
  }

  refused(verb: string, error: unknown): void {
    this.refusals += 1;
    const { message, stack } = error as Error;
    this.#simulation.world.trace(`refusal: ${verb}`);
    if (!isClean(error))
      this.violate(`"${verb}" ended in an answer that nobody can act on: ${stack ?? message}`);
  }

  violate(sentence: string): void {
    this.violations.push(sentence);
    this.#simulation.world.trace(`violation: ${sentence.split('\n')[0] as string}`);
  }

  /** Follows an engine from its opening on. */
  follow(): void {
    const { engine } = this.#simulation;
    const life = this.#simulation.deaths;
    engine.onProgress(({ runId, step, stage }) => {
      if (stage !== 'committed' || this.#simulation.isKilled || this.#simulation.deaths !== life) return;
      const stored = engine.store.listSteps(runId, { after: step - 1, limit: 1 })[0];
      if (stored === undefined)
        return this.violate(`Step ${step} of ${runId} is acknowledged and not stored.`);
      this.steps += 1;
      const known = this.#acknowledged.get(runId) ?? new Map<number, string>();
      this.#acknowledged.set(runId, known);
      const before = known.get(step);
      if (before !== undefined && before !== stored.stepHash)
        this.violate(`Step ${step} of ${runId} was acknowledged twice, with different hashes.`);
      known.set(step, stored.stepHash);
    });
  }

  /** Holds an open lab against all that was acknowledged. */
  check(when: string): void {
    const { store, lab } = this.#simulation.engine;
    const say = (sentence: string): void => this.violate(`${when}: ${sentence}`);
    for (const { part, finding } of store.checkIntegrity()) say(`${part}: ${finding}`);
    const runs = store.listRuns({}, { limit: 500 }).rows;
    for (const run of runs) {
      const steps = store.listSteps(run.id, { limit: 500 });
      if (!RUN_STATES.includes(run.state)) say(`${run.id} is "${run.state}", which is no state.`);
      if (run.state === 'done' && run.committedSteps !== run.config.steps)
        say(`${run.id} is done with ${run.committedSteps} of ${run.config.steps} steps.`);
      if (steps.length !== run.committedSteps || steps.some(({ step }, index) => step !== index + 1))
        say(
          `${run.id} has ${run.committedSteps} steps, and stored are ${steps.map(({ step }) => step).join()}.`,
        );
      if (run.reason?.includes('failed unexpectedly') === true)
        say(`${run.id} ended in a surprise: ${run.reason}`);
      const reference = this.#references.get(run.config.name) ?? [];
      for (const { step, stepHash } of steps)
        if (stepHash !== reference[step - 1])
          say(`step ${step} of ${run.id} ("${run.config.name}") has not the hash of the undisturbed run.`);
      for (const { step } of store.listCheckpoints(run.id))
        if (!existsSync(lab.run(run.folder).checkpoint(step)))
          say(`the checkpoint of step ${step} of ${run.id} is stored and not there.`);
    }
    for (const { title, problem } of this.#simulation.engine.jobs.list())
      if (problem?.includes('failed unexpectedly') === true)
        say(`"${title}" ended in a surprise: ${problem}`);
    this.#checkAcknowledged(store, say);
  }

  #checkAcknowledged(store: Lab, say: (sentence: string) => void): void {
    for (const [runId, steps] of this.#acknowledged) {
      if (store.getRun(runId) === null) {
        if (!this.#gone.has(runId)) say(`${runId} is lost, of which steps were acknowledged.`);
        continue;
      }
      const stored = new Map(
        store.listSteps(runId, { limit: 500 }).map(({ step, stepHash }) => [step, stepHash]),
      );
      for (const [step, hash] of steps)
        if (stored.get(step) !== hash) say(`step ${step} of ${runId} was acknowledged and is not stored.`);
    }
    for (const runId of this.#configs.keys())
      if (store.getRun(runId) === null && !this.#gone.has(runId)) say(`${runId} was begun and is lost.`);
  }
}
