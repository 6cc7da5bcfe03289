import { performance } from 'node:perf_hooks';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { defaultLabFolder, Engine } from '../engine/index.ts';

/** What every command is added to. */
export type Program = { command: Command; /** Folder of the application. */ application: string };

export type GlobalOptions = { lab?: string; json?: boolean };

export const systemClock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** `--lab`, else the default place. */
export const labFolderOf = ({ lab }: GlobalOptions): string =>
  lab === undefined ? defaultLabFolder(process.env) : resolve(lab);

/**
 * Runs an action with an open lab and closes it whatever happens. Ctrl-C once ends what is at work, cleanly; the second one
 * ends the program.
 */
export async function withEngine<T>(
  program: Program,
  action: (engine: Engine, options: GlobalOptions, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = program.command.opts<GlobalOptions>();
  const engine = await Engine.open({
    application: program.application,
    labFolder: labFolderOf(options),
    clock: systemClock,
  });
  const interrupt = new AbortController();
  const onSignal = (): void => {
    process.stderr.write('\nanchor: stopping; press Ctrl-C again to end at once\n');
    interrupt.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSignal);
  try {
    return await action(engine, options, interrupt.signal);
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
    await engine.close();
  }
}

/** Prints a result: JSON for programs, text for people. */
export function print(options: GlobalOptions, value: unknown, text: () => string): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${text()}\n`);
}
