import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { Failure } from '../contract/index.ts';
import { addDataset } from './commands/dataset.ts';
import { addEval } from './commands/eval.ts';
import { addJudge } from './commands/judge.ts';
import { addDemo } from './commands/demo.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addOpen } from './commands/open.ts';
import { addRecordSample } from './commands/record-sample.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addShow } from './commands/show.ts';
import { addStart } from './commands/start.ts';
import type { Program } from './program.ts';

const program = new Command('anchor')
  .description('Anchor Lab: self-evolving language models under supervision, on one offline machine.')
  .version('0.1.0')
  .option(
    '--lab <folder>',
    'lab folder with the database, runs and checkpoints (default: $ANCHOR_LAB, else the user data folder)',
  )
  .option('--json', 'print the result as JSON on standard output; progress and messages go to standard error')
  .showHelpAfterError('(anchor --help lists the commands)')
  .exitOverride();

const context: Program = { command: program, application: join(import.meta.dirname, '../..') };
for (const add of [
  addDataset,
  addDemo,
  addRun,
  addEval,
  addJudge,
  addShow,
  addExport,
  addImport,
  addDoctor,
  addStart,
  addServe,
  addOpen,
  addRecordSample,
])
  add(context);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Help and version are not errors; commander has printed the message of those that are.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof Failure) {
    process.stderr.write(`anchor: ${error.message}\n`);
    process.exitCode = error.exitCode;
  } else {
    process.stderr.write(
      `anchor: this should not have happened: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
