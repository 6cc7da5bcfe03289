import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import {
  Failure,
  type Contamination,
  type DatasetEntry,
  type DatasetLook,
  type FolderDifference,
  type FolderManifest,
  type Job,
} from '../../contract/index.ts';
import { datasets } from '../../evaluation/index.ts';
import type { WorkingEngine, WorkingVerbs } from '../engine-elsewhere.ts';
import { systemClock, type Program } from '../program.ts';
import { formatBytes, renderTable } from '../table.ts';

type ImportOptions = { set?: string; all?: boolean; name?: string; agreeAs?: string };
type Verbs = WorkingVerbs['datasets'];

/** `anchor dataset …`: test sets of the lab, and manifests of folders that are carried across an air gap. */
export function addDataset(program: Program): void {
  const group = program.command
    .command('dataset')
    .description(
      'Test sets for evaluations: import, list, verify, remove; manifests for carrying folders across an air gap.',
    );
  addSets(program, group);
  addAcknowledge(program, group);
  addManifests(program, group);
}

function addSets(program: Program, group: Command): void {
  group
    .command('kinds')
    .description('List the test sets that can be imported, and where each is published.')
    .action(() =>
      program.withVerbs(async ({ datasets: verbs }) => {
        const kinds = await verbs.kinds();
        program.print(kinds, () =>
          kinds
            .map(({ name, title, source, licence, official, terms }) =>
              [
                `${name}  ${title}${official.length === 0 ? '' : ` (${official.map(({ what, rows }) => `${what}: ${rows}`).join('; ')})`}`,
                `  ${source}`,
                `  Licence: ${licence}.${terms === null ? '' : ' Its terms have to be agreed to.'}`,
              ].join('\n'),
            )
            .join('\n'),
        );
      }),
    );
  group
    .command('list')
    .description('List the test sets of the lab.')
    .action(() =>
      program.withVerbs(async ({ datasets: verbs }) => {
        const entries = await verbs.list();
        program.print(entries, () =>
          entries.length === 0
            ? 'No test sets yet. "anchor dataset kinds" says which there are; "anchor dataset import <path>" brings one in.'
            : tableOf(entries),
        );
      }),
    );
  group
    .command('look')
    .description('Say which test sets are in a file, folder or zip archive, and why other files are none.')
    .argument('<path>')
    .action((path: string) =>
      program.withVerbs(async ({ datasets: verbs }) => {
        const look = await verbs.look({ path });
        program.print(look, () => lookText(look));
      }),
    );
  group
    .command('import')
    .description(
      'Import a test set from a file, folder or zip archive. Every row is checked; nothing is imported when one is refused.',
    )
    .argument('<path>')
    .option('--set <key>', 'which set, where there are several ("anchor dataset look" shows the keys)')
    .option('--all', 'every set that is found there and not in the lab yet')
    .option('--name <name>', 'name in the lab')
    .option(
      '--agree-as <person>',
      'agree to the set\'s terms under this name; "anchor dataset look" shows them',
    )
    .action((path: string, options: ImportOptions) =>
      program.withVerbs(async ({ datasets: verbs }, engine, signal) => {
        if (options.all !== true)
          return importOne(program, verbs, engine, signal, {
            path,
            key: options.set,
            name: options.name,
            by: options.agreeAs,
          });
        if (options.set !== undefined || options.name !== undefined)
          throw new Failure(
            'datasetOptions',
            '--all takes every set under the name of its release; leave out --set and --name.',
            2,
          );
        await importAll(program, verbs, engine, signal, path, options.agreeAs);
      }),
    );
  group
    .command('overlap')
    .description(
      "Count rows of a test set that share 13 words in a row with a task or first task of the lab's runs; names rows, quotes none.",
    )
    .argument('<name>', 'name of the set')
    .option('--run <id>', 'of this run alone')
    .action((name: string, options: { run?: string }) =>
      program.withVerbs(async ({ datasets: verbs }, engine, signal) => {
        const ended = await jobEnd(
          engine,
          await verbs.contamination({ name, runId: options.run ?? null }),
          signal,
        );
        const report = await verbs.contaminationReport({ jobId: ended.id });
        if (report === null)
          throw new Failure('stopped', ended.problem ?? 'The comparison ended without a result.', 1);
        program.print(report, () => overlapText(report));
      }),
    );
  group
    .command('remove')
    .description('Remove a test set and its files from the lab. Results that were measured on it stay.')
    .argument('<name>')
    .action((name: string) =>
      program.withVerbs(async ({ datasets: verbs }) => {
        await verbs.remove({ name });
        program.print({ removed: name }, () => `Removed "${name}".`);
      }),
    );
}

type ImportRequest = { path: string; key?: string; name?: string; by?: string };

/** @param onKnown what to do when the lab has the rows already; without it that is a failure. */
async function importOne(
  program: Program,
  verbs: Verbs,
  engine: Pick<WorkingEngine, 'jobs'>,
  signal: AbortSignal,
  wanted: ImportRequest,
  onKnown?: (name: string) => void,
): Promise<void> {
  const ended = await jobEnd(engine, await verbs.import(wanted), signal);
  const outcome = await verbs.outcome({ jobId: ended.id });
  if (outcome?.state === 'refused')
    for (const { file, row, why } of outcome.refusal.faults.slice(1))
      program.say(`anchor: ${file}${row === null ? '' : `, row ${row}`}: ${why}`);
  if (outcome?.state === 'known' && onKnown !== undefined) return onKnown(outcome.name);
  if (outcome?.state !== 'imported')
    throw new Failure('datasetImport', ended.problem ?? 'The import ended without a result.', 2);
  const { dataset } = outcome;
  program.print(
    dataset,
    () =>
      `Imported "${dataset.name}" (${dataset.title}): ${dataset.rows} rows, ${formatBytes(dataset.bytes)}, SHA-256 ${dataset.sha256.slice(0, 16)}…${dataset.state === 'unacknowledged' ? `\n${termsText(dataset)}` : ''}`,
  );
}

/** One set after the other; what is refused is told and keeps no other set out. @throws Failure `datasetImport` naming how many were not imported. */
async function importAll(
  program: Program,
  verbs: Verbs,
  engine: Pick<WorkingEngine, 'jobs'>,
  signal: AbortSignal,
  path: string,
  by: string | undefined,
): Promise<void> {
  const { sets, refused } = await verbs.look({ path });
  if (refused !== null) throw new Failure('datasetImport', refused, 2);
  let failures = 0;
  for (const { key, alreadyAs } of sets) {
    const isKnown = (name: string): void => program.say(`${key}: the lab has it as "${name}".`);
    if (alreadyAs !== null) {
      isKnown(alreadyAs);
      continue;
    }
    try {
      await importOne(program, verbs, engine, signal, { path, key, by }, isKnown);
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      failures += 1;
      program.say(`anchor: ${key}: ${error.message}`);
    }
  }
  if (failures > 0)
    throw new Failure(
      'datasetImport',
      `${failures} of ${sets.length} sets were not imported, for the reasons above; the others are in the lab.`,
      2,
    );
}

function addAcknowledge(program: Program, group: Command): void {
  group
    .command('acknowledge')
    .description('Agree to the terms of a test set, which are kept with the name and the time.')
    .argument('<name>', 'name of the set')
    .requiredOption('--as <person>', 'who agrees')
    .action((name: string, options: { as: string }) =>
      program.withVerbs(async ({ datasets: verbs }) => {
        const entry = await verbs.acknowledge({ name, by: options.as });
        program.print(entry, () =>
          entry.acknowledgement === null
            ? `"${name}" has no terms to agree to.`
            : `${entry.acknowledgement.by} agreed at ${entry.acknowledgement.at}: ${entry.acknowledgement.statement}`,
        );
      }),
    );
}

function addManifests(program: Program, group: Command): void {
  group
    .command('manifest')
    .description(
      'Write sizes and SHA-256 of everything in a folder into it (SHA256SUMS and anchor-manifest.json), for carrying it across an air gap.',
    )
    .argument('<folder>')
    .action(async (folder: string) => {
      const made = await datasets.writeFolderManifest(folder, systemClock.now().toISOString());
      program.print(
        made,
        () =>
          `Wrote down ${made.files} files (${formatBytes(made.bytes)}) in ${made.manifest}; check them after carrying with "anchor dataset verify <folder>" or "sha256sum -c SHA256SUMS".`,
      );
    });
  group
    .command('verify')
    .description(
      'Check a folder against its manifest, or a test set of the lab against what was imported, and name every difference.',
    )
    .argument('<what>', 'folder, manifest, or name of a test set')
    .action(async (what: string) => {
      if (existsSync(what)) return reportFolder(program, await datasets.checkFolder(what));
      await program.withVerbs(async ({ datasets: verbs }, engine, signal) => {
        const ended = await jobEnd(engine, await verbs.verify({ name: what }), signal);
        if (ended.state !== 'done')
          throw new Failure('datasetChanged', ended.problem ?? 'The check ended without a result.');
        program.print({ name: what, same: true }, () => `"${what}" is what was imported.`);
      });
    });
}

function reportFolder(program: Program, report: FolderManifest): void {
  const { differences } = report;
  program.print(report, () =>
    differences.length === 0
      ? `All ${report.files} files are as ${report.manifest} says.`
      : differences.map(differenceText).join('\n'),
  );
  if (differences.length > 0)
    throw new Failure(
      'folderDiffers',
      `${differences.length} difference${differences.length === 1 ? '' : 's'} between ${report.folder} and its manifest; carry those files over again.`,
    );
}

function differenceText(difference: FolderDifference): string {
  if (difference.state !== 'changed') return `${difference.state.padEnd(8)} ${difference.path}`;
  const { expected, found } = difference;
  return `changed  ${difference.path}: ${expected.bytes === null ? '' : `${expected.bytes} bytes, `}${expected.sha256.slice(0, 16)}… expected, ${found.bytes} bytes, ${found.sha256.slice(0, 16)}… found`;
}

function overlapText(report: Contamination): string {
  const { dataset, runs, rows, tasks, seeds, different, n, shared, sharedTasks, sharedSeeds } = report;
  const { longestWords, shortestWords, longest } = report;
  return [
    `${shared} of ${rows} rows of "${dataset}" share ${n} words in a row or more with one of ${tasks} tasks and ${seeds} first tasks of ${runs} run${runs === 1 ? '' : 's'} (${different} different texts): with ${sharedTasks} tasks and ${sharedSeeds} first tasks.`,
    longestWords === 0
      ? `No overlap reaches ${shortestWords} words.`
      : `The longest overlap has ${longestWords} words.`,
    ...(longest.length === 0
      ? []
      : [
          renderTable(
            ['row', 'words', 'run', 'task'],
            longest.map(({ row, words, runId, taskId }) => [row, String(words), runId, taskId]),
          ),
        ]),
  ].join('\n');
}

const tableOf = (entries: readonly DatasetEntry[]): string =>
  renderTable(
    ['name', 'kind', 'rows', 'size', 'SHA-256', 'state'],
    entries.map((entry) => [
      entry.name,
      entry.kind,
      String(entry.rows),
      formatBytes(entry.bytes),
      entry.sha256.slice(0, 12),
      entry.state,
    ]),
  );

function lookText({ sets, ignored, refused }: DatasetLook): string {
  if (refused !== null) return refused;
  const found = sets.map((set) =>
    [
      `${set.key}\n  ${set.release ?? set.title}; ${set.files.length} file${set.files.length === 1 ? '' : 's'}, ${formatBytes(set.files.reduce((sum, { bytes }) => sum + bytes, 0))}; would be named "${set.suggestedName}"`,
      ...(set.alreadyAs === null ? [] : [`  The lab has it as "${set.alreadyAs}".`]),
      ...(set.fault === null
        ? []
        : [`  ${set.fault.file}${set.fault.row === null ? '' : `, row ${set.fault.row}`}: ${set.fault.why}`]),
      ...(set.terms === null ? [] : [`  Terms: ${set.terms.statement}`]),
    ].join('\n'),
  );
  return [
    ...found,
    ...(ignored.length === 0
      ? []
      : ['Not imported:', ...ignored.map(({ name, why }) => `  ${name}: ${why}`)]),
  ].join('\n');
}

const termsText = ({ name, terms }: DatasetEntry): string =>
  `Before it can be used, agree to its terms with: anchor dataset acknowledge "${name}" --as <person>\n${terms?.statement ?? ''}`;

/** The job once it has ended; Ctrl-C cancels it. */
async function jobEnd(engine: Pick<WorkingEngine, 'jobs'>, { id }: Job, signal: AbortSignal): Promise<Job> {
  const cancel = (): void => engine.jobs.cancel(id);
  signal.addEventListener('abort', cancel);
  try {
    return await engine.jobs.ended(id);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
