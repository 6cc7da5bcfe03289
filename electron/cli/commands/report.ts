import { printReport } from '../report-text.ts';
import type { Program } from '../program.ts';

/** `anchor report`: a run, or several beside the first, as one page that needs no network and no script. */
export function addReport(program: Program): void {
  program.command
    .command('report')
    .description(
      'Write a run, or several compared with the first, as one HTML file: figures, tables, configuration, hashes and how to repeat it. Only reads; the lab may be at work. Of evaluations, "anchor eval matrix --format html" does.',
    )
    .argument('<runs...>', 'ids of runs')
    .option(
      '--to <file>',
      'file to write, over one that is there (default: a name of its own in this folder)',
    )
    .action(async (runIds: string[], { to }: { to?: string }) =>
      program.withSample(runIds, (store, sample) =>
        printReport(program, { store, sample }, { kind: 'runs', runIds }, to ?? ''),
      ),
    );
}
