import { useState } from 'react';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { Percent, QueryState, SegmentedControl, Stack, Table, Text, Quiet } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import {
  ALONE,
  ARMS,
  differenceFrom,
  isLowerBetter,
  shareOf,
  SUPERVISED,
  weightScores,
  type Arm,
  type SuiteRow,
} from '../model.ts';
import type { StopExhibit } from '../stop-frame.tsx';

/** Scores of the start and both ends, read from a baseline of one's choice. */
export const BaselineStop: StopExhibit = ({ onDone }) => {
  const supervised = useApiQuery('evaluations.list', api.evaluations.list, { runId: SUPERVISED });
  const alone = useApiQuery('evaluations.list', api.evaluations.list, { runId: ALONE });
  return (
    <QueryState read={supervised} problemOf={readableFailure}>
      {(one) => (
        <QueryState read={alone} problemOf={readableFailure}>
          {(other) => <BaselineView rows={weightScores([...one, ...other])} onFlip={onDone} />}
        </QueryState>
      )}
    </QueryState>
  );
};

const nameOf = (t: Translate, arm: Arm): string =>
  t(arm === 'start' ? 'tour.baseline.start' : `tour.run.${arm}`);

export function BaselineView({ rows, onFlip }: { rows: readonly SuiteRow[]; onFlip: () => void }) {
  const t = useTranslate();
  const [baseline, setBaseline] = useState<Arm>('start');
  const flip = (value: string): void => {
    setBaseline(value as Arm);
    onFlip();
  };
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('tour.baseline.choose')}
        value={baseline}
        onChange={flip}
        data={ARMS.map((arm) => ({ value: arm, label: nameOf(t, arm) }))}
      />
      <Table aria-label={t('tour.baseline.table')} verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('tour.baseline.suite')}</Table.Th>
            {ARMS.map((arm) => (
              <Table.Th key={arm} ta="end">
                {nameOf(t, arm)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.suite}>
              <Table.Td>
                {row.suite}
                <Quiet size="xs">
                  {t(isLowerBetter(row.suite) ? 'common.lowerIsBetter' : 'common.higherIsBetter')}
                </Quiet>
              </Table.Td>
              {ARMS.map((arm) => (
                <Table.Td key={arm} ta="end">
                  <ScoreCell row={row} arm={arm} baseline={baseline} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function ScoreCell({ row, arm, baseline }: { row: SuiteRow; arm: Arm; baseline: Arm }) {
  const t = useTranslate();
  const score = row.scores[arm];
  const difference = differenceFrom(row, baseline, arm);
  if (score === undefined) return <>–</>;
  const points = difference === null ? null : Math.round(difference * 1000) / 10;
  return (
    <>
      <Percent value={shareOf(score)} />
      <Text size="xs" c="var(--quiet)" className="numbers" title={t('tour.baseline.n', score)}>
        {arm === baseline || points === null
          ? t('tour.baseline.same')
          : t('tour.baseline.points', {
              sign: points > 0 ? '↑ +' : points < 0 ? '↓ −' : '',
              points: Math.abs(points).toFixed(1),
            })}
      </Text>
    </>
  );
}
