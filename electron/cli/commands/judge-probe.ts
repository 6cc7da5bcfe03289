import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { Failure, PHASES, type JudgeProbe, type Phase } from '../../contract/index.ts';
import { judgeProbeText } from '../judge-probe-text.ts';
import type { Program } from '../program.ts';
import { followJob } from '../progress.ts';

const DEFAULT_ITEMS = 200;

type ProbeOptions = { items: number; phases: Phase[]; seed: number; threads: number; out?: string };

/** `anchor judge probe`. */
export function addJudgeProbe(program: Program, judge: Command): void {
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
Every item is asked as in a run, then once more without what was computed of it; a quarter of them a third time, drawn anew.

Examples:
  anchor judge probe embedded
  anchor judge probe qwen.gguf --items 400 --phases output,thought --out probe.json`,
    )
    .action(async (model: string, { out, ...options }: ProbeOptions) =>
      program.withEngine(async (engine, signal) => {
        const job = await engine.probeJudge({ model, ...options });
        const { ids: probe, problem } = await followJob<JudgeProbe>(program, engine, job, signal);
        if (problem !== null) program.fail(problem);
        if (probe === null) return;
        if (out !== undefined) writeProbe(out, probe);
        program.print(probe, () => judgeProbeText(probe));
      }),
    );
}

function writeProbe(out: string, probe: JudgeProbe): void {
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

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

function atLeastOne(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return value;
}

function phases(text: string): Phase[] {
  const names = text.split(',').map((name) => name.trim());
  const isPhase = (name: string): name is Phase => PHASES.some((phase) => phase === name);
  const unknown = names.find((name) => !isPhase(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no phase "${unknown}"; there are ${PHASES.join(', ')}.`);
  return names.filter(isPhase);
}
