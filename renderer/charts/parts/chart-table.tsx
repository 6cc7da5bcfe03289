import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { ActionIcon, Group, Table, Text } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { ChartTable as Numbers } from '../model/table.ts';

const PAGE_ROWS = 100; // a reader pages through; a run of 90 hours has 300,000 rows of telemetry

/** The twin of a figure: the same numbers as a table, newest page first. */
export function ChartTable({
  numbers: { columns, rows },
  label,
  format,
  height,
}: {
  numbers: Numbers;
  label: string;
  format: (value: number) => string;
  height: number;
}) {
  const t = useTranslate();
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const [wanted, setPage] = useState(Infinity);
  const page = Math.min(wanted, pages - 1);
  const from = page * PAGE_ROWS;
  const shown = rows.slice(from, from + PAGE_ROWS);
  return (
    <div>
      {/* A scrolling region must be reachable to be scrolled by keys. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className="fig-table" style={{ maxHeight: height }} tabIndex={0} aria-label={label}>
        <Table verticalSpacing={2} stickyHeader fz={12} className="numbers">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row, at) => (
              // Rows have no other identity than their place.
              <Table.Tr key={from + at}>
                {row.map((value, column) => (
                  <Table.Td key={columns[column]}>
                    {value === null ? '–' : column > 0 && typeof value === 'number' ? format(value) : value}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {pages > 1 && (
        <Group gap={6} justify="flex-end" mt={4}>
          <ActionIcon
            variant="subtle"
            size="sm"
            disabled={page === 0}
            aria-label={t('figure.rows.older')}
            onClick={() => setPage(page - 1)}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <Text size="xs" className="numbers">
            {t('figure.rows', { from: from + 1, to: from + shown.length, total: rows.length })}
          </Text>
          <ActionIcon
            variant="subtle"
            size="sm"
            disabled={page === pages - 1}
            aria-label={t('figure.rows.newer')}
            onClick={() => setPage(page + 1)}
          >
            <IconChevronRight size={16} />
          </ActionIcon>
        </Group>
      )}
    </div>
  );
}
