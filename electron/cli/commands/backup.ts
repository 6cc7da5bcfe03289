import { basename, join, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { BackupFile, CopyCheck, Restored, RunOutlook } from '../../machine/index.ts';
import { doJob, followJob } from '../progress.ts';
import { atLeastOne, type Program } from '../program.ts';
import { formatBytes, renderTable } from '../table.ts';

/** `anchor backup`, `restore` and `check`: copies of a lab, labs made of copies, and what is damaged in either. */
export function addBackup(program: Program): void {
  addMake(program);
  addRestore(program);
  addCheck(program);
}

type BackupOptions = {
  to?: string;
  list?: boolean;
  remove?: string;
  every?: number | 'never';
  keep?: number;
};

/** `anchor backup`. */
function addMake(program: Program): void {
  program.command
    .command('backup')
    .description(
      'Make a checked copy of the database in the backups folder of the lab, with the checkpoints that its unfinished runs go on from; the lab may be at work.',
    )
    .option(
      '--to <folder>',
      'a whole copy of the lab instead, in a new folder: it opens as a lab on any machine',
    )
    .addOption(
      new Option('--list', 'list the backups of the lab').conflicts(['to', 'remove', 'every', 'keep']),
    )
    .addOption(new Option('--remove <name>', 'remove one of them').conflicts(['to', 'every', 'keep']))
    .addOption(
      new Option('--every <hours>', 'back up every so many hours while the lab is open, or "never"')
        .argParser(hoursOrNever)
        .conflicts('to'),
    )
    .addOption(
      new Option('--keep <n>', 'how many of these backups stay').argParser(atLeastOne).conflicts('to'),
    )
    .action(async (options: BackupOptions) => {
      await program.withAnyEngine(async (engine, signal) => {
        const { backups } = engine;
        if (options.list === true) return program.print(...listing(await backups.list()));
        if (options.remove !== undefined) {
          await backups.remove(options.remove);
          return program.print({ removed: options.remove }, () => `Removed the backup ${options.remove}.`);
        }
        if (options.every !== undefined || options.keep !== undefined) {
          const { every, keep } = options;
          await backups.setSchedule({
            ...(every === undefined ? {} : { everyHours: every === 'never' ? null : every }),
            ...(keep === undefined ? {} : { keep }),
          });
          const schedule = await backups.schedule();
          return program.print(schedule, () => scheduleText(schedule));
        }
        const job = await (options.to === undefined ? backups.make() : backups.makeWhole(options.to));
        const { result, problem } = await followJob<BackupFile | Restored>(program, engine, job, signal);
        if (result === null) return program.fail(problem ?? 'The backup was not made.');
        program.print(result, () =>
          'folder' in result ? restoredText(result, 'Copied') : madeText(result, engine.lab.root),
        );
      });
    });
}

type RestoreOptions = { to: string; neededOnly?: boolean; salvage?: boolean };

/** `anchor restore`. */
function addRestore(program: Program): void {
  program.command
    .command('restore')
    .description(
      'Make a new lab folder from a backup and say which runs can go on. Nothing that is there is written over.',
    )
    .argument('<backup>', 'name of a backup of the lab, path of a backup, or folder of a whole copy')
    .requiredOption('--to <folder>', 'folder to create')
    .option(
      '--needed-only',
      'bring only the files that unfinished runs need, not those of all runs and copied models',
    )
    .addOption(
      new Option(
        '--salvage',
        'it is damaged: take over what can still be read, and say what cannot (reads a lab without opening it)',
      ).conflicts('neededOnly'),
    )
    .action(async (from: string, { to, neededOnly, salvage }: RestoreOptions) => {
      if (salvage === true) return salvageLab(program, from, to);
      await program.withAnyEngine(async (engine, signal) => {
        const isName =
          basename(from) === from && (await engine.backups.list()).some(({ name }) => name === from);
        const request = { from: isName ? from : resolve(from), to, withRuns: neededOnly !== true };
        const job = await engine.backups.restore(request);
        const { result, problem } = await followJob<Restored>(program, engine, job, signal);
        if (result === null) return program.fail(problem ?? 'The backup was not restored.');
        program.print(result, () => restoredText(result, 'Restored'));
      });
    });
}

async function salvageLab(program: Program, from: string, to: string): Promise<void> {
  const { salvageInto } = await import('../../machine/index.ts');
  const lab = await program.labFolder();
  const request = { kind: 'restore', title: `Salvage into ${basename(to)}`, unit: 'byte' } as const;
  const { result, problem } = await doJob(program, request, (job) => salvageInto({ from, to, lab }, job));
  if (result === null) return program.fail(problem ?? 'Nothing was salvaged.');
  program.print(result, () => restoredText(result, 'Salvaged'));
}

/** `anchor check`. It reads without opening the lab, so that a damaged one can be looked at. */
function addCheck(program: Program): void {
  program.command
    .command('check')
    .description(
      'Read every page, event and record of a lab or a backup, and every file of its checkpoints, and say what is damaged. Changes nothing. Exit code 1 when something is.',
    )
    .argument(
      '[backup]',
      'name of a backup of the lab, path of a backup, or folder of a lab (default: the lab itself)',
    )
    .action(async (named: string | undefined) => {
      const { checkPlace } = await import('../../machine/index.ts');
      const found = await checkPlace(await program.labFolder(), named);
      program.print(found, () => checkText(found));
      if (found.damage.length > 0) program.exitCode = 1;
    });
}

function hoursOrNever(text: string): number | 'never' {
  if (text === 'never') return text;
  try {
    return atLeastOne(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number of hours, or "never".');
  }
}

const scheduleText = ({ everyHours, keep }: { everyHours: number | null; keep: number }): string =>
  everyHours === null
    ? 'The lab is backed up only when asked for.'
    : `The lab is backed up every ${everyHours} h while it is open, when something was stored since; ${keep} of these backups stay.`;

const WHY = {
  asked: 'asked for',
  scheduled: 'by schedule',
  rescued: 'saved when the database was taken away',
  migration: 'before a change of tables',
} as const;

const listing = (files: readonly BackupFile[]): [readonly BackupFile[], () => string] => [
  files,
  () =>
    files.length === 0
      ? 'There is no backup yet; "anchor backup" makes one.'
      : renderTable(
          ['backup', 'size', 'why'],
          files.map(({ name, bytes, why }) => [name, formatBytes(bytes), WHY[why]]),
        ),
];

const madeText = ({ name, bytes }: BackupFile, root: string): string =>
  `Made the backup ${name} (${formatBytes(bytes)}) in ${join(root, 'backups')}.\nanchor restore ${name} --to <new folder>   makes a lab of it.`;

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const restoredText = ({ folder, runs, steps, runFiles, outlooks, lost }: Restored, done: string): string =>
  [
    `${done} ${countOf(runs, 'run')} with ${countOf(steps, 'step')} and ${countOf(runFiles, 'file')} to ${folder}; it was read again and is sound.`,
    ...(lost.length === 0
      ? []
      : ['What could not be taken over:', ...lost.map((sentence) => `  ${sentence}`)]),
    ...outlooks.map(outlookText),
    `anchor --lab "${folder}" runs   opens it.`,
  ].join('\n');

const outlookText = ({ id, name, committedSteps, steps, missing }: RunOutlook): string =>
  `  ${id} "${name}", ${committedSteps} of ${steps} steps: ${missing === null ? 'can go on' : `cannot go on, since ${missing} is missing or not as it was stored`}.`;

const checkText = ({ path, damage, outlooks, checkedFiles }: CopyCheck & { path: string }): string =>
  [
    damage.length === 0
      ? `${path} is sound: every page, event and record, and all ${checkedFiles} files of checkpoints that were looked for.`
      : `${path} is damaged:\n${damage.map((sentence) => `  ${sentence}`).join('\n')}`,
    ...outlooks.map(outlookText),
  ].join('\n');
