import {
  batchSpec,
  batchesOf,
  POSITION_METRICS,
  viewOf,
  type CheckpointScore,
  type FigureView,
  type FrameworkName,
  type RunConfig,
} from '../../../../electron/contract/index.ts';
import { type Bar, type CurveSeries, followedSuites, scoreSeries } from '../../../charts/index.ts';
import type { MessageId, Translate } from '../../../i18n/index.ts';
import { OVERRIDDEN, percentText } from '../../../ui/index.ts';
import {
  choiceOf,
  EVALUATED_CURVES,
  isCurveId,
  TASK_CURVES,
  USUAL_CURVES,
  type CurveId,
} from './curve-choices.ts';
import type { Timeline } from './timeline.ts';

/** Who writes in a batch. */
export const batchRole = (batch: string): MessageId => `live.role.${batchSpec(batch).role}`;
/**
 * Four curves, whatever a link says: known ones once, then the usual ones of a run that is evaluated on its way or not. Where nobody knows
 * what passes, agreement takes that place; where users rate answers, how many are satisfied stands last.
 */
export function chosenCurves(
  text: string,
  { framework, evaluation, rewardedPrompts }: Pick<RunConfig, 'framework' | 'evaluation' | 'rewardedPrompts'>,
): CurveId[] {
  const known = text.split('.').filter(isCurveId);
  const passes = batchesOf(framework.name).some(({ judgedBy }) => judgedBy === 'pass-rate');
  const usual = (evaluation === undefined ? USUAL_CURVES : EVALUATED_CURVES).map((id) =>
    id === 'pass' && !passes ? 'agreement' : id,
  );
  if (rewardedPrompts.share > 0) usual.splice(-1, 1, 'satisfied');
  return [...new Set([...known, ...usual])].slice(0, 4);
}

/** Names of metrics that these curves are drawn from. */
export const metricNames = (ids: readonly CurveId[]): string[] =>
  ids
    .map(choiceOf)
    .filter(({ from }) => from === 'metric')
    .flatMap(({ lines }) => lines.map(({ name }) => name));

/** Whether runs of a framework propose tasks that are solved by what the curves of proposals are about. */
export const hasProposals = (framework: FrameworkName): boolean =>
  batchesOf(framework).some(({ judgedBy }) => judgedBy === 'solve-rate');

/** Names of the metrics that a framework's own figures are drawn from. */
export const viewMetrics = (framework: FrameworkName): string[] => [
  ...(hasProposals(framework) ? metricNames(TASK_CURVES) : []),
  ...viewOf(framework).figures.flatMap(({ lines }) => lines.map(({ metric }) => metric)),
  ...viewOf(framework).watches.flatMap(({ rises, worsens }) => [
    POSITION_METRICS.iteration,
    ...[rises, ...worsens].map(({ metric }) => metric),
  ]),
];

/** The lines of a framework's own figure that the run has values for; a step of another stage is no gap. */
export function viewSeries({ lines, unit }: FigureView, { steps, metrics }: Timeline): CurveSeries[] {
  return lines.flatMap(({ metric, label }) => {
    const places = (metrics[metric] ?? []).flatMap((value, place) => (value === null ? [] : [place]));
    return places.length === 0
      ? []
      : [
          {
            id: metric,
            label,
            kind: unit === 'count' ? ('count' as const) : ('line' as const),
            x: places.map((place) => steps[place] as number),
            y: places.map((place) => metrics[metric]?.[place] ?? null),
          },
        ];
  });
}

const VALUE_TEXT: Record<FigureView['unit'], (value: number) => string> = {
  share: (value) => percentText(value, 0),
  count: (value) => value.toLocaleString('en', { maximumFractionDigits: 1 }),
  number: (value) => value.toFixed(1),
  bits: (value) => `${value.toFixed(2)} bit`,
};
/** How a value of a framework's own figure is written. */
export const valueText = ({ unit }: Pick<FigureView, 'unit'>): ((value: number) => string) =>
  VALUE_TEXT[unit];

/** The lines of one choice that this run has values for. */
export function timelineSeries(id: CurveId, timeline: Timeline, t: Translate): CurveSeries[] {
  const { lines, from, kind, isRare = false } = choiceOf(id);
  const values = from === 'timing' ? timeline.timings : timeline.metrics;
  return lines.flatMap(({ name, label, look }) => {
    const y = values[name];
    return y === undefined || y.every((value) => value === null || (isRare && value === 0))
      ? []
      : [{ id: name, label: label(t), kind, x: timeline.steps, y, look }];
  });
}

/** The suites that are followed along the run; where each was asked once only, all of them. */
export function runScoreSeries(scores: readonly CheckpointScore[], t: Translate): CurveSeries[] {
  const followed = followedSuites(scores);
  return scoreSeries(scores, (suite, withContext) =>
    followed.length > 0 && !followed.includes(suite)
      ? null
      : t(withContext ? 'figure.score.withContext' : 'figure.score.alone', { suite }),
  );
}

/** The scores of the newest evaluated checkpoint, each suite once with and once without context; of repeats the newest. */
export function newestScores(
  scores: readonly CheckpointScore[],
  t: Translate,
): { step: number | null; bars: Bar[] } {
  const steps = scores.flatMap(({ step, n }) => (step === null || n === 0 ? [] : [step]));
  if (steps.length === 0) return { step: null, bars: [] };
  const step = Math.max(...steps);
  const newest = new Map(
    scores
      .filter((score) => score.step === step && score.n > 0)
      .map((score) => [`${score.suite} ${score.contextHash === null ? 0 : 1}`, score]),
  );
  const bars = [...newest.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { suite, passed, n, overridden, contextHash, interval }]) => ({
      id,
      label: `${t(contextHash === null ? 'live.score.alone.n' : 'live.score.withContext.n', { suite, n })}${overridden > 0 ? ` ${OVERRIDDEN}` : ''}`,
      value: passed / n,
      low: interval.low,
      high: interval.high,
      color: contextHash === null ? 0 : 1,
    }));
  return { step, bars };
}
