import { DownloadIcon } from 'lucide-react';
import { useState } from 'react';
import type { CsvTable } from '../../electron/contract/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { ActionIcon, Button, Text } from './mantine.ts';
import { saveTable, useFileName } from './saving.tsx';

type CsvButtonProps = {
  /** What the table is called; names the file too. */
  title: string;
  /** The table's numbers in full, computed or read when they are asked for. */
  table: () => CsvTable | Promise<CsvTable>;
  /** True in a page's head, where it says in words what it does. */
  isWorded?: boolean;
};

/** Saves a table that stands by itself as CSV; figures have the same in their frame. A table that cannot be read says why beside it. */
export function CsvButton({ title, table, isWorded = false }: CsvButtonProps) {
  const t = useTranslate();
  const fileName = useFileName();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const label = t('figure.export.tableOf', { title });
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await saveTable(fileName(title, 'csv'), await table());
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  // Words that stand in it are its name; the icon alone needs one.
  const acts = { title: label, loading: isBusy, onClick: () => void save() };
  return (
    <>
      {isWorded ? (
        <Button variant="default" leftSection={<DownloadIcon size={16} />} {...acts}>
          {t('figure.export.csv')}
        </Button>
      ) : (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          style={{ verticalAlign: 'middle' }}
          aria-label={label}
          {...acts}
        >
          <DownloadIcon size={16} />
        </ActionIcon>
      )}
      {problem !== null && (
        <Text span size="xs" c="var(--bad)" role="alert">
          {problem}
        </Text>
      )}
    </>
  );
}
