import type { RunConfig, StepCommit } from '../../electron/contract/index.ts';
import { Checker, type Known } from './checker.ts';
import { isClean, type Simulation } from './simulation.ts';

/** Of an undisturbed run, by the name of its configuration: the hash of each step, and a digest of its records. */
export type References = {
  hashes: ReadonlyMap<string, readonly string[]>;
  digests: ReadonlyMap<string, readonly string[]>;
};

/** What the engine acknowledged. A checker that shares nothing with the engine holds the lab against it. */
export class History {
  readonly violations: string[] = [];
  readonly #simulation: Simulation;
  readonly #references: References;
  readonly #checker: Checker;
  readonly #acknowledged = new Map<string, Map<number, string>>();
  readonly #begun = new Map<string, string>();
  readonly #mayBeGone = new Set<string>();
  readonly #gone = new Set<string>();
  /** Runs whose files may be gone, and whose records may be there: their deletion found no room, or has no answer. */
  readonly emptied = new Set<string>();
  #chainEnd: Known['chainEnd'] = null;
  answers = 0;
  refusals = 0;
  /** How often each verb was answered or refused, and how often answered. */
  readonly asked = new Map<string, number>();
  readonly answeredVerbs = new Map<string, number>();
  /** Runs whose checkpoints were to be dropped, without an answer that they are. */
  readonly halfDropped = new Set<string>();
  /** Steps that were stored. */
  commits = 0;
  /** How often a run was begun or gone on with. */
  takenUp = 0;

  constructor(simulation: Simulation, references: References) {
    this.#simulation = simulation;
    this.#references = references;
    const known = (): Known => ({
      acknowledged: this.#acknowledged,
      begun: this.#begun,
      mayBeGone: this.#mayBeGone,
      gone: this.#gone,
      emptied: this.emptied,
      undisturbed: references.digests,
      damaged: simulation.damage.files,
      chainEnd: this.#chainEnd,
    });
    this.#checker = new Checker(known, (sentence) => this.violate(sentence));
  }

  begun(runId: string, config: RunConfig): void {
    if (!this.#simulation.isKilled) this.#begun.set(runId, config.name);
  }

  mayBeGone(runId: string): void {
    this.#mayBeGone.add(runId);
    this.emptied.add(runId);
  }

  /** Where there is no room to note a deletion, its files go first, and the answer says so; else they are kept. */
  isKept(runId: string, error: unknown): void {
    if (!(error as Error).message.includes('are deleted')) this.emptied.delete(runId);
  }

  isGone(runId: string): void {
    this.#gone.add(runId);
  }

  answered(verb: string): void {
    this.answers += 1;
    count(this.asked, verb);
    count(this.answeredVerbs, verb);
    this.#simulation.world.trace(`answer: ${verb}`);
  }

  refused(verb: string, error: unknown): void {
    this.refusals += 1;
    count(this.asked, verb);
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
    const { engine, lab, deaths } = this.#simulation;
    const isOver = (): boolean => this.#simulation.isKilled || this.#simulation.deaths !== deaths;
    const { commitStep } = engine.store;
    engine.store.commitStep = (runId: string, commit: StepCommit) => {
      const outcome = commitStep(runId, commit);
      if (!isOver()) this.#acknowledge(runId, commit.step);
      return outcome;
    };
    const { setRunState } = engine.store;
    engine.store.setRunState = (runId, state, reason) => {
      if (state === 'setting-up' && !isOver()) this.takenUp += 1;
      return setRunState(runId, state, reason);
    };
    engine.onProgress(({ runId, stage }) => {
      if (stage === 'committed' && !isOver() && !this.#simulation.damage.isOfTheDatabase)
        this.#checker.strays(lab, runId);
    });
  }

  #acknowledge(runId: string, { step, stepHash }: StepCommit['step']): void {
    this.commits += 1;
    const known = this.#acknowledged.get(runId) ?? new Map<number, string>();
    this.#acknowledged.set(runId, known);
    if (known.has(step) && known.get(step) !== stepHash)
      this.violate(`Step ${step} of ${runId} was acknowledged twice, with different hashes.`);
    known.set(step, stepHash);
    if (!this.#checker.holds(this.#simulation.lab, runId, step, stepHash))
      this.violate(
        `Step ${step} of ${runId} is acknowledged, and the file of the database does not hold it.`,
      );
  }

  /** Holds an open lab against all that was acknowledged. */
  check(when: string): void {
    const { engine, lab } = this.#simulation;
    const before = this.violations.length;
    for (const { part, finding } of engine.store.checkIntegrity()) this.violate(`${part}: ${finding}`);
    for (const { id, config } of engine.store.listRuns({}, { limit: 500 }).rows) {
      const hashes = this.#references.hashes.get(config.name);
      if (hashes === undefined) continue;
      for (const { step, stepHash } of engine.store.listSteps(id, { limit: 500 }))
        if (stepHash !== hashes[step - 1])
          this.violate(`step ${step} of ${id} ("${config.name}") has not the hash of the undisturbed run.`);
    }
    for (const { title, problem } of engine.jobs.list())
      if (problem?.includes('failed unexpectedly') === true)
        this.violate(`"${title}" ended in a surprise: ${problem}`);
    this.#look(lab, when, before, {
      atWork: new Set(engine.activity().atWork),
      isOnlyRead: engine.store.damage() !== null,
      isSettled: false,
    });
  }

  /** The same of a lab that nobody has open: as a program that died left it, or one that came to its end. */
  checkClosed(when: string, isSettled: boolean): void {
    this.#look(this.#simulation.lab, when, this.violations.length, {
      atWork: null,
      isOnlyRead: false,
      isSettled,
    });
  }

  #look(lab: string, when: string, before: number, moment: Parameters<Checker['check']>[1]): void {
    try {
      this.#chainEnd = this.#checker.check(lab, moment) ?? this.#chainEnd;
    } catch (error) {
      this.violate(`The lab cannot be read: ${(error as Error).message}`);
    }
    for (let at = before; at < this.violations.length; at += 1)
      this.violations[at] = `${when}: ${this.violations[at]}`;
  }
}

const count = (counted: Map<string, number>, name: string): void =>
  void counted.set(name, (counted.get(name) ?? 0) + 1);
