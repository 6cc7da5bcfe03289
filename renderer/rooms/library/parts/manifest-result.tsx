import { Alert, Stack, Table, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { worstFirst, type ManifestFinding } from '../model.ts';

const MOST_ROWS = 200;
const COLORS = { same: 'var(--good)', different: 'var(--bad)', missing: 'var(--bad)' } as const;

/** Which files are as their manifest says. */
export function ManifestResult({ findings }: { findings: readonly ManifestFinding[] }) {
  const t = useTranslate();
  const bad = findings.filter(({ state }) => state !== 'same').length;
  const rows = worstFirst(findings).slice(0, MOST_ROWS);
  return (
    <Stack gap="xs">
      <Alert color={bad === 0 ? 'green' : 'red'} role={bad === 0 ? 'status' : 'alert'}>
        {bad === 0
          ? t('library.manifest.all', { n: findings.length })
          : t('library.manifest.bad', { bad, n: findings.length })}
      </Alert>
      <Table aria-label={t('library.manifest.table')} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('library.manifest.file')}</Table.Th>
            <Table.Th>{t('library.manifest.state')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ path, state }) => (
            <Table.Tr key={path}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{path}</Table.Td>
              <Table.Td style={{ color: COLORS[state] }}>{t(`library.manifest.${state}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {findings.length > rows.length && (
        <Text size="sm" c="var(--quiet)">
          {t('library.manifest.shown', { shown: rows.length, n: findings.length })}
        </Text>
      )}
    </Stack>
  );
}
