import {
  batchesJudgedBy,
  Failure,
  lineCounts,
  MISMATCH_OUTSIDE,
  placeOfStep,
  saidAndWasOf,
  type SaidAndWas,
  taskTypesOf,
  TRIPPED,
  trippedSchema,
  type ContextRecord,
  type RunRecord,
  type StepRecord,
  type Tripped,
} from '../../contract/index.ts';
import { asSample, recordsOf, wholeNumber, type Program, type Records } from '../program.ts';
import {
  formatText,
  linesText,
  mismatchOf,
  mismatchText,
  movedText,
  readableOf,
  refusedText,
  runSupervisionText,
  supervisionText,
  writtenLines,
} from '../step-text.ts';
import { batchesTable, recordText } from '../record-text.ts';
import { findingsText } from '../findings-text.ts';
import { saidAndWasText } from '../said-text.ts';
import { taskFacts, tasksText } from '../tasks-text.ts';
import { formatPercent, renderTable } from '../table.ts';

/** `anchor runs` and `anchor show`. */
export function addShow(program: Program): void {
  program.command
    .command('runs')
    .description('List the runs of the lab, newest first, and after them those of the recorded sample.')
    .option('--limit <number>', "how many of the lab's own, at most 500", wholeNumber, 50)
    .action(async (options: { limit: number }) => {
      const { listedRuns, runsText } = await import('../runs-text.ts');
      await program.withSample([], async (records, sample) => {
        const rows = await listedRuns(records, records.listRuns({}, { limit: options.limit }).rows);
        const recorded = sample === null ? [] : await listedRuns(sample, sample.listRuns().rows);
        program.print([...rows, ...asSample(recorded)], () => runsText(rows, recorded));
      });
    });
  program.command
    .command('show')
    .description(
      'Show a run: its curve, or one step with its reviews and context, or one record with everything said about it.',
    )
    .argument('<run>', 'id of the run')
    .option('--step <number>', 'one step', wholeNumber)
    .option('--record <id>', 'one record, for example 3/pred_code_o/0')
    .option(
      '--against <run>',
      'its last scores against those of another run, with intervals, over the items of both',
    )
    .option(
      '--tasks',
      'what it proposed: rates, outcomes by reason, measures by iteration, how right its labels are',
    )
    .option('--findings', 'what its findings are worth, by the verifier and beside the computed facts')
    .action(async (id: string, options: ShowOptions) => {
      // The lab is closed when what is asked of it returns, so nothing is waited for in between.
      const supervision =
        options.findings === true || options.tasks === true
          ? await import('../../supervision/index.ts')
          : null;
      const library = options.record === undefined ? null : await import('../../library/index.ts');
      const scores = options.against === undefined ? null : await import('../score-changes.ts');
      const { against } = options;
      await program.withSample([id, ...(against === undefined ? [] : [against])], (lab, sample) => {
        const records = recordsOf(id, lab, sample);
        const run = records.requireRun(id);
        if (scores !== null) return scores.showChanges(program, { lab, sample }, id, against ?? '');
        if (options.record !== undefined && library !== null) {
          const { promptPack } = run.config.policy;
          const resources = library.resourcePaths(program.application);
          return showRecord(program, records, run, options.record, (values) =>
            library.systemMessage(resources, promptPack, values),
          );
        }
        if (options.step !== undefined) return showStep(program, records, run, options.step);
        if (supervision !== null && options.tasks === true) {
          const { name } = run.config.framework;
          const stored = records.listSteps(id, { limit: run.committedSteps });
          const facts = taskFacts(records, id, name, stored, supervision.labelAccuracy(records, id));
          return program.print(facts, () => tasksText(facts, name, stored));
        }
        if (supervision !== null) {
          const findings = supervision.findingsOf(records.reviewedWork(id));
          return program.print(findings, () => findingsText(findings));
        }
        const steps = withLineCounts(records, id, records.listSteps(id, { limit: run.committedSteps }));
        const seeds = records.countSeedAttempts(id);
        const tripped = records.eventsOfKind(id, TRIPPED).map(({ body }) => trippedSchema.parse(body));
        const timed = saidAndWasOf(records, id, run.config.steps);
        const isSample = records === sample;
        const beside = {
          ...(isSample ? { sample: true } : {}),
          ...(timed === null ? {} : { saidAndWas: timed }),
          ...(seeds.asked === 0 ? {} : { seeds }),
          ...(tripped.length === 0 ? {} : { tripped }),
        };
        program.print({ run, steps, ...beside }, () =>
          runText(run, steps, { seeds, costs: records.supervisionCost(id), tripped, timed, isSample }),
        );
      });
    });
}

type ShowOptions = { step?: number; record?: string; against?: string; findings?: true; tasks?: true };

type Beside = {
  seeds: { asked: number; kept: number };
  costs: ReturnType<Records['supervisionCost']>;
  tripped: readonly Tripped[];
  timed: SaidAndWas | null;
  isSample: boolean;
};

function runText(
  run: RunRecord,
  steps: readonly StepRecord[],
  { seeds, costs, tripped, timed, isSample }: Beside,
): string {
  const wrote =
    seeds.asked === 0
      ? ''
      : `\nFirst tasks: the policy wrote ${seeds.asked} texts, of which ${seeds.kept} became tasks (${formatPercent(seeds.kept / seeds.asked)}).`;
  const said = `${run.config.name} (${run.id}${isSample ? ', of the recorded sample' : ''}) is ${run.state}: ${run.committedSteps} of ${run.config.steps} steps.${run.reason === null ? '' : ` ${run.reason}`}`;
  const supervision = runSupervisionText(steps, costs);
  const wires = tripped.map((one) => `\n${one.said}`).join('');
  const time = timed === null || timed.steps === 0 ? '' : `\n${saidAndWasText(timed)}`;
  const head = `${said}${time}${wires}${wrote}${supervision === '' ? '' : `\n${supervision}`}`;
  if (steps.length === 0) return head;
  const cell = (value: number | undefined): string =>
    value === undefined ? '–' : Number.isInteger(value) ? String(value) : value.toFixed(2);
  const taskTypes = taskTypesOf(run.config.framework);
  const solutions = batchesJudgedBy('pass-rate');
  const accuracies = taskTypes.flatMap((wanted) =>
    solutions.flatMap(({ name, taskType }) => (taskType === wanted ? [`${name}/accuracy`] : [])),
  );
  const solveRates = batchesJudgedBy('solve-rate').map(({ name }) => `${name}/solve_rate`);
  const agreements = batchesJudgedBy('agreement').map(({ name }) => `${name}/agreement`);
  const hasStages = steps.some((step) => placeOfStep(step) !== null);
  // Agreement is a column of its own: nobody knows what is right there.
  const hasAgreement = steps.some(({ metrics }) => agreements.some((name) => metrics[name] !== undefined));
  const hasMismatch = steps.some(({ metrics }) => metrics[MISMATCH_OUTSIDE] !== undefined);
  const hasLines = steps.some(({ metrics }) => writtenLines(metrics) > 0);
  return `${head}\n\n${renderTable(
    [
      'step',
      ...(hasStages ? ['iteration', 'stage', 'stage step', 'global step'] : []),
      'seconds',
      ...(accuracies.length === 0 ? [] : ['readable', 'proposal solve rate', ...taskTypes]),
      ...(hasAgreement ? ['agreement'] : []),
      ...(hasMismatch ? ['mismatch p99'] : []),
      'context lines',
      ...(hasLines ? ['lines refused'] : []),
    ],
    steps.map(({ step, timings, metrics, ...place }) => [
      String(step),
      ...(hasStages ? placeCells({ metrics, ...place }) : []),
      cell(timings['step']),
      ...(accuracies.length === 0
        ? []
        : [
            readableOf(metrics),
            cell(mean(solveRates.flatMap((name) => metrics[name] ?? []))),
            ...accuracies.map((name) => cell(metrics[name])),
          ]),
      ...(hasAgreement ? [cell(mean(agreements.flatMap((name) => metrics[name] ?? [])))] : []),
      ...(hasMismatch ? [mismatchOf(metrics)] : []),
      cell(metrics['context/lines']),
      ...(hasLines ? [refusedText(metrics)] : []),
    ]),
  )}`;
}

/** Where a step stands in the framework's schedule. */
function placeCells(step: Parameters<typeof placeOfStep>[0]): string[] {
  const place = placeOfStep(step);
  if (place === null) return ['–', '–', '–', '–'];
  return [String(place.iteration), place.stage, String(place.stageStep), String(place.globalStep)];
}

function placeText(step: StepRecord): string[] {
  const place = placeOfStep(step);
  if (place === null) return [];
  const { iteration, stage, stageStep, globalStep } = place;
  return [
    `Iteration ${iteration}, stage ${stage}, step ${stageStep} of it; ${globalStep} ${globalStep === 1 ? 'step has' : 'steps have'} trained so far.`,
  ];
}

/** Counts of the lines that a model wrote belong to each step's metrics, though they are not stored as such. */
function withLineCounts(records: Records, runId: string, steps: readonly StepRecord[]): StepRecord[] {
  const counts = records.lineCounts(runId);
  return steps.map((step) => ({ ...step, metrics: { ...step.metrics, ...counts.get(step.step) } }));
}

/** Undefined without values, as in a step without a valid proposal. */
const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

function showStep(program: Program, records: Records, run: RunRecord, number: number): void {
  const stored = records.getStep(run.id, number);
  if (stored === null)
    throw new Failure(
      'noSuchStep',
      `Run "${run.id}" has no stored step ${number}; it has ${run.committedSteps}.`,
      2,
    );
  const wordings = records.listWordings(run.id, number);
  const step = { ...stored, metrics: { ...stored.metrics, ...lineCounts(wordings) } };
  const reviews = records.listReviews(run.id, number);
  const context = records.getContext(run.id, number) as ContextRecord;
  const rollouts = records.listRollouts(run.id, number);
  program.print(
    {
      step,
      context,
      reviews,
      wordings,
      rollouts: rollouts.map(({ id, batch, verdict, reward }) => ({ id, batch, verdict, reward })),
    },
    () =>
      [
        `Step ${number} of ${run.id}: ${rollouts.length} rollouts, ${reviews.length} reviews, ${step.timings['step']?.toFixed(1)} s, hash ${step.stepHash.slice(0, 16)}…`,
        ...placeText(step),
        `Context: ${context.lines.length === 0 ? 'empty' : context.lines.map((line) => `\n  - ${line.text} (since step ${line.enteredStep})`).join('')}`,
        ...formatText(step),
        ...movedText(step),
        ...supervisionText(step, reviews, run),
        ...linesText(step),
        ...mismatchText(step),
        batchesTable(rollouts),
        reviews.length === 0
          ? 'No reviews.'
          : renderTable(
              ['review', 'decision', 'feedback'],
              reviews.map((review) => [review.id, review.decision ?? review.status, review.feedback]),
            ),
      ].join('\n\n'),
  );
}

function showRecord(
  program: Program,
  records: Records,
  run: RunRecord,
  recordId: string,
  systemMessage: (values: { role: string; context: string }) => string,
): void {
  const record = records.getRecord(run.id, recordId);
  if (record === null)
    throw new Failure(
      'noSuchRecord',
      `Run "${run.id}" has no record "${recordId}"; "anchor show ${run.id} --step N --json" lists those of a step.`,
      2,
    );
  const { role, step } = record.rollout;
  const system = systemMessage({ role, context: records.getContext(run.id, step)?.text ?? '' });
  const shown = { ...record, system };
  program.print(shown, () => recordText(shown));
}
