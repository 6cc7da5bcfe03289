import { InvalidArgumentError } from 'commander';
import type { JudgeCalibration } from '../../contract/index.ts';
import { calibrateJudge, listCalibrations } from '../../evaluation/index.ts';
import type { Program } from '../program.ts';
import { renderTable } from '../table.ts';
import { followJob } from '../progress.ts';
import { addJudgeProbe } from './judge-probe.ts';

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
    .option('--limit <number>', 'so many of them, drawn at random', (text) => {
      const value = Number(text);
      if (!Number.isInteger(value) || value < 1)
        throw new InvalidArgumentError('It must be a whole number of at least 1.');
      return value;
    })
    .action(async (path: string, options: { judge: string; limit?: number }) =>
      program.withEngine(async (engine, signal) => {
        const job = await calibrateJudge(engine, {
          model: options.judge,
          path,
          limit: options.limit ?? null,
        });
        const { ids: calibration, problem } = await followJob<JudgeCalibration>(program, engine, job, signal);
        if (calibration !== null) program.print(calibration, () => calibrationsText([calibration]));
        if (problem !== null) program.fail(problem);
      }),
    );
  addJudgeProbe(program, judge);
  judge
    .command('list')
    .description('Calibrations of this lab, newest first.')
    .action(async () =>
      program.withEngine(async (engine) => {
        const all = listCalibrations(engine.store);
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
