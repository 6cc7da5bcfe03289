/** `npm run sim`: the engine over a simulated machine, seed by seed. Ends with 1 when anything was violated or a long run missed a point. */
import { HELP, readOptions, type Options } from './options.ts';
import { mutate } from '../mutants/edit.ts';
import { MUTANTS } from './mutants.ts';
import { conclude, say, type Report } from './report.ts';
import { runInWorkers } from './workers.ts';

async function reportOf(options: Options): Promise<Report> {
  if (options.workers > 1) return runInWorkers(options);
  if (options.mutant !== null) mutate(MUTANTS[options.mutant]);
  // The engine is loaded with it, and so not before its line is changed.
  const { runSeeds } = await import('./seeds.ts');
  return runSeeds(options);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(HELP);
  else process.exitCode = conclude(await reportOf(options)) ? 0 : 1;
} catch (error) {
  say(`sim: ${(error as Error).message}`);
  process.exitCode = 2;
}
