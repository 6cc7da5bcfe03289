import {
  placeOfStep,
  viewOf,
  viewWarnings,
  type FrameworkName,
  type LabelAccuracy,
  type StepRecord,
  type ViewWarning,
} from '../contract/index.ts';
import type { Records } from './program.ts';
import { formatDuration, formatPercent, renderTable } from './table.ts';

/** Proposals that were paid most, and of these how many are printed. */
const MOST_PAID = 50;
const MOST_PRINTED = 10;
const EXCERPT = 70;
/** Iterations that a table has room for, the newest. */
const MOST_ITERATIONS = 8;

export type TaskFacts = {
  stages: { stage: string; steps: number; seconds: number }[];
  rates: ReturnType<Records['stepDifficulties']>;
  proposals: ReturnType<Records['proposalOutcomes']>;
  paid: ReturnType<Records['paidProposals']>;
  labels: LabelAccuracy[];
  warnings: ViewWarning[];
};

/** What a run proposed to itself, from its stored records alone. */
export function taskFacts(
  records: Records,
  runId: string,
  framework: FrameworkName,
  steps: readonly StepRecord[],
  labels: LabelAccuracy[],
): TaskFacts {
  const byStage = Map.groupBy(
    steps.filter((step) => placeOfStep(step) !== null),
    ({ stage }) => stage,
  );
  return {
    stages: [...byStage].map(([stage, own]) => ({
      stage,
      steps: own.length,
      seconds: own.reduce((sum, { timings }) => sum + (timings['step'] ?? 0), 0),
    })),
    rates: records.stepDifficulties(runId),
    proposals: records.proposalOutcomes(runId),
    paid: records.paidProposals(runId, MOST_PAID),
    labels,
    warnings: viewWarnings(viewOf(framework).watches, steps),
  };
}

/** The same in words and tables. */
export function tasksText(
  { stages, rates, proposals, paid, labels, warnings }: TaskFacts,
  framework: FrameworkName,
  steps: readonly StepRecord[],
): string {
  const view = viewOf(framework);
  const labelOf = (stage: string): string => {
    const found = view.stages.find(({ name }) => name === stage);
    return found === undefined ? stage : `${found.letter} ${found.label}`;
  };
  const whole = stages.reduce((sum, { seconds }) => sum + seconds, 0);
  const stageOf = new Map(steps.map(({ step, stage }) => [step, stage]));
  const parts = [
    ...warnings.map(warningText),
    ...(stages.length === 0
      ? []
      : [
          renderTable(
            ['stage', 'steps', 'time', 'share'],
            stages.map(({ stage, steps: n, seconds }) => [
              labelOf(stage),
              String(n),
              formatDuration(seconds),
              whole === 0 ? '–' : formatPercent(seconds / whole),
            ]),
          ),
        ]),
    ...view.rates.flatMap(({ title, stage }) => {
      const own = rates.filter(({ step }) => stage === null || stageOf.get(step) === stage);
      return own.length === 0 ? [] : [`${title}:\n${ratesTable(own)}`];
    }),
    ...(proposals.length === 0 ? [] : [`What became of proposals:\n${outcomesTable(proposals)}`]),
    ...figuresTable(framework, steps),
    ...(labels.length === 0
      ? []
      : [`How right the labels are, with 95 % intervals:\n${labelsTable(labels)}`]),
    ...paidTable(paid),
  ];
  return parts.length === 0 ? 'This run has no proposals that were measured.' : parts.join('\n\n');
}

const warningText = ({ iteration, rose, worse }: ViewWarning): string =>
  `Iteration ${iteration}: ${changeText(rose)}, while ${worse.map(changeText).join('; ')}. Answers that agree more need not be more often right.`;
const changeText = ({ label, before, after }: ViewWarning['rose']): string =>
  `${label} went from ${before.toFixed(2)} to ${after.toFixed(2)}`;

function ratesTable(rates: TaskFacts['rates']): string {
  const counts = Array.from({ length: 11 }, () => 0);
  for (const { tenth, tasks } of rates) counts[tenth] = (counts[tenth] ?? 0) + tasks;
  return renderTable(
    counts.map((_, tenth) => formatPercent(tenth / 10)),
    [counts.map(String)],
  );
}

function outcomesTable(proposals: TaskFacts['proposals']): string {
  const counts = new Map<string, number>();
  for (const { reason, count } of proposals) {
    const name = reason ?? 'became a task';
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return renderTable(
    ['outcome', 'proposals'],
    [...counts].toSorted((a, b) => b[1] - a[1]).map(([name, count]) => [name, String(count)]),
  );
}

/** The framework's own measures, each as its mean over the steps of an iteration. */
function figuresTable(framework: FrameworkName, steps: readonly StepRecord[]): string[] {
  const lines = viewOf(framework).figures.flatMap((figure) =>
    figure.lines.map((one) => ({ ...one, title: figure.title })),
  );
  const iterations = [...Map.groupBy(steps, ({ iteration }) => iteration)].slice(-MOST_ITERATIONS);
  const rows = lines.flatMap(({ metric, label, title }) => {
    const cells = iterations.map(([, own]) => {
      const values = own.flatMap(({ metrics }) => metrics[metric] ?? []);
      return values.length === 0
        ? '–'
        : (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2);
    });
    return cells.every((cell) => cell === '–') ? [] : [[title, label, ...cells]];
  });
  return rows.length === 0
    ? []
    : [renderTable(['measure', '', ...iterations.map(([iteration]) => `iteration ${iteration}`)], rows)];
}

function labelsTable(labels: TaskFacts['labels']): string {
  const said = (of: LabelAccuracy['computed']): string =>
    of === null
      ? '–'
      : `${formatPercent(of.right / of.n)} [${formatPercent(of.low)}, ${formatPercent(of.high)}] of ${of.n}`;
  return renderTable(
    ['iteration', 'labels', 'agreement', 'right, computed', 'right, as persons found'],
    labels.map(({ iteration, labels: n, agreement, computed, audited }) => [
      String(iteration),
      String(n),
      agreement === null ? '–' : formatPercent(agreement),
      said(computed),
      said(audited),
    ]),
  );
}

function paidTable(paid: TaskFacts['paid']): string[] {
  const measured = paid.filter(({ samples }) => samples > 0);
  if (measured.length === 0) return [];
  const worst = measured
    .toSorted((a, b) => b.abstained / b.samples - a.abstained / a.samples || b.reward - a.reward)
    .slice(0, MOST_PRINTED);
  return [
    `Of the ${measured.length} proposals that were paid most, those to which most answers are missing:\n${renderTable(
      ['record', 'reward', 'no answer', 'cut off', 'agree or right', 'proposal'],
      worst.map(({ id, reward, samples, abstained, truncated, passed, text }) => [
        id,
        reward.toFixed(2),
        formatPercent(abstained / samples),
        formatPercent(truncated / samples),
        formatPercent(passed / samples),
        text.replace(/\s+/g, ' ').slice(0, EXCERPT),
      ]),
    )}`,
  ];
}
