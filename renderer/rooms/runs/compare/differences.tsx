import { Fragment } from 'react';
import { Table, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { sections, type ComparedRow } from '../model/compare.ts';
import type { ComparedRun } from './compared-run.ts';

type DifferencesProps = {
  title: string;
  rows: readonly ComparedRow[];
  runs: readonly ComparedRun[];
  baseline: string;
  showAll: boolean;
  /** What the key column shows of a path; the last part unless given. */
  labelOf?: (row: ComparedRow) => string;
};

/** One block of the comparison: a column per run, the baseline first, keys nested under their section. */
export function Differences({
  title,
  rows,
  runs,
  baseline,
  showAll,
  labelOf = ({ path }) => path.slice(path.length > 1 ? 1 : 0).join('.'),
}: DifferencesProps) {
  const t = useTranslate();
  const base = runs.findIndex(({ run }) => run.id === baseline);
  const wanted = showAll ? rows : rows.filter(({ differs }) => differs);
  const shown = wanted.filter(({ folded }) => !folded);
  const folded = wanted.filter((row) => row.folded);
  const cells = (row: ComparedRow) =>
    row.values.map((value, index) => {
      const other = value !== null && index !== base && row.compared[index] !== row.compared[base];
      return (
        <Table.Td key={(runs[index] as ComparedRun).run.id} className="numbers" data-other={other}>
          {other && (
            <span
              className="compare-mark"
              title={t('compare.differs')}
              role="img"
              aria-label={t('compare.differs')}
            >
              ●{' '}
            </span>
          )}
          {value ?? '–'}
        </Table.Td>
      );
    });
  const line = (row: ComparedRow) => (
    <Table.Tr key={row.path.join('.')}>
      <Table.Th scope="row">{labelOf(row)}</Table.Th>
      {cells(row)}
    </Table.Tr>
  );
  return (
    <section className="compare-block">
      <h2>{title}</h2>
      {shown.length === 0 && (
        <Text size="sm" c="var(--quiet)">
          {t('compare.same')}
        </Text>
      )}
      {(shown.length > 0 || folded.length > 0) && (
        <div className="compare-scroll">
          <Table verticalSpacing={3} fz={13} className="compare-table">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('compare.key')}</Table.Th>
                {runs.map(({ run }) => (
                  <Table.Th key={run.id} scope="col" title={run.id} data-base={run.id === baseline}>
                    {run.config.name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sections(shown).map((group) => (
                <Fragment key={group.section}>
                  {group.section !== '' && (
                    <Table.Tr className="compare-section">
                      <Table.Th colSpan={runs.length + 1} scope="rowgroup">
                        {group.section}
                      </Table.Th>
                    </Table.Tr>
                  )}
                  {group.rows.map(line)}
                </Fragment>
              ))}
            </Table.Tbody>
          </Table>
          {folded.length > 0 && (
            <details className="compare-folded">
              <summary>{t('compare.folded', { n: folded.length })}</summary>
              <Table verticalSpacing={3} fz={13} className="compare-table">
                <Table.Tbody>{folded.map(line)}</Table.Tbody>
              </Table>
            </details>
          )}
        </div>
      )}
    </section>
  );
}
