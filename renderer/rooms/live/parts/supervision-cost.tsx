import { PHASES } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { CsvButton, Duration, durationText, Num, PhaseChip, Table } from '../../../ui/index.ts';
import { type Cost, costsTable } from '../model/tables.ts';

/** A reviewer that goes by rules asks no model, and nobody measures its time: both are stored as 0. */
const isAsked = ({ tokensIn, tokensOut }: { tokensIn: number; tokensOut: number }): boolean =>
  tokensIn + tokensOut > 0;
const isTimed = ({ seconds }: { seconds: number }): boolean => seconds > 0;

/** Reviews, tokens and time by phase. */
export function SupervisionCost({ costs }: { costs: readonly Cost[] }) {
  const t = useTranslate();
  const rows = PHASES.map((phase) => {
    const own = costs.filter((cost) => cost.phase === phase && !cost.byPerson);
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
  const ofPerson = costs.filter(({ byPerson }) => byPerson);
  const answered = ofPerson.reduce((all, { reviews }) => all + reviews, 0);
  const took = ofPerson.reduce((all, { milliseconds }) => all + milliseconds, 0) / 1000;
  return (
    <section className="live-card" aria-label={t('live.overview.cost')}>
      <h2>
        {t('live.overview.cost')}{' '}
        {costs.length > 0 && <CsvButton title={t('live.overview.cost')} table={() => costsTable(costs)} />}
      </h2>
      {answered > 0 && (
        <p className="live-quiet numbers">
          {t('live.overview.cost.person', { n: answered, each: durationText(took / answered) })}
        </p>
      )}
      {rows.length === 0 ? (
        answered === 0 && <p className="live-quiet">{t('live.overview.noCost')}</p>
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
                  {isAsked(row) ? (
                    <span style={{ whiteSpace: 'nowrap' }}>
                      <Num value={row.tokensIn} /> / <Num value={row.tokensOut} />
                    </span>
                  ) : (
                    '–'
                  )}
                </Table.Td>
                <Table.Td ta="end">
                  <Duration seconds={isTimed(row) ? row.seconds : null} />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={isTimed(row) ? row.seconds / row.reviews : null} digits={2} unit="s" />
                </Table.Td>
                <Table.Td ta="end">
                  <Num value={row.lost} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {rows.length > 0 && (
        <p className="live-quiet">
          {t('live.overview.cost.note')}
          {rows.some((row) => !isAsked(row)) && ` ${t('live.overview.cost.byRule')}`}
        </p>
      )}
    </section>
  );
}
