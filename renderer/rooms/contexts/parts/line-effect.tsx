import { percentText, Table } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';

type Outcomes = { fromStep: number; toStep: number; n: number; passed: number; formatFailures: number };
type Change = { difference: number; low: number; high: number };
export type Around = {
  role: string;
  before: Outcomes | null;
  after: Outcomes | null;
  passChange: Change | null;
  formatFailureChange: Change | null;
};

/** Roles that have a word; any other is shown by its name. */
const WORDED_ROLES = ['proposer', 'solver', 'assistant'] as const;

const MEASURES = [
  { id: 'passed', change: 'passChange' },
  { id: 'formatFailures', change: 'formatFailureChange' },
] as const;

/** What the steps before and after a change of the context came to, as counts with n. */
export function LineEffect({ title, around }: { title: string; around: readonly Around[] }) {
  const t = useTranslate();
  const rows = around.filter(({ before, after }) => before !== null && after !== null);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p className="ctx-quiet">{t('contexts.effect.nothing')}</p>
      ) : (
        <Table verticalSpacing={2} horizontalSpacing={5} fz="xs" className="numbers ctx-effect">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('contexts.effect.role')}</Table.Th>
              <Table.Th>{t('contexts.effect.measure')}</Table.Th>
              <Table.Th ta="end">{t('contexts.effect.before', stepsOf(rows, 'before'))}</Table.Th>
              <Table.Th ta="end">{t('contexts.effect.after', stepsOf(rows, 'after'))}</Table.Th>
              <Table.Th ta="end">{t('contexts.effect.change')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.flatMap((row) =>
              MEASURES.map(({ id, change }) => (
                <Table.Tr key={`${row.role} ${id}`}>
                  <Table.Td>{id === 'passed' ? roleText(t, row.role) : ''}</Table.Td>
                  <Table.Td>
                    {t(id === 'passed' ? 'contexts.effect.passed' : 'contexts.effect.format')}
                  </Table.Td>
                  <Table.Td ta="end">{shareText(t, row.before, id)}</Table.Td>
                  <Table.Td ta="end">{shareText(t, row.after, id)}</Table.Td>
                  <Table.Td ta="end">{changeText(row[change])}</Table.Td>
                </Table.Tr>
              )),
            )}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}

function shareText(t: Translate, outcomes: Outcomes | null, of: 'passed' | 'formatFailures'): string {
  if (outcomes === null) return t('contexts.effect.none');
  return `${percentText(outcomes.n === 0 ? null : outcomes[of] / outcomes.n)} (${t('common.n', { n: outcomes.n })})`;
}

/** First and last step of one side, over all roles. */
function stepsOf(rows: readonly Around[], side: 'before' | 'after'): { from: number; to: number } {
  const outcomes = rows.flatMap((row) => row[side] ?? []);
  return {
    from: Math.min(...outcomes.map(({ fromStep }) => fromStep)),
    to: Math.max(...outcomes.map(({ toStep }) => toStep)),
  };
}

function roleText(t: Translate, role: string): string {
  const worded = WORDED_ROLES.find((each) => each === role);
  return worded === undefined ? role : t(`live.role.${worded}`);
}

/** Percentage points with sign and interval. */
function changeText(change: Change | null): string {
  if (change === null) return '–';
  const points = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}`;
  return `${points(change.difference)} (${points(change.low)} … ${points(change.high)})`;
}
