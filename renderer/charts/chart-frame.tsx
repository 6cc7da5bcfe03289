import { ChartLineIcon, DownloadIcon, TableIcon, ChevronLeftIcon, ChevronRightIcon } from 'lucide-react';
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import {
  ActionIcon,
  csvText,
  Group,
  Menu,
  saveTable,
  saveText,
  Table,
  Text,
  useFileName,
  VisuallyHidden,
} from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import type { ChartTable } from '../../electron/figures/index.ts';

type ChartFrameProps = {
  title: string;
  /** Stands in the title's place where the title can be chosen; the title is then for screen readers only. */
  heading?: ReactNode;
  /** Beside the title: direction, n, chips. */
  aside?: ReactNode;
  /** The figure's numbers, computed when they are asked for. */
  table: () => ChartTable;
  /** The figure as a picture file that stands alone. */
  svg: () => string;
  /** How a number is shown in the table twin. */
  format: (value: number) => string;
  height: number;
  /** True where nothing can be drawn: the numbers are shown instead. */
  tableOnly?: boolean;
  /** What is told under the figure and under its table alike. */
  foot?: ReactNode;
  children: ReactNode;
};

/** What every figure is set in: its title, a twin as a table behind `t`, and ways to take it along. */
export function ChartFrame({
  title,
  heading,
  aside,
  table,
  svg,
  format,
  height,
  tableOnly = false,
  foot,
  children,
}: ChartFrameProps) {
  const t = useTranslate();
  const id = useId();
  const fileName = useFileName();
  const [wantsTable, setWantsTable] = useState(false);
  const isTable = wantsTable || tableOnly;
  const onKeyDown = (event: KeyboardEvent): void => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (
      event.key !== 't' ||
      hasModifier ||
      event.target instanceof HTMLInputElement ||
      event.target instanceof HTMLSelectElement
    )
      return;
    event.preventDefault();
    event.stopPropagation();
    setWantsTable(!wantsTable);
  };
  return (
    // The key works wherever in the figure the focus is; the button beside it does the same.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <figure className="fig" aria-labelledby={id} onKeyDown={onKeyDown}>
      <div className="fig-head">
        <div className="fig-words">
          {heading === undefined ? (
            <h2 id={id}>{title}</h2>
          ) : (
            <>
              <VisuallyHidden id={id}>{title}</VisuallyHidden>
              {heading}
            </>
          )}
          {aside}
        </div>
        {!tableOnly && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={t(isTable ? 'figure.plot' : 'figure.table')}
            title={t(isTable ? 'figure.plot' : 'figure.table')}
            onClick={() => setWantsTable(!wantsTable)}
          >
            {isTable ? <ChartLineIcon size={16} /> : <TableIcon size={16} />}
          </ActionIcon>
        )}
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('figure.export')}
              title={t('figure.export')}
            >
              <DownloadIcon size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => saveText(fileName(title, 'svg'), 'image/svg+xml', svg())}>
              {t('figure.export.svg')}
            </Menu.Item>
            <Menu.Item onClick={() => void saveTable(fileName(title, 'csv'), table())}>
              {t('figure.export.csv')}
            </Menu.Item>
            <Menu.Item onClick={() => void copyTable(table())}>{t('figure.export.copy')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {isTable ? <TableTwin numbers={table()} label={title} format={format} height={height} /> : children}
      {foot}
    </figure>
  );
}

const copyTable = async (table: ChartTable): Promise<void> =>
  navigator.clipboard.writeText(await csvText(table));

const PAGE_ROWS = 100; // a reader pages through; a run of 90 hours has 300,000 rows of telemetry

/** The twin of a figure: the same numbers as a table, newest page first. */
function TableTwin({
  numbers: { columns, rows },
  label,
  format,
  height,
}: {
  numbers: ChartTable;
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
            <ChevronLeftIcon size={16} />
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
            <ChevronRightIcon size={16} />
          </ActionIcon>
        </Group>
      )}
    </div>
  );
}
