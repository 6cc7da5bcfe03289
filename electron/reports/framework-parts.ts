import { viewOf, type FigureUnit, type LabelAccuracy, type RunRecord } from '../contract/index.ts';
import type { CurveSeries } from '../figures/index.ts';
import type { Lab } from '../store/index.ts';
import { labelAccuracy } from '../supervision/index.ts';
import { figures, paragraph, section, table, type CellText } from './page.ts';
import { picture, SHARE } from './run-parts.ts';
import { durationText, intervalText, scoreText } from './words.ts';

/** What the y axis of such a figure measures. */
const MEASURED: Record<FigureUnit, string> = {
  share: SHARE,
  count: 'number',
  number: 'mean number',
  bits: 'entropy, bit',
};

/** What a framework says is to be seen of its runs: a figure for metrics that belong together, as far as steps have them. */
function followedFigures(store: Lab, { id, config }: RunRecord): string[] {
  return viewOf(config.framework.name).figures.flatMap(({ title, note, unit, lines }) => {
    const series = lines.flatMap(({ metric, label }): CurveSeries[] => {
      const { step, values } = store.runCurve(id, [metric], 'mean');
      return values.length === 0 ? [] : [{ id: metric, label, kind: 'line', x: step, y: values }];
    });
    const shown = note === undefined ? title : `${title} (${note})`;
    return series.length === 0 ? [] : [picture(shown, MEASURED[unit], series, unit === 'share')];
  });
}

/** Seconds of all steps by the stage they belong to; nothing for a framework of one stage. */
function stageTable(store: Lab, { id, config, committedSteps }: RunRecord): string {
  const { stages } = viewOf(config.framework.name);
  if (stages.length === 0) return '';
  const steps = store.listSteps(id, { limit: Math.max(1, committedSteps) });
  const secondsOf = (name?: string): number[] =>
    steps.flatMap(({ stage, timings }) =>
      name === undefined || stage === name ? [timings['step'] ?? 0] : [],
    );
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const whole = sum(secondsOf());
  return table(
    'Time by stage',
    ['stage', 'steps', 'time', 'share'],
    stages.flatMap(({ name, label }): CellText[][] => {
      const own = secondsOf(name);
      return own.length === 0
        ? []
        : [
            [
              label,
              own.length,
              durationText(sum(own)),
              scoreText(whole === 0 ? 0 : sum(own) / whole, 'share'),
            ],
          ];
    }),
  );
}

function labelTable(accuracy: readonly LabelAccuracy[]): string {
  if (accuracy.length === 0) return '';
  const shareOf = (of: LabelAccuracy['computed']): CellText =>
    of === null
      ? null
      : `${scoreText(of.n === 0 ? 0 : of.right / of.n, 'share')}${intervalText(of.low, of.high, 'share')} of ${of.n}`;
  return table(
    'How right the labels are, with 95 % intervals',
    [
      'iteration',
      'labels',
      'answers agree',
      'right, of those that can be computed',
      'right, of those a person looked at',
    ],
    accuracy.map(({ iteration, labels, agreement, computed, audited }) => [
      iteration,
      labels,
      agreement === null ? null : scoreText(agreement, 'share'),
      shareOf(computed),
      shareOf(audited),
    ]),
  );
}

/** What is told of runs of this framework and of no other; nothing where it says nothing and no step has it. */
export function frameworkSection(store: Lab, run: RunRecord): string {
  const drawn = followedFigures(store, run);
  const accuracy = labelAccuracy(store, run.id);
  const parts = [stageTable(store, run), labelTable(accuracy)];
  if (drawn.length === 0 && parts.every((part) => part === '')) return '';
  return section(
    `Inside ${run.config.framework.name}`,
    ...parts,
    accuracy.length === 0 ? '' : paragraph('Agreement is not correctness: labels are what most answers say.'),
    drawn.length === 0 ? '' : figures(drawn),
  );
}
