import { useEffect, useState } from 'react';
import { PHASES, type Phase } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { Num, PhaseChip, QueryState, Slider, Stack, Table, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { matchesRecorded, reviewedAt, SUPERVISED, useTourProgress, type Coins } from '../model.ts';
import type { StopExhibit } from '../stop-frame.tsx';

const STEP = 10;
const START_P = 0.8;

/** The coins of one step against a slider. */
export const GateStop: StopExhibit = ({ onDone }) => {
  const coins = useApiQuery('tour.coins', api.tour.coins, { runId: SUPERVISED, step: STEP });
  return (
    <QueryState read={coins} problemOf={readableFailure}>
      {(found) => <GateView coins={found} onDone={onDone} />}
    </QueryState>
  );
};

export function GateView({ coins, onDone }: { coins: Coins; onDone: () => void }) {
  const t = useTranslate();
  const [p, setP] = useState(START_P);
  const show = useTourProgress((state) => state.show);
  useEffect(() => show('gate', { from: coins.step, to: coins.step }), [show, coins.step]);
  const counts = reviewedAt(coins.coins, p);
  const isMatch = matchesRecorded(coins, p);
  const change = (value: number): void => {
    setP(value);
    if (matchesRecorded(coins, value)) onDone();
  };
  return (
    <Stack gap="md">
      <Table aria-label={t('tour.gate.table')} verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('tour.gate.phase')}</Table.Th>
            <Table.Th w="60%">
              {t('tour.gate.items', { step: coins.step })}
              {/* Arrow keys belong to the slider here, not to the presenter. */}
              <div role="presentation" onKeyDown={(event) => event.stopPropagation()}>
                <Text size="sm" fw={400} mt={6} mb={4}>
                  {t('tour.gate.slider')}
                </Text>
                <Slider
                  value={p}
                  onChange={change}
                  min={0}
                  max={1}
                  step={0.01}
                  label={(value) => value.toFixed(2)}
                  thumbLabel={t('tour.gate.slider')}
                  thumbProps={{ 'aria-valuetext': p.toFixed(2) }}
                  marks={[0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, label: value.toFixed(2) }))}
                  mb="lg"
                  styles={{ markLabel: { color: 'var(--quiet)' }, root: { paddingInline: 0 } }}
                />
              </div>
            </Table.Th>
            <Table.Th ta="end">{t('tour.gate.would', { p: p.toFixed(2) })}</Table.Th>
            <Table.Th ta="end">{t('tour.gate.did')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {PHASES.map((phase) => (
            <Table.Tr key={phase}>
              <Table.Td>
                <PhaseChip phase={phase} short />
              </Table.Td>
              <Table.Td>
                <CoinStrip coins={coins.coins[phase]} p={p} phase={phase} />
              </Table.Td>
              <Table.Td ta="end">
                <Num value={counts[phase]} />
              </Table.Td>
              <Table.Td
                ta="end"
                style={{ color: counts[phase] === coins.recorded[phase] ? 'var(--good)' : undefined }}
              >
                <Num value={coins.recorded[phase]} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {isMatch && (
        <Text role="status" c="var(--good)" fw={600}>
          {t('tour.gate.match', { p: p.toFixed(2) })}
        </Text>
      )}
    </Stack>
  );
}

const HEIGHT = 14;
/** A place between 0 and 1 as the slider above has it. */
const placed = (share: number): string => `${(100 * share).toFixed(2)}%`;

/**
 * The coins of a phase between 0 and 1, as wide as the slider and below it: filled below p, hollow above. The numbers stand in the table's
 * next column.
 */
function CoinStrip({ coins, p, phase }: { coins: readonly number[]; p: number; phase: Phase }) {
  return (
    <svg width="100%" height={HEIGHT} aria-hidden style={{ display: 'block', overflow: 'visible' }}>
      <line x1={0} x2="100%" y1={HEIGHT / 2} y2={HEIGHT / 2} stroke="var(--line)" />
      {coins.map((coin) => (
        <circle
          key={coin}
          cx={placed(coin)}
          cy={HEIGHT / 2}
          r={3}
          stroke={`var(--phase-${phase})`}
          fill={coin < p ? `var(--phase-${phase})` : 'var(--panel)'}
        />
      ))}
      <line x1={placed(p)} x2={placed(p)} y1={0} y2={HEIGHT} stroke="currentColor" strokeWidth={1.5} />
    </svg>
  );
}
