import { CURVE_AXES, type CurveAxis, type RunCurve } from '../../../../electron/contract/index.ts';
import { Curve, type CurveSeries } from '../../../charts/index.ts';
import { type Translate, useTranslate } from '../../../i18n/index.ts';
import { Group, NativeSelect, SegmentedControl, Text, Quiet, visibleString } from '../../../ui/index.ts';
import {
  bands,
  COMPARED_MEASURES,
  type ComparedMeasure,
  type ComparedRun,
  lines,
  MOST_LINES,
} from '../model/compare.ts';

type Grouping = 'run' | 'supervision' | 'model';

type OverlayProps = {
  runs: readonly ComparedRun[];
  curves: readonly RunCurve[];
  measure: ComparedMeasure;
  axis: CurveAxis;
  grouping: Grouping;
  onMeasure: (measure: ComparedMeasure) => void;
  onAxis: (axis: CurveAxis) => void;
  onGrouping: (grouping: Grouping) => void;
};

const SHARES: readonly ComparedMeasure[] = ['passRate', 'solveRate', 'formatOk'];

/** The same measure of all runs in one picture, over what the reader wants to pay with: steps, hours, reviews or tokens. */
export function OverlayCurves({
  runs,
  curves,
  measure,
  axis,
  grouping,
  onMeasure,
  onAxis,
  onGrouping,
}: OverlayProps) {
  const t = useTranslate();
  const byId = new Map(runs.map((one) => [one.run.id, one]));
  const nameOf = (runId: string): string => visibleString(byId.get(runId)?.run.config.name ?? runId);
  const names = runs.map(({ run }) => visibleString(run.config.name));
  const label = (runId: string): string =>
    names.filter((name) => name === nameOf(runId)).length > 1
      ? `${nameOf(runId)} · ${runId.slice(-4)}`
      : nameOf(runId);
  const isGrouped = grouping !== 'run' || curves.length > MOST_LINES;
  const drawn = curves.filter(({ values }) => values.length > 0);
  const series = isGrouped
    ? groupSeries(t, drawn, axis, (runId) => groupOf(t, byId.get(runId), grouping))
    : lines(drawn, axis, label);
  return (
    <section className="compare-block">
      <Group gap="sm" mb={6} align="flex-end">
        <NativeSelect
          size="xs"
          label={t('compare.measure')}
          value={measure}
          data={COMPARED_MEASURES.map((value) => ({ value, label: t(`compare.measure.${value}`) }))}
          onChange={(event) => onMeasure(event.currentTarget.value as ComparedMeasure)}
        />
        <NativeSelect
          size="xs"
          label={t('compare.group')}
          value={isGrouped && grouping === 'run' ? 'supervision' : grouping}
          data={(['run', 'supervision', 'model'] as const).map((value) => ({
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
      <Curve
        title={t(`compare.measure.${measure}`)}
        series={series}
        xLabel={t(`compare.axis.${axis}`)}
        format={formatOf(measure)}
        height={260}
        floor={SHARES.includes(measure) ? 0 : undefined}
      />
    </section>
  );
}

function formatOf(measure: ComparedMeasure): (value: number) => string {
  if (SHARES.includes(measure)) return (value) => `${(value * 100).toFixed(1)} %`;
  return (value) => (Number.isInteger(value) ? String(value) : value.toPrecision(3));
}

/** The median of a group as one line; with more than one run, its range as two more. */
function groupSeries(
  t: Translate,
  curves: readonly RunCurve[],
  axis: CurveAxis,
  nameOf: (runId: string) => string,
): CurveSeries[] {
  return bands(curves, axis, nameOf).flatMap(({ group, runs, x, low, middle, high }): CurveSeries[] => {
    const label = t('compare.band.label', { group, n: runs });
    const median: CurveSeries = { id: group, label, kind: 'count', x, y: middle };
    return runs === 1
      ? [median]
      : [
          median,
          { id: `${group} low`, label: t('compare.band.low', { group }), kind: 'count', x, y: low },
          { id: `${group} high`, label: t('compare.band.high', { group }), kind: 'count', x, y: high },
        ];
  });
}

function groupOf(t: Translate, compared: ComparedRun | undefined, grouping: Grouping): string {
  if (compared === undefined) return t('common.unknown');
  const { policy, supervision } = compared.run.config;
  if (grouping === 'model') return policy.model.split('/').at(-1) ?? policy.model;
  const most = Math.max(...Object.values(supervision.phases));
  return most === 0 ? t('compare.supervision.off') : t('compare.supervision.on', { p: most });
}
