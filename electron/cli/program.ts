import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { Failure, MOST_STEPS, type Job } from '../contract/index.ts';
import { shownOnTerminal } from '../core/index.ts';
import type { Engine } from '../engine/index.ts';
import type { openRecords } from '../engine/open-records.ts';
import type { EngineElsewhere, WorkingEngine, WorkingVerbs } from './engine-elsewhere.ts';

/** What a command writes to: a stream of the process, or the memory of a test. */
export type Screen = {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
};

/** All that a command has of the terminal that it was called from. */
export type Terminal = { stdout: Screen; stderr: Screen; environment: NodeJS.ProcessEnv };

export type GlobalOptions = { lab?: string; json?: boolean };
export type Records = Awaited<ReturnType<typeof openRecords>>;

const OTHERS_MS = 500; // how soon it is noticed that the work of others has ended

export const systemClock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** What every command is added to, and what its action works with. */
export class Program {
  readonly command: Command;
  /** Folder of the application. */
  readonly application: string;
  readonly terminal: Terminal;
  /** What the process ends with when no failure says otherwise. */
  exitCode = 0;
  readonly #failures = new Set<string>();

  constructor(command: Command, application: string, terminal: Terminal) {
    this.command = command;
    this.application = application;
    this.terminal = terminal;
  }

  get #options(): GlobalOptions {
    return this.command.opts<GlobalOptions>();
  }

  /** `--lab`, else the default place. */
  async labFolder(): Promise<string> {
    const { lab } = this.#options;
    // What a script makes of a variable that is not set; it does not mean the current folder.
    if (lab === '')
      throw new Failure('usage', 'The folder of --lab is empty; name one, or leave --lab out.', 2);
    if (lab !== undefined) return resolve(lab);
    const { defaultLabFolder } = await import('../library/lab-folder.ts');
    return defaultLabFolder(this.terminal.environment);
  }

  /**
   * Runs an action with an open lab and closes it whatever happens. Ctrl-C once ends what is at work, cleanly; the second one
   * ends the program.
   */
  async withEngine<T>(action: (engine: Engine, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#within(await this.#open(), action);
  }

  /**
   * As `withEngine`, and where another program of this person has the lab open, that one's engine does the work. What takes long here
   * `serves`: other programs reach this engine meanwhile, and it stays until what they asked for has ended.
   */
  async withAnyEngine<T>(
    action: (engine: WorkingEngine, signal: AbortSignal) => Promise<T>,
    { serves = false } = {},
  ): Promise<T> {
    let engine: Engine;
    try {
      engine = await this.#open();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'labLocked') throw error;
      return this.#within(await this.#join(error), action);
    }
    if (!serves) return this.#within(engine, action);
    return this.#within(engine, async (_, signal) => {
      const { serveLab } = await import('../hosts/index.ts');
      const host = await serveLab(engine, { port: 0, bundle: null });
      try {
        return await action(engine, signal);
      } finally {
        await this.#othersEnd(engine, signal);
        await host.close();
      }
    });
  }

  /** As `withAnyEngine`, by the names of verbs; a refusal leaves as the Failure it was. */
  async withVerbs<T>(
    action: (verbs: WorkingVerbs, engine: WorkingEngine, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { createRouter, Engine } = await import('../engine/index.ts');
    return this.withAnyEngine(async (engine, signal) => {
      const verbs =
        engine instanceof Engine ? createRouter(engine).createCaller({}) : (engine as EngineElsewhere).verbs;
      try {
        return await action(verbs, engine, signal);
      } catch (error) {
        throw error instanceof Error && error.cause instanceof Failure ? error.cause : error;
      }
    });
  }

  async #open(): Promise<Engine> {
    const { Engine } = await import('../engine/index.ts');
    const engine = await Engine.open({
      application: this.application,
      labFolder: await this.labFolder(),
      clock: systemClock,
    });
    const { told } = engine.lab.access;
    if (told !== null) this.say(told);
    this.#failFor(engine.store);
    this.#tell(engine.store);
    const [check] = engine.jobs.list().filter(({ kind }) => kind === 'due-check');
    if (check !== undefined) {
      this.say(`${check.title}; you can work meanwhile.`);
      void this.#tellDamage(engine, check);
    }
    return engine;
  }

  async #tellDamage(engine: Engine, { id }: Job): Promise<void> {
    await engine.jobs.ended(id);
    this.#failFor(engine.store);
  }

  /** A damaged lab is read all the same, and whoever asked learns that not everything may be there; on a full disk everything is. */
  #failFor({ finding }: Pick<Records, 'finding'>): void {
    const found = finding();
    if (found?.kind === 'diskFull') this.say(found.message);
    else if (found !== null) this.fail(found.message);
  }

  /** Folders of runs that do not go with the database cost no command its result. */
  #tell({ notices }: Pick<Records, 'notices'>): void {
    for (const notice of notices()) this.say(notice);
  }

  /** @throws the refusal where the program that has the lab open cannot be asked. */
  async #join(refusal: Failure): Promise<EngineElsewhere> {
    const { EngineElsewhere } = await import('./engine-elsewhere.ts');
    const joined = await EngineElsewhere.join(await this.labFolder(), systemClock).catch(() => {
      throw refusal;
    });
    this.say(`Process ${joined.pid} has the lab open and does the work.`);
    return joined;
  }

  /** Waits until what other programs asked this engine for has ended. */
  async #othersEnd(engine: Engine, signal: AbortSignal): Promise<void> {
    const others = (): number => {
      const { atWork, waiting } = engine.activity();
      return atWork.length + waiting.length + (engine.jobs.isAsked() ? 1 : 0);
    };
    if (others() === 0 || signal.aborted) return;
    this.say('Work that was asked for from elsewhere goes on here; Ctrl-C stops it.');
    while (others() > 0 && !signal.aborted) await sleep(OTHERS_MS, undefined, { signal }).catch(() => {});
  }

  /** Runs an action that needs no lab; Ctrl-C aborts the signal. */
  untilInterrupted<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#within({ close() {} }, (_, signal) => action(signal));
  }

  async #within<E extends { close(): unknown }, T>(
    engine: E,
    action: (engine: E, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const interrupt = new AbortController();
    const onSignal = (): void => {
      this.say('\nanchor: stopping; press Ctrl-C again to end at once');
      interrupt.abort();
    };
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal);
    // The window was closed: there is nothing to draw on, and the work goes on.
    process.on('SIGHUP', ignore);
    try {
      return await action(engine, interrupt.signal);
    } finally {
      process.off('SIGHUP', ignore);
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
      await engine.close();
    }
  }

  /** Runs an action that only reads what the lab has stored. Nothing else of the engine is loaded for it. */
  async withRecords<T>(action: (records: Records) => T | Promise<T>): Promise<T> {
    const { openRecords } = await import('../engine/open-records.ts');
    const records = await openRecords(await this.labFolder(), systemClock, (text) => this.say(text));
    this.#failFor(records);
    this.#tell(records);
    try {
      return await action(records);
    } finally {
      records.close();
    }
  }

  /**
   * As `withRecords`, with those of the recorded sample beside them; null where it was not opened in this lab.
   * @param names what a person asked for. @throws Failure `unknownRun` (exit code 2) where that is of the sample, which is not there.
   */
  async withSample<T>(
    names: readonly string[],
    action: (records: Records, sample: Records | null) => T | Promise<T>,
  ): Promise<T> {
    const { openSampleRecords } = await import('../engine/open-records.ts');
    return this.withRecords(async (records) => {
      const sample = await openSampleRecords(await this.labFolder(), systemClock);
      try {
        if (sample === null && names.length > 0) await refuseSample(names);
        return await action(records, sample);
      } finally {
        sample?.close();
      }
    });
  }

  /** Prints a result: JSON for programs, text for people. */
  print(value: unknown, text: () => string): void {
    this.terminal.stdout.write(
      `${this.#options.json === true ? JSON.stringify(value, null, 2) : shownOnTerminal(text())}\n`,
    );
  }

  /** Says something about the work to the person, beside the result. */
  say(text: string): void {
    this.terminal.stderr.write(`${shownOnTerminal(text)}\n`);
  }

  /** Ends with this exit code although there may be a result, and says why; once, where the lab and what was asked of it fail for the same reason. */
  fail(sentence: string, exitCode: 1 | 2 = 1): void {
    if (!this.#failures.has(sentence)) this.say(`anchor: ${sentence}`);
    this.#failures.add(sentence);
    this.exitCode = exitCode;
  }
}

/** The records that have a run: the lab's own, else those of the recorded sample; the lab's, which refuse it, where neither has. */
export const recordsOf = (id: string, records: Records, sample: Records | null): Records =>
  records.getRun(id) === null && sample !== null && sample.getRun(id) !== null ? sample : records;

/** Rows of the recorded sample in the JSON of a list that begins with the lab's own. */
export const asSample = <T extends object>(rows: readonly T[]): (T & { sample: true })[] =>
  rows.map((row) => ({ ...row, sample: true }));

const ignore = (): void => {};

/** Reads an option that is a whole number, zero included. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

/** Reads an option that says how many steps a run takes. */
export function stepCount(text: string): number {
  const steps = atLeastOne(text);
  if (steps > MOST_STEPS)
    throw new InvalidArgumentError(`A run takes at most ${MOST_STEPS.toLocaleString('en')} steps.`);
  return steps;
}

/** Reads an option that counts something there must be one of. */
export function atLeastOne(text: string): number {
  if (!/^\d+$/.test(text) || wholeNumber(text) < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return wholeNumber(text);
}

/** @throws Failure `unknownRun` (exit code 2) where a name is of the recorded sample. */
async function refuseSample(names: readonly string[]): Promise<void> {
  const { isSample } = await import('../experiments/index.ts');
  const name = names.find(isSample);
  if (name !== undefined)
    throw new Failure(
      'unknownRun',
      `The recorded run "${name.replace(/@.*$/, '')}" is not in this lab; open the lab's window once (npm start), whose first page stores it.`,
      2,
    );
}
