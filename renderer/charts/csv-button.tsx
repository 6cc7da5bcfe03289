import { DownloadIcon } from 'lucide-react';
import { ActionIcon } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { csvOf, type ChartTable } from '../../electron/figures/index.ts';
import { fileName, saveText } from './chart-frame.tsx';

type CsvButtonProps = {
  /** What the table is called; names the file too. */
  title: string;
  /** The table's numbers in full, computed when they are asked for. */
  table: () => ChartTable;
};

/** Saves a table that stands by itself as CSV; figures have the same in their frame. */
export function CsvButton({ title, table }: CsvButtonProps) {
  const t = useTranslate();
  const label = t('figure.export.tableOf', { title });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={label}
      title={label}
      onClick={() => saveText(fileName(title, 'csv'), 'text/csv', csvOf(table()))}
    >
      <DownloadIcon size={16} />
    </ActionIcon>
  );
}
