import { useMemo } from 'react';
import { Bars, Curve, type CurveRange } from '../../../charts/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { QueryState, Quiet, Table } from '../../../ui/index.ts';
import { unusedBars, unusedReasons, unusedSeries, type Unused } from '../model/inside.ts';

const MOST_BARS = 12;
const MOST_LINES = 6;

type UnusedPanelProps = {
  runId: string;
  steps: readonly number[];
  range: CurveRange | null;
  onRange: (range: CurveRange | null) => void;
  syncKey: string;
};

/** What came to nothing in the chosen steps and why: by reason, along the steps, and in words. */
export function UnusedPanel(props: UnusedPanelProps) {
  const { runId, steps } = props;
  const read = useApiQuery(`live.unused.${steps.at(-1) ?? 0}`, api.live.unused, { runId });
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {(rows) => <UnusedFigures {...props} rows={rows} />}
    </QueryState>
  );
}

export function UnusedFigures({
  rows,
  steps,
  range,
  onRange,
  syncKey,
}: UnusedPanelProps & { rows: readonly Unused[] }) {
  const t = useTranslate();
  const reasons = useMemo(() => unusedReasons(rows, range, t), [rows, range, t]);
  const all = useMemo(() => unusedReasons(rows, null, t), [rows, t]);
  const series = useMemo(() => unusedSeries(all, steps, MOST_LINES), [all, steps]);
  const count = (value: number): string => value.toLocaleString('en');
  if (reasons.length === 0)
    return (
      <section className="live-system" aria-label={t('live.unused')}>
        <Quiet size="sm">{t('live.unused.none')}</Quiet>
      </section>
    );
  return (
    <section className="live-unused" aria-label={t('live.unused')}>
      <Bars
        title={t('live.unused')}
        bars={unusedBars(reasons.slice(0, MOST_BARS))}
        columns={[t('live.unused.reason'), t('live.unused.count')]}
        format={count}
        note={t('live.unused.note')}
      />
      <Curve
        title={t('live.unused.along')}
        series={series}
        xLabel={t('live.curve.x')}
        yLabel={t('figure.unit.count')}
        format={count}
        floor={0}
        height={128}
        syncKey={syncKey}
        range={range}
        onRange={onRange}
        isRangeShared
      />
      <Table verticalSpacing={2} fz="xs" className="numbers">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('live.unused.reason')}</Table.Th>
            <Table.Th ta="end">{t('live.unused.count')}</Table.Th>
            <Table.Th>{t('live.unused.sentence')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {reasons.map(({ id, name, count: n, means }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row" fw={500}>
                {name}
              </Table.Th>
              <Table.Td ta="end">{count(n)}</Table.Td>
              <Table.Td>{means}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
