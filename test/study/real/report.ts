import type { RunRecord } from '../../../electron/contract/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import type { EvaluationOutcome } from '../../../electron/evaluation/index.ts';
import { runName, type Design, type PlannedRun } from './design.ts';

export type Answered = { run: PlannedRun; step: number; outcomes: EvaluationOutcome[] };

const PHASES_OF_A_STEP = ['gen', 'estimate', 'update_actor', 'save_checkpoint', 'supervise_wait', 'context'];

/** What was found, as Markdown; a run that is not at its end is reported as far as it is. */
export function reportOf(
  { store }: Pick<Engine, 'store'>,
  design: Design,
  runs: readonly { planned: PlannedRun; record: RunRecord | null }[],
  answered: readonly Answered[],
): string {
  const begun = runs.flatMap(({ planned, record }) => (record === null ? [] : [{ planned, record }]));
  return [
    `# ${design.name}`,
    '',
    '## Steps',
    '',
    '| run | steps | proposals that became tasks | answers in form | solved | reviews | seconds a step (median) | of these: ' +
      `${PHASES_OF_A_STEP.join(', ')} |`,
    '|---|---|---|---|---|---|---|---|',
    ...begun.map(({ planned, record }) => stepsRow(store, design, planned, record)),
    '',
    '## Held-out items',
    '',
    'Passed of asked, and the 95 % interval (Wilson) of the share.',
    '',
    '| run | step | context | suite | passed | interval |',
    '|---|---|---|---|---|---|',
    ...answered.flatMap(({ run, step, outcomes }) =>
      outcomes.map(
        ({ suite, passed, n, interval: { low, high }, withContext }) =>
          `| ${runName(design, run)} | ${step} | ${withContext ? 'as the run ended' : 'none'} | ${suite} | ${passed} of ${n} | ${percent(low)}–${percent(high)} |`,
      ),
    ),
    '',
    '## Contexts that the runs ended with',
    '',
    ...begun.flatMap(({ planned, record }) => contextOf(store, design, planned, record)),
  ].join('\n');
}

function stepsRow(store: Engine['store'], design: Design, planned: PlannedRun, record: RunRecord): string {
  const steps = store.listSteps(record.id, { limit: record.committedSteps });
  const values = (test: RegExp): number[] =>
    steps.flatMap(({ metrics }) =>
      Object.entries(metrics).flatMap(([name, value]) => (test.test(name) ? [value] : [])),
    );
  const valid = values(/\/num_valid_programs$/);
  const perBatch = record.config.framework.name === 'azr' ? record.config.framework.batchSize : 0;
  const seconds = (name: string): number => median(steps.map(({ timings }) => timings[name] ?? 0));
  return `| ${[
    runName(design, planned),
    `${record.committedSteps} of ${record.config.steps}`,
    `${sum(valid)} of ${valid.length * perBatch}`,
    shareOf(values(/\/format_score$/)),
    shareOf(values(/^pred_code_\w\/accuracy$/)),
    sum(values(/^supervision\/(task|plan|thought|output|exec)\/reviews$/)),
    seconds('step').toFixed(0),
    PHASES_OF_A_STEP.map((name) => seconds(name).toFixed(0)).join(', '),
  ].join(' | ')} |`;
}

function contextOf(store: Engine['store'], design: Design, planned: PlannedRun, record: RunRecord): string[] {
  const lines = store.getContext(record.id, record.committedSteps + 1)?.lines ?? [];
  return [
    `- ${runName(design, planned)}, after step ${record.committedSteps}: ${lines.length === 0 ? 'nothing' : ''}`,
    ...lines.map(({ text }) => `  - ${text}`),
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const shareOf = (values: readonly number[]): string =>
  values.length === 0 ? '–' : percent(sum(values) / values.length);
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half) - 1] ?? 0)) / 2;
}
