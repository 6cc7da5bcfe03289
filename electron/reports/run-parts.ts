import {
  countedScores,
  MEASURES,
  PHASES,
  TRIPPED,
  trippedSchema,
  type MeasureName,
  type RunCurve,
  type RunRecord,
} from '../contract/index.ts';
import { listSummaries, scoresOfRun, wiresOfRun } from '../evaluation/index.ts';
import {
  configRows,
  curveSvg,
  followedSuites,
  SCORE_BOUNDS,
  scoreSeries,
  wireMarks,
  type CurveSeries,
  type WiresOfRun,
} from '../figures/index.ts';
import { packSha256 } from '../library/index.ts';
import { commandOf } from '../plan/index.ts';
import type { Lab } from '../store/index.ts';
import { command, figures, folded, paragraph, section, table, type CellText } from './page.ts';
import type { ReportSources } from './sources.ts';
import { durationText, intervalText, limitWords, momentText, OVERRIDDEN, scoreText } from './words.ts';

/** What the y axis of shares measures. */
export const SHARE = 'share, %';
/** Measures of a run's steps that a report draws, in its order, each with what its y axis measures. */
const DRAWN = {
  passRate: { title: 'Solutions that pass', unit: SHARE },
  solveRate: { title: 'Solve rate of proposals', unit: SHARE },
  formatOk: { title: 'Answers that can be read', unit: SHARE },
  reviewsPerStep: { title: 'Reviews per step', unit: 'reviews' },
  contextLines: { title: 'Lines of the context', unit: 'lines' },
  stepSeconds: { title: 'Seconds of a step', unit: 'seconds' },
} as const satisfies Partial<Record<MeasureName, { title: string; unit: string }>>;
type Drawn = keyof typeof DRAWN;
export const DRAWN_MEASURES = Object.keys(DRAWN) as Drawn[];

export const numberText = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toPrecision(3);
const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;

/** One measure over the steps, a line per run; nothing where none of them measured it. */
export function measureFigure(
  measure: Drawn,
  curves: readonly RunCurve[],
  nameOf: (runId: string) => string,
): string[] {
  const series = curves
    .filter(({ values }) => values.length > 0)
    .map(({ runId, step, values }): CurveSeries => ({
      id: runId,
      label: nameOf(runId),
      kind: 'line',
      x: step,
      y: values,
    }));
  if (series.length === 0) return [];
  const { title, unit } = DRAWN[measure];
  return [picture(title, unit, series, unit === SHARE)];
}

export const picture = (
  title: string,
  yLabel: string,
  series: readonly CurveSeries[],
  isShare: boolean,
  { marks, limits }: Pick<Parameters<typeof curveSvg>[0], 'marks' | 'limits'> = { marks: [], limits: [] },
): string =>
  curveSvg({
    title,
    xLabel: 'Step',
    yLabel,
    series,
    range: null,
    smoothing: 0,
    floor: 0,
    bounds: isShare ? SCORE_BOUNDS : null,
    marks,
    limits,
    format: isShare ? percent : numberText,
  });

export const curvesOf = (store: Lab, runId: string, measure: MeasureName): RunCurve => {
  const { names, combine } = MEASURES[measure];
  return store.runCurve(runId, names, combine);
};

/** What the tripwires of runs put into the figure of a suite. @param nameOf of a run; null where there is only one. */
export const suiteWires = (
  runs: readonly WiresOfRun[],
  suite: string,
  nameOf: ((runId: string) => string) | null,
) =>
  wireMarks(runs, suite, (_, step) => step, {
    touched: ({ runId, said }) => (nameOf === null ? said : `${nameOf(runId)}: ${said}`),
    limit: (limit, ids) =>
      limitWords(limit, nameOf === null || ids.length === runs.length ? null : ids.map(nameOf)),
  });

/** Held-out scores along the run, a figure a suite, weights alone and under the context as a pair. */
export function scoreFigures(store: Lab, runId: string): string[] {
  const scores = scoresOfRun(store, runId);
  const wires = [{ runId, ...wiresOfRun(store, runId) }];
  return followedSuites(scores).map((suite) =>
    picture(
      suite,
      SHARE,
      scoreSeries(scores, (name, withContext) =>
        name === suite ? (withContext ? 'with context' : 'weights alone') : null,
      ),
      true,
      suiteWires(wires, suite, null),
    ),
  );
}

/** Every evaluation of a run with what it was asked under: enough to ask it again. */
export function scoreSection(store: Lab, runId: string): string {
  const rows = listSummaries(store, { runId }).map(
    ({ id, plan, scores, corrected, state, graded }): CellText[] => {
      const score = countedScores({ scores, corrected })[0];
      return [
        plan.suite,
        plan.subject.step,
        plan.context === null ? 'weights' : `with context ${plan.context.hash.slice(0, 12)}…`,
        score === undefined
          ? state
          : `${scoreText(score.value, score.unit)}${intervalText(score.low, score.high, score.unit)}${corrected === null ? '' : OVERRIDDEN}`,
        score?.interval ?? null,
        score?.n ?? graded,
        `${plan.protocol.name}, temperature ${plan.protocol.temperature}, seed ${plan.seed}`,
        plan.judge === null ? 'none' : `${plan.judge.name} ${plan.judge.sha256?.slice(0, 12) ?? ''}`,
        plan.source.sha256,
        id,
      ];
    },
  );
  return section(
    'Held-out scores',
    rows.length === 0
      ? paragraph('This run was not evaluated.')
      : table(
          'With 95 % intervals; a person’s verdicts count in the place of a grader’s',
          [
            'suite',
            'step',
            'asked',
            'score',
            'interval',
            'n',
            'protocol',
            'judge',
            'SHA-256 of the items',
            'evaluation',
          ],
          rows,
        ),
  );
}

/** @param of the run's name, where a report is of several. */
export function outcomeSection(store: Lab, run: RunRecord, of?: string): string {
  const row = store.getRunRow(run.id);
  const { supervision } = run.config;
  const tripped = store.eventsOfKind(run.id, TRIPPED).map(({ body }) => trippedSchema.parse(body).said);
  return section(
    of === undefined ? 'Outcome' : `Outcome of ${of}`,
    table(
      'What became of it',
      ['', ''],
      [
        ['state', `${run.state}${run.reason === null ? '' : `. ${run.reason}`}`],
        ['steps', `${run.committedSteps} of ${run.config.steps}`],
        ['begun', momentText(run.createdAt)],
        ['time of all steps', durationText(row?.seconds ?? 0)],
        [
          'a step, median of the last ten',
          row?.secondsPerStep == null ? null : durationText(row.secondsPerStep),
        ],
        ['policy', run.config.policy.model],
        [
          'supervisor',
          PHASES.every((phase) => supervision.phases[phase] === 0)
            ? 'none'
            : `${supervision.reviewer} ${supervision.model}`,
        ],
        [
          'reviewed with probability',
          PHASES.map((phase) => `${phase} ${supervision.phases[phase]}`).join(', '),
        ],
        ['sandbox', store.sandboxLevels(run.id).join(', ') || null],
        ['seed', run.config.seed],
      ],
    ),
    ...tripped.map(paragraph),
  );
}

export function supervisionSection(store: Lab, { id, committedSteps }: RunRecord): string {
  const costs = store.supervisionCost(id);
  const rows = PHASES.flatMap((phase): CellText[][] => {
    const own = costs.filter((cost) => cost.phase === phase);
    const sum = (of: (cost: (typeof own)[number]) => number): number =>
      own.reduce((all, cost) => all + of(cost), 0);
    const reviews = sum((cost) => cost.reviews);
    return reviews === 0
      ? []
      : [
          [
            phase,
            reviews,
            sum((cost) => (cost.status === 'done' ? 0 : cost.reviews)),
            sum(({ tokensIn }) => tokensIn),
            sum(({ tokensOut }) => tokensOut),
            durationText(sum(({ milliseconds }) => milliseconds) / 1000),
          ],
        ];
  });
  const context = store.getContext(id, committedSteps + 1);
  return section(
    'Supervision',
    rows.length === 0
      ? ''
      : table(
          'Reviews by phase',
          ['phase', 'reviews', 'without an answer that counts', 'tokens in', 'tokens out', 'time'],
          rows,
        ),
    context === null || context.lines.length === 0
      ? ''
      : table(
          `The context after step ${committedSteps}`,
          ['since step', 'line'],
          context.lines.map(({ enteredStep, text }) => [enteredStep, text]),
        ),
  );
}

export const configSection = ({ config }: RunRecord): string =>
  section(
    'Configuration',
    table(
      'All settings, as the run was told',
      ['setting', 'value'],
      configRows([config]).map(({ path, values }) => [path.join('.'), values[0] ?? null]),
    ),
  );

/** What tells that a repeated run is the same: weights, steps, prompts and program. */
export function hashSection(
  store: Lab,
  run: RunRecord,
  { resources, program }: Pick<ReportSources, 'resources' | 'program'>,
  of?: string,
): string {
  const { promptPack } = run.config.policy;
  const steps = store.listSteps(run.id, { limit: Math.max(1, run.committedSteps) });
  return section(
    of === undefined ? 'Hashes and versions' : `Hashes and versions of ${of}`,
    table(
      'SHA-256',
      ['of', ''],
      [
        ['weights before step 1', run.policySha256],
        ['supervisor’s file', run.supervisorSha256],
        [`prompt pack ${promptPack}, as this program has it`, packSha256(resources, promptPack)],
        ['last step (over all before it)', steps.at(-1)?.stepHash ?? null],
      ],
    ),
    table('Versions', ['', ''], Object.entries(program)),
    folded(
      `Kept checkpoints (${store.listCheckpoints(run.id).length})`,
      table(
        'Weights of checkpoints',
        ['step', 'SHA-256 of the weights'],
        store.listCheckpoints(run.id).map(({ step, weightsSha256 }) => [step, weightsSha256]),
      ),
    ),
    folded(
      `Steps (${steps.length})`,
      table(
        'Steps',
        ['step', 'seconds', 'step hash', 'hash of the context it ran under'],
        everyKth(steps).map(({ step, timings, stepHash, contextHash }) => [
          step,
          timings['step']?.toFixed(1) ?? null,
          stepHash,
          contextHash,
        ]),
      ),
    ),
  );
}

/** Rows of a table of steps; each hash is over all steps before it, so none is left out of the last. */
const MOST_STEPS = 500;

function everyKth<T>(steps: readonly T[]): T[] {
  const k = Math.ceil(steps.length / MOST_STEPS);
  return steps.filter((_, index) => (steps.length - 1 - index) % k === 0);
}

export const repeatSection = (runs: readonly RunRecord[], report: string): string =>
  section(
    'How to repeat it',
    paragraph(
      'The same command with the same files gives the same step hashes, as long as no time limit is met. The second line computes what is stored again, the last one writes this report.',
    ),
    command([
      ...runs.map(({ config }) => commandOf(config)),
      `anchor verify ${runs.map(({ id }) => id).join(' ')}`,
      report,
    ]),
  );

export const runFigures = (store: Lab, runId: string): string =>
  section(
    'Curves',
    figures([
      ...scoreFigures(store, runId),
      ...DRAWN_MEASURES.flatMap((measure) =>
        measureFigure(measure, [curvesOf(store, runId, measure)], () => DRAWN[measure].title),
      ),
    ]),
  );
