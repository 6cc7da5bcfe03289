import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Engine } from '../../engine/index.ts';
import { Failure } from '../../contract/index.ts';
import { demoPairs, recordSample, SAMPLE_DEMO, type DemoRuns } from '../../experiments/index.ts';
import { atLeastOne, stepCount, systemClock, type Program } from '../program.ts';
import { watchProgress } from '../progress.ts';

/** `anchor record-sample`: makes resources/sample-run again, after the embedded models were trained again. */
export function addRecordSample(program: Program): void {
  program.command
    .command('record-sample')
    .description(
      'For developers: run the demo in a lab of its own and keep everything it stored as the sample run that the tour shows.',
    )
    .option('--out <folder>', 'where the recording goes', join(program.application, 'resources/sample-run'))
    .option('--steps <number>', 'steps of each run', stepCount, SAMPLE_DEMO.steps)
    .option('--items <number>', 'held-out items per suite', atLeastOne, SAMPLE_DEMO.items)
    .option('--continue <lab>', 'go on in the lab of a recording that was cut off, which stays afterwards')
    .action(async (options: { out: string; steps: number; items: number; continue?: string }) => {
      const lab = options.continue ?? mkdtempSync(join(tmpdir(), 'anchor-sample-'));
      const engine = await Engine.open({
        application: program.application,
        labFolder: lab,
        clock: systemClock,
      });
      const interrupt = new AbortController();
      process.once('SIGINT', () => interrupt.abort());
      const unwatch = watchProgress(program, engine, (run) => run.config.name.replace('demo: ', ''));
      try {
        const label = await recordSample(
          engine,
          resolve(options.out),
          options.continue === undefined
            ? { ...SAMPLE_DEMO, steps: options.steps, items: options.items }
            : { continueWith: options.items, runs: runsOf(engine) },
          unwatch,
          interrupt.signal,
        );
        program.print(
          label,
          () =>
            `Recorded ${label.runs.map(({ id, steps, rollouts, reviews }) => `${id}: ${steps} steps, ${rollouts} records, ${reviews} reviews`).join('; ')}.\n${(label.bytes / 1e6).toFixed(2)} MB in ${resolve(options.out)}, SHA-256 ${label.sha256.slice(0, 16)}…`,
        );
      } finally {
        await engine.close();
        if (options.continue === undefined) rmSync(lab, { recursive: true, force: true });
      }
    });
}

/** The two runs of a recording that was cut off. @throws Failure `noDemo` (exit code 2). */
function runsOf({ store }: Engine): DemoRuns {
  const [newest] = demoPairs(store);
  if (newest === undefined)
    throw new Failure('noDemo', 'There is no recording in this lab to continue; leave out --continue.', 2);
  return newest;
}
