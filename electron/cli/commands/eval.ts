import { resolve } from 'node:path';
import {
  APP_VERSION,
  Failure,
  type EvaluationOrder,
  type EvaluationSummary,
  type MatrixRequest,
} from '../../contract/index.ts';
import { writeExport } from '../../library/index.ts';
import {
  chosenJudge,
  compareEvaluations,
  joinedReads,
  placeOfItems,
  writeItems,
  matrixOf,
  matrixText,
  pageItems,
  requireSummary,
  TABLE_FORMATS,
  type TableFormat,
} from '../../evaluation/index.ts';
import type { WorkingEngine } from '../engine-elsewhere.ts';
import { atLeastOne, wholeNumber, type Program } from '../program.ts';
import { comparisonText, itemsText, matrixAsTable, summariesText } from '../evaluation-text.ts';
import { contextOption, subjectId, withGiven } from '../evaluation-options.ts';
import { followJob } from '../progress.ts';
import { printReport } from '../report-text.ts';
import { addEvalList } from './eval-list.ts';

const MINI_ITEMS = 200; // of each suite: intervals of seven points, all of them in two minutes on two cores
type EvalOptions = {
  model: string[];
  suites: string;
  limit?: number;
  all?: boolean;
  seed: number;
  context?: 'weights' | 'run' | 'both';
  judge?: string;
  protocol: string[];
  again?: boolean;
  resume?: boolean;
  dryRun?: boolean;
};
type MatrixOptions = {
  model: string[];
  suites?: string;
  limit?: number;
  seed?: number;
  context?: 'weights' | 'run' | 'both';
  format: string;
  to?: string;
};

/** `anchor eval` and what it has below it. */
export function addEval(program: Program): void {
  const evaluation = program.command
    .command('eval')
    .description(
      'Ask suites of models and checkpoints, grade the answers, and print the scores. What is stored already is not asked again; what was cut off goes on.',
    )
    .option(
      '--model <ref>',
      'model or checkpoint: embedded, a name of the library, a folder or .gguf file, run@step or run@last (repeatable)',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .option(
      '--suites <names>',
      'suites, groups (code, maths, safety, toy) or "mini": one of every kind for the embedded policy; with commas between them',
      'mini',
    )
    .option(
      '--limit <number>',
      `items of each suite, the first ones (default: ${MINI_ITEMS} for toy suites, all of others)`,
      atLeastOne,
    )
    .option('--seed <number>', 'seed of sampled answers', wholeNumber, 1)
    .option(
      '--context <which>',
      '"run": under the supervision context its run had reached; "weights": the weights alone (default)',
      contextOption,
    )
    .option(
      '--judge <ref>',
      "GGUF model that judges, by name or path (default: the lab's chosen judge, if any)",
    )
    .option(
      '--protocol <suite=name>',
      'how a suite is asked, where it has more than one way (repeatable)',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .option('--again', 'ask again also what is stored')
    .option('--dry-run', 'say what would be done and how long it takes, and do nothing')
    .option('--resume', 'go on with every evaluation that was cut off, whatever it is')
    .addHelpText(
      'after',
      `
Examples:
  anchor eval --model embedded --suites mini
  anchor eval --model embedded --model run-20260101@last --suites toy-refusal,toy-deduction --limit 400
  anchor eval --model /models/Qwen2.5-Coder-3B --suites code,maths --judge /models/judge.gguf
  anchor eval matrix --model model:embedded-policy --model run-20260101@0 --model run-20260101@last --format markdown`,
    )
    .action(async (options: EvalOptions) =>
      program.withAnyEngine(
        async (engine, signal) => {
          if (options.resume === true) return resumeAll(program, engine, signal);
          const order = { ...orderOf(options), judge: options.judge ?? chosenJudge(engine.store) };
          if (options.dryRun === true) {
            const estimate = await engine.evaluations.estimate(order);
            return program.print(estimate, () =>
              [
                `${estimate.items} answers${estimate.seconds === null ? '' : `, about ${Math.ceil(estimate.seconds)} s`}`,
                ...estimate.skipped.map(({ suite, why }) => `skipped ${suite}: ${why}`),
              ].join('\n'),
            );
          }
          const { skipped } = await engine.evaluations.estimate(order);
          for (const { subject, suite, why } of skipped)
            program.say(`${suite}, ${subject}: left out. ${why}`);
          const { result: ids, problem } = await followJob<string[]>(
            program,
            engine,
            await engine.evaluations.start(order),
            signal,
          );
          conclude(program, engine, ids, problem);
        },
        { serves: true },
      ),
    );
  evaluation
    .command('matrix')
    .description("Suites and the paper's aggregates against models and checkpoints, from what is stored.")
    .option(
      '--model <ref>',
      'column: model:name, run@step or run@last (repeatable; default: everything that was evaluated)',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .option('--suites <names>', 'only these suites, with commas between them')
    .option('--limit <number>', 'only evaluations of so many items', atLeastOne)
    .option('--seed <number>', 'only evaluations of this seed', wholeNumber)
    .option(
      '--context <which>',
      '"run": those under the supervision context; "both": a column of each',
      contextOption,
    )
    .option(
      '--format <name>',
      `text, ${TABLE_FORMATS.join(', ')}, or html: a page with figures, differences and all that was asked`,
      'text',
    )
    .option('--to <file>', 'write it there, over a file that is there (default: standard output)')
    .action(async (own: MatrixOptions) => {
      const options = withGiven(evaluation, own);
      return program.withSample(options.model, (store, sample) => {
        const reads = joinedReads(store, sample);
        const subjects =
          options.model.length > 0
            ? options.model.map((reference) => subjectId(reads, reference))
            : [...new Set(store.listStoredEvaluations().map(({ plan }) => plan.subject.id))];
        if (subjects.length === 0)
          throw new Failure(
            'nothingEvaluated',
            'Nothing was evaluated in this lab yet; start with "anchor eval --model embedded --suites mini".',
            2,
          );
        const request: MatrixRequest = {
          subjects,
          seed: options.seed ?? null,
          limit: options.limit ?? null,
          context: underContext(options.context),
          judge: null,
          ...(options.suites === undefined ? {} : { suites: options.suites.split(',') }),
        };
        if (options.format === 'html')
          return printReport(program, { store, sample }, { kind: 'matrix', request }, options.to ?? null);
        const format = options.format === 'text' ? null : tableFormat(options.format);
        const matrix = matrixOf(reads, request);
        const text = (): string =>
          format === null ? matrixAsTable(matrix) : matrixText(matrix, format).trimEnd();
        if (options.to === undefined) return program.print(matrix, text);
        writeExport(resolve(options.to), [`${text()}\n`]);
        program.print({ path: resolve(options.to) }, () => `Wrote ${resolve(options.to as string)}.`);
      });
    });
  evaluation
    .command('items')
    .description(
      'Answers of an evaluation with their verdicts; beside those of another one, flipped answers first.',
    )
    .argument('<evaluation>', 'id of the evaluation')
    .option('--against <evaluation>', 'compare with this one')
    .option('--show <which>', 'all, flipped, failed, unjudged, flagged, overridden or load-affected', 'all')
    .option('--limit <number>', 'at most so many', atLeastOne, 50)
    .action(async (id: string, own: { against?: string; show: string; limit: number }) =>
      program.withSample([], (lab, sample) => {
        const store = joinedReads(lab, sample);
        const options = withGiven(evaluation, own);
        const page = pageItems(store, {
          id,
          against: options.against ?? null,
          show: showOption(options.show),
          cursor: null,
          limit: options.limit,
        });
        const comparison =
          options.against === undefined ? null : compareEvaluations(store, options.against, id);
        program.print({ ...page, comparison }, () =>
          [...(comparison === null ? [] : [comparisonText(comparison)]), itemsText(page)].join('\n\n'),
        );
      }),
    );
  evaluation
    .command('export')
    .description('Write an evaluation with all its answers as a log that Inspect reads, or as CSV.')
    .argument('<evaluation>', 'id of the evaluation')
    .option('--format <name>', 'inspect or csv', 'inspect')
    .option('--to <path>', 'file or folder', '.')
    .action(async (id: string, options: { format: string; to: string }) =>
      program.withSample([], (lab, sample) => {
        if (options.format !== 'inspect' && options.format !== 'csv')
          throw new Failure(
            'usage',
            `There is no format "${options.format}" for answers; choose inspect or csv. Tables are written by "anchor eval matrix --format".`,
            2,
          );
        const reads = joinedReads(lab, sample);
        const { format } = options;
        const path = placeOfItems(reads, id, format, options.to);
        const { bytes } = writeItems(reads, { id, format, path, version: APP_VERSION });
        program.print({ path, bytes }, () => `Wrote ${path} (${bytes} bytes).`);
      }),
    );
  addEvalList(program, evaluation);
}

function orderOf({
  model,
  suites,
  limit,
  seed,
  context,
  judge,
  protocol,
  again,
}: EvalOptions): EvaluationOrder {
  if (model.length === 0)
    throw new Failure('usage', 'Say whose answers are wanted with --model, for example --model embedded.', 2);
  const names = suites
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0)
    throw new Failure('usage', 'Say which suites are wanted with --suites, for example --suites mini.', 2);
  if (context === 'both')
    throw new Failure(
      'usage',
      'A question is asked in one way at a time; "both" is for "anchor eval matrix".',
      2,
    );
  const isToy = names.every((name) => name === 'mini' || name === 'toy' || name.startsWith('toy-'));
  const protocols = Object.fromEntries(
    protocol.map((text) => {
      const [suite, name] = text.split('=');
      if (suite === undefined || name === undefined || name === '')
        throw new Failure('usage', `"${text}" names no protocol; write suite=name.`, 2);
      return [suite, name];
    }),
  );
  return {
    subjects: model,
    suites: names,
    limit: limit ?? (isToy ? MINI_ITEMS : null),
    seed,
    context: context === 'run' ? context : null,
    judge: judge ?? null,
    protocols,
    again: again ?? false,
  };
}

async function resumeAll(program: Program, engine: WorkingEngine, signal: AbortSignal): Promise<void> {
  const ids = (await engine.evaluations.unfinished()).map(({ summary }) => summary.id);
  if (ids.length === 0) return program.print([], () => 'Nothing was cut off.');
  const { problem } = await followJob<string[]>(
    program,
    engine,
    await engine.evaluations.resume(ids),
    signal,
  );
  conclude(program, engine, ids, problem);
}

function conclude(
  program: Program,
  engine: Pick<WorkingEngine, 'store'>,
  ids: readonly string[] | null,
  problem: string | null,
): void {
  const all: EvaluationSummary[] = (ids ?? []).map((id) => requireSummary(engine.store, id));
  if (all.length > 0) program.print(all, () => summariesText(all));
  if (problem !== null) program.fail(problem);
}

function tableFormat(name: string): TableFormat {
  const found = TABLE_FORMATS.find((format) => format === name);
  if (found === undefined)
    throw new Failure(
      'usage',
      `There is no format "${name}"; choose text, ${TABLE_FORMATS.join(', ')} or html.`,
      2,
    );
  return found;
}

function showOption(text: string): Parameters<typeof pageItems>[1]['show'] {
  const known = ['all', 'flipped', 'failed', 'unjudged', 'flagged', 'overridden', 'load-affected'] as const;
  const found = known.find((name) => name === text);
  if (found === undefined)
    throw new Failure('usage', `There is no list "${text}"; choose ${known.join(', ')}.`, 2);
  return found;
}

const underContext = (context: MatrixOptions['context']): 'run' | 'both' | null =>
  context === undefined || context === 'weights' ? null : context;
