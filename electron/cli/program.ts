import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { InvalidArgumentError, type Command } from 'commander';
import type { Engine } from '../engine/index.ts';
import type { openRecords } from '../engine/open-records.ts';

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

export const systemClock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** What every command is added to, and what its action works with. */
export class Program {
  readonly command: Command;
  /** Folder of the application. */
  readonly application: string;
  readonly terminal: Terminal;
  /** What the process ends with when no failure says otherwise. */
  exitCode = 0;

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
    if (lab !== undefined) return resolve(lab);
    const { defaultLabFolder } = await import('../library/lab-folder.ts');
    return defaultLabFolder(this.terminal.environment);
  }

  /**
   * Runs an action with an open lab and closes it whatever happens. Ctrl-C once ends what is at work, cleanly; the second one
   * ends the program.
   */
  async withEngine<T>(action: (engine: Engine, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { Engine } = await import('../engine/index.ts');
    const engine = await Engine.open({
      application: this.application,
      labFolder: await this.labFolder(),
      clock: systemClock,
    });
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
  async withRecords<T>(action: (records: Records) => T): Promise<T> {
    const { openRecords } = await import('../engine/open-records.ts');
    const records = await openRecords(await this.labFolder(), systemClock);
    try {
      return action(records);
    } finally {
      records.close();
    }
  }

  /** Prints a result: JSON for programs, text for people. */
  print(value: unknown, text: () => string): void {
    this.terminal.stdout.write(
      this.#options.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${text()}\n`,
    );
  }

  /** Says something about the work to the person, beside the result. */
  say(text: string): void {
    this.terminal.stderr.write(`${text}\n`);
  }

  /** Ends with exit code 1 although there may be a result, and says why. */
  fail(sentence: string): void {
    this.say(`anchor: ${sentence}`);
    this.exitCode = 1;
  }
}

const ignore = (): void => {};

/** Reads an option that is a whole number, zero included. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

/** Reads an option that counts something there must be one of. */
export function atLeastOne(text: string): number {
  if (!/^\d+$/.test(text) || wholeNumber(text) < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return wholeNumber(text);
}
