/** `npm run mutants`: changes the sources one place at a time and asks whether the closest tests notice. */
import { MUTANTS } from './chapters/index.ts';
import { nameOf } from './mutant.ts';
import { HELP, readOptions } from './options.ts';
import { conclude, say } from './report.ts';
import { tryAll } from './trials.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
/** What a shell says of a program that was ended by Ctrl-C. */
const CANCELLED = 130;

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(HELP);
  else {
    const wanted = options.only?.toLowerCase();
    const chosen = MUTANTS.filter(
      (mutant) => wanted === undefined || `${nameOf(mutant)}\n${mutant.file}`.toLowerCase().includes(wanted),
    );
    if (chosen.length === 0)
      throw new Error(
        `--only "${options.only}" fits none of the ${MUTANTS.length} mutants; --list prints them.`,
      );
    if (options.list) for (const mutant of chosen) say(`${nameOf(mutant)}  [${mutant.file}]`);
    else {
      const ended = await tryAll(chosen, options, stop.signal);
      const isWell = conclude(ended);
      process.exitCode = stop.signal.aborted ? CANCELLED : isWell ? 0 : 1;
    }
  }
} catch (error) {
  process.stderr.write(`mutants: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
