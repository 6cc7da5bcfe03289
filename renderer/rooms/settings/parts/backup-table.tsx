import { Bytes, Button, Group, Table, When } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { BackupFile } from '../model.ts';

/** Backups, newest first. */
export function BackupTable({
  files,
  onCheck,
  onRestore,
}: {
  files: readonly BackupFile[];
  onCheck: (name: string) => void;
  onRestore: (name: string) => void;
}) {
  const t = useTranslate();
  return (
    <Table verticalSpacing={4} aria-label={t('settings.backup.table')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('settings.backup.file')}</Table.Th>
          <Table.Th>{t('settings.backup.when')}</Table.Th>
          <Table.Th>{t('settings.backup.why')}</Table.Th>
          <Table.Th ta="end">{t('settings.backup.size')}</Table.Th>
          <Table.Th>{t('settings.backup.actions')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {files.map(({ name, at, why, bytes }) => (
          <Table.Tr key={name}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
            <Table.Td>
              <When iso={at} />
            </Table.Td>
            <Table.Td>{t(`settings.backup.why.${why}`)}</Table.Td>
            <Table.Td ta="end">
              <Bytes value={bytes} />
            </Table.Td>
            <Table.Td>
              <Group gap={6} wrap="nowrap">
                <Button size="compact-sm" variant="default" onClick={() => onCheck(name)}>
                  {t('settings.backup.check')}
                </Button>
                <Button size="compact-sm" variant="default" onClick={() => onRestore(name)}>
                  {t('settings.backup.restore')}
                </Button>
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
