import { PHASES, type Phase } from '../../../../electron/contract/index.ts';
import { Duration, Num, PhaseChip, Table } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

type Cost = {
  phase: Phase;
  status: string;
  reviews: number;
  retries: number;
  tokensIn: number;
  tokensOut: number;
  milliseconds: number;
};

/** Reviews, tokens and time by phase. */
export function SupervisionCost({ costs }: { costs: readonly Cost[] }) {
  const t = useTranslate();
  const rows = PHASES.map((phase) => {
    const own = costs.filter((cost) => cost.phase === phase);
    const sum = (of: 'reviews' | 'retries' | 'tokensIn' | 'tokensOut' | 'milliseconds', from = own): number =>
      from.reduce((all, cost) => all + cost[of], 0);
    return {
      phase,
      reviews: sum('reviews'),
      retries: sum('retries'),
      tokensIn: sum('tokensIn'),
      tokensOut: sum('tokensOut'),
      seconds: sum('milliseconds') / 1000,
      lost: sum(
        'reviews',
        own.filter(({ status }) => status !== 'done'),
      ),
    };
  }).filter(({ reviews }) => reviews > 0);
  return (
    <section className="live-card" aria-label={t('live.overview.cost')}>
      <h2>{t('live.overview.cost')}</h2>
      {rows.length === 0 ? (
        <p className="live-quiet">{t('live.overview.noCost')}</p>
      ) : (
        <Table verticalSpacing={3} horizontalSpacing={6} fz="sm" className="numbers">
          <Table.Thead>
            <Table.Tr>
              {(['phase', 'reviews', 'retries', 'tokens', 'seconds', 'each', 'lost'] as const).map(
                (column) => (
                  <Table.Th key={column} ta={column === 'phase' ? 'start' : 'end'}>
                    {t(`live.overview.cost.${column}`)}
                  </Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.phase}>
                <Table.Td>
                  <PhaseChip phase={row.phase} short />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.reviews} />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.retries} />
                </Table.Td>
                <Table.Td ta="end">
                  <span style={{ whiteSpace: 'nowrap' }}>
                    <Num value={row.tokensIn} /> / <Num value={row.tokensOut} />
                  </span>
                </Table.Td>
                <Table.Td ta="end">
                  <Duration seconds={row.seconds} />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.seconds / row.reviews} digits={2} unit="s" />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.lost} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {rows.length > 0 && <p className="live-quiet">{t('live.overview.cost.note')}</p>}
    </section>
  );
}
