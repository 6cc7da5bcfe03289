import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import {
  Failure,
  PHASES,
  type JudgeCalibration,
  type MeasuredJudge,
  type Phase,
} from '../../contract/index.ts';
import { listCalibrations } from '../../evaluation/index.ts';
import { judgeProbeText } from '../judge-probe-text.ts';
import { atLeastOne, wholeNumber, type Program } from '../program.ts';
import { followJob } from '../progress.ts';
import { renderTable } from '../table.ts';

/** `anchor judge`. */
export function addJudge(program: Program): void {
  const judge = program.command
    .command('judge')
    .description('Models that judge answers, and how they agree with people.');
  judge
    .command('calibrate')
    .description('Have a judge label a set that people labelled, and report agreement, kappa and both rates.')
    .argument(
      '<set>',
      "HarmBench's validation file, or a JSON list of {id, behavior, context?, answer, people}",
    )
    .requiredOption('--judge <ref>', 'GGUF model, by name or path')
    .option('--limit <number>', 'so many of them, drawn at random', atLeastOne)
    .action(async (path: string, options: { judge: string; limit?: number }) =>
      program.withVerbs(async ({ judges }, engine, signal) => {
        const job = await judges.calibrate({ model: options.judge, path, limit: options.limit ?? null });
        const { result: calibration, problem } = await followJob<JudgeCalibration>(
          program,
          engine,
          job,
          signal,
        );
        if (calibration !== null) program.print(calibration, () => calibrationsText([calibration]));
        if (problem !== null) program.fail(problem);
      }),
    );
  addJudgeProbe(program, judge);
  judge
    .command('list')
    .description('Calibrations of this lab, newest first.')
    .action(async () =>
      program.withRecords((store) => {
        const all = listCalibrations(store);
        program.print(all, () =>
          all.length === 0 ? 'No judge was calibrated in this lab yet.' : calibrationsText(all),
        );
      }),
    );
}

function calibrationsText(all: readonly JudgeCalibration[]): string {
  const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);
  return renderTable(
    ['judge', 'wording', 'set', 'n', 'agreement', 'kappa', 'people say yes', 'judge says yes', 'unjudged'],
    all.map(({ judge, set, n, agreement, kappa, humanRate, judgeRate, unjudged }) => [
      judge.name,
      judge.promptVersion,
      set,
      String(n),
      `${percent(agreement.share)} [${percent(agreement.low)}–${percent(agreement.high)}]`,
      kappa === null
        ? 'not defined'
        : `${kappa.kappa.toFixed(2)} [${kappa.low.toFixed(2)}–${kappa.high.toFixed(2)}]`,
      percent(humanRate),
      percent(judgeRate),
      String(unjudged),
    ]),
  );
}

const DEFAULT_ITEMS = 200;

type ProbeOptions = { items: number; phases: Phase[]; seed: number; threads: number; out?: string };

/** `anchor judge probe`. */
function addJudgeProbe(program: Program, judge: Command): void {
  judge
    .command('probe')
    .description(
      'Measure how good a model is as a judge of runs, on items with known answers. Ctrl-C keeps the answers; the same command goes on.',
    )
    .argument('<model>', 'GGUF model, by name or path, or "embedded" for the supervisor that comes with it')
    .option('--items <number>', 'items, half of which carry a defect', wholeNumber, DEFAULT_ITEMS)
    .option('--phases <names>', `of ${PHASES.join(', ')}, with commas between them`, phases, [...PHASES])
    .option('--seed <number>', 'seed of the items and of what is drawn in asking', wholeNumber, 1)
    .option('--threads <number>', 'threads of the model', atLeastOne, 1)
    .option('--out <file>', 'write plan and figures to this file as JSON')
    .addHelpText(
      'after',
      `
Every item is asked as in a run, then once more without what was computed of it; a quarter of them a third time, drawn again.

Examples:
  anchor judge probe embedded
  anchor judge probe qwen.gguf --items 400 --phases output,thought --out probe.json`,
    )
    .action(async (model: string, { out, ...options }: ProbeOptions) =>
      program.withVerbs(async ({ judges }, engine, signal) => {
        const job = await judges.probe({ model, ...options });
        const { result: probe, problem } = await followJob<MeasuredJudge>(program, engine, job, signal);
        if (problem !== null) program.fail(problem);
        if (probe === null) return;
        if (out !== undefined) writeProbe(out, probe);
        program.print(probe, () => judgeProbeText(probe));
      }),
    );
}

function writeProbe(out: string, probe: MeasuredJudge): void {
  const file = resolve(out);
  try {
    writeFileSync(file, `${JSON.stringify(probe, null, 2)}\n`);
  } catch (cause) {
    throw new Failure(
      'cannotWrite',
      `The figures could not be written to ${file}; they are kept in the lab, so give the same command another file.`,
      1,
      { cause },
    );
  }
}

function phases(text: string): Phase[] {
  const names = text.split(',').map((name) => name.trim());
  const isPhase = (name: string): name is Phase => PHASES.some((phase) => phase === name);
  const unknown = names.find((name) => !isPhase(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no phase "${unknown}"; there are ${PHASES.join(', ')}.`);
  return names.filter(isPhase);
}
