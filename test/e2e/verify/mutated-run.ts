/**
 * As a program, `node mutated-run.ts LAB CONFIG NAME`: takes the run of the file CONFIG in LAB, by sources with one place changed. NAME is
 * that of a mutant; without it the sources are as they are.
 */
import { readFileSync } from 'node:fs';
import { MUTANTS } from '../../mutants/chapters/index.ts';
import { mutate } from '../../mutants/edit.ts';
import { nameOf } from '../../mutants/mutant.ts';

const [folder = '', config = '', name] = process.argv.slice(2);
if (name !== undefined) {
  const mutant = MUTANTS.find((one) => nameOf(one) === name);
  if (mutant === undefined) throw new Error(`There is no mutant "${name}".`);
  mutate(mutant);
}

// What is changed is loaded with these, and so not before.
const { runConfigSchema } = await import('../../../electron/contract/index.ts');
const { openEngine } = await import('../../support/engine.ts');

const engine = await openEngine(folder);
try {
  const { id } = engine.startRun(runConfigSchema.parse(JSON.parse(readFileSync(config, 'utf8'))));
  const { state, reason } = await engine.waitFor(id);
  if (state !== 'done') throw new Error(`The run is ${state}: ${reason}`);
} finally {
  await engine.close();
}
