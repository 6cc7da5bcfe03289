import {
  CURVE_AXES,
  MEASURE_NAMES,
  type CurveAxis,
  type MeasureName,
  type RunCurve,
} from '../../../../electron/contract/index.ts';
import { comparedScores, type RunScores, type WiresOfRun } from '../../../../electron/figures/index.ts';
import {
  Curve,
  type CurveSeries,
  followedSuites,
  SCORE_BOUNDS,
  wiresOfSuite,
} from '../../../charts/index.ts';
import { readableFailure } from '../../../data/index.ts';
import { type MessageId, type Translate, useTranslate } from '../../../i18n/index.ts';
import {
  Group,
  NativeSelect,
  QueryState,
  type Read,
  SegmentedControl,
  Text,
  Quiet,
  visibleString,
} from '../../../ui/index.ts';
import {
  bands,
  type ComparedRun,
  GROUPINGS,
  lines,
  MOST_LINES,
  runLabels,
  SCORES,
  setUpLabels,
} from '../model/compare.ts';

type Grouping = (typeof GROUPINGS)[number];

type OverlayProps = {
  runs: readonly ComparedRun[];
  /** How the reading of what is drawn stands. */
  read: Read<unknown>;
  curves: readonly RunCurve[];
  scores: readonly (RunScores & WiresOfRun)[];
  measure: MeasureName | typeof SCORES;
  /** Whose scores are drawn; null for the first suite that is followed. */
  scored: string | null;
  axis: CurveAxis;
  grouping: Grouping;
  onMeasure: (measure: MeasureName | typeof SCORES) => void;
  onScored: (suite: string) => void;
  onAxis: (axis: CurveAxis) => void;
  onGrouping: (grouping: Grouping) => void;
};

const SHARES: readonly MeasureName[] = ['passRate', 'solveRate', 'formatOk'];
/** What the y axis measures. */
const UNITS: Record<OverlayProps['measure'], MessageId> = {
  [SCORES]: 'figure.unit.share',
  passRate: 'figure.unit.share',
  solveRate: 'figure.unit.share',
  formatOk: 'figure.unit.share',
  solverReward: 'figure.unit.reward',
  proposerReward: 'figure.unit.reward',
  ratedReward: 'figure.unit.reward',
  validProposals: 'figure.unit.proposals',
  responseLength: 'figure.unit.tokens',
  entropy: 'figure.unit.nats',
  reviewsPerStep: 'figure.unit.reviews',
  contextLines: 'figure.unit.lines',
  refusedLines: 'figure.unit.lines',
  stepSeconds: 'figure.unit.seconds',
};

/** The same measure of all runs in one picture, over what the reader wants to pay with: steps, hours, reviews or tokens. */
export function OverlayCurves({
  runs,
  read,
  curves,
  scores,
  measure,
  scored,
  axis,
  grouping,
  onMeasure,
  onScored,
  onAxis,
  onGrouping,
}: OverlayProps) {
  const t = useTranslate();
  const isGrouped = grouping === 'seeds' || curves.length > MOST_LINES;
  const labels = isGrouped ? setUpLabels(t, runs) : runLabels(runs);
  const label = (runId: string): string => visibleString(labels.get(runId) ?? runId);
  const drawn = curves.filter(({ values }) => values.length > 0);
  const suites = [...new Set(scores.flatMap((one) => followedSuites(one.scores)))].sort();
  const suite = suites.find((name) => name === scored) ?? suites[0] ?? null;
  const isScores = measure === SCORES;
  const series = isScores
    ? comparedScores(scores, suite ?? '', placesAlong(curves, axis), label, (group, n, withContext) =>
        t(withContext ? 'compare.score.withContext' : 'compare.score.alone', { group, n }),
      )
    : isGrouped
      ? groupSeries(t, drawn, axis, label)
      : lines(drawn, axis, label);
  const names = runLabels(runs);
  const wires = wiresOfSuite(
    t,
    scores.filter((one) => one.scores.some((score) => score.suite === suite)),
    suite ?? '',
    (runId) => visibleString(names.get(runId) ?? runId),
    placesAlong(curves, axis),
  );
  return (
    <section className="compare-block">
      <Group gap="sm" mb={6} align="flex-end">
        <NativeSelect
          size="xs"
          label={t('compare.measure')}
          value={measure}
          data={[...(suites.length === 0 && !isScores ? [] : ([SCORES] as const)), ...MEASURE_NAMES].map(
            (value) => ({ value, label: t(`compare.measure.${value}`) }),
          )}
          onChange={(event) => onMeasure(event.currentTarget.value as MeasureName | typeof SCORES)}
        />
        {isScores && suites.length > 0 && (
          <NativeSelect
            size="xs"
            label={t('compare.flips.suite')}
            value={suite ?? ''}
            data={suites}
            onChange={(event) => onScored(event.currentTarget.value)}
          />
        )}
        <NativeSelect
          size="xs"
          label={t('compare.group')}
          value={isGrouped ? 'seeds' : 'run'}
          data={GROUPINGS.map((value) => ({
            value,
            label: t(`compare.group.${value}`),
            disabled: value === 'run' && curves.length > MOST_LINES,
          }))}
          onChange={(event) => onGrouping(event.currentTarget.value as Grouping)}
        />
        <div>
          <Text size="xs" fw={600} mb={4}>
            {t('compare.axis')}
          </Text>
          <SegmentedControl
            size="xs"
            value={axis}
            aria-label={t('compare.axis')}
            data={CURVE_AXES.map((value) => ({ value, label: t(`compare.axis.${value}`) }))}
            onChange={(value) => onAxis(value as CurveAxis)}
          />
        </div>
      </Group>
      {curves.length > MOST_LINES && (
        <Quiet size="xs" mb={4}>
          {t('compare.band', { limit: MOST_LINES })}
        </Quiet>
      )}
      <QueryState read={read} problemOf={readableFailure}>
        {() => (
          <Curve
            title={t(`compare.measure.${measure}`)}
            series={series}
            xLabel={t(`compare.axis.${axis}`)}
            yLabel={t(UNITS[measure])}
            format={formatOf(measure)}
            height={260}
            note={isScores ? t(isGrouped ? 'compare.scores.range' : 'compare.scores.interval') : undefined}
            {...(isScores ? { bounds: SCORE_BOUNDS, ...wires } : {})}
            floor={!isScores && SHARES.includes(measure) ? 0 : undefined}
          />
        )}
      </QueryState>
    </section>
  );
}

/** Where a step lies on the axis: at the end of that step of the run, the weights before training at its beginning. */
function placesAlong(
  curves: readonly RunCurve[],
  axis: CurveAxis,
): (runId: string, step: number) => number | null {
  const byId = new Map(curves.map((curve) => [curve.runId, curve]));
  return (runId, step) => {
    if (step === 0 || axis === 'step') return step;
    const curve = byId.get(runId);
    return curve?.[axis][curve.step.indexOf(step)] ?? null;
  };
}

function formatOf(measure: OverlayProps['measure']): (value: number) => string {
  if (measure === SCORES || SHARES.includes(measure)) return (value) => `${(value * 100).toFixed(1)} %`;
  return (value) => (Number.isInteger(value) ? String(value) : value.toPrecision(3));
}

/** The median of a group as a line; with more than one run, its range as a band. */
function groupSeries(
  t: Translate,
  curves: readonly RunCurve[],
  axis: CurveAxis,
  nameOf: (runId: string) => string,
): CurveSeries[] {
  return bands(curves, axis, nameOf).map(({ group, runs, x, low, middle, high }): CurveSeries => ({
    id: group,
    label: t('compare.band.label', { group, n: runs }),
    kind: 'count',
    x,
    y: middle,
    ...(runs === 1 ? {} : { band: { low, high } }),
  }));
}
