import { Stack, Table, Title, When } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { AirGap } from '../model.ts';

/** Sockets that reach another machine, as the watch saw them. */
export function SeenTable({ sockets }: { sockets: AirGap['outside'] }) {
  const t = useTranslate();
  return (
    <Stack gap={4}>
      <Title order={2}>{t('settings.airgap.seen')}</Title>
      <Table aria-label={t('settings.airgap.seen')} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('settings.airgap.seen.process')}</Table.Th>
            <Table.Th>{t('settings.airgap.seen.how')}</Table.Th>
            <Table.Th>{t('settings.airgap.seen.where')}</Table.Th>
            <Table.Th>{t('settings.airgap.seen.when')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sockets.map((socket) => {
            const { address, port } = socket.how === 'listening' ? socket.local : socket.remote;
            return (
              <Table.Tr key={`${socket.pid} ${socket.protocol} ${address} ${port} ${socket.firstSeen}`}>
                <Table.Td>{`${socket.process} (${socket.pid})`}</Table.Td>
                <Table.Td>{t(`settings.airgap.seen.${socket.how}`)}</Table.Td>
                <Table.Td className="numbers">{`${address} ${port} ${socket.protocol}`}</Table.Td>
                <Table.Td>
                  <When iso={socket.firstSeen} />
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

const MOST_ROWS = 200;

/** Requests of the window that its guard refused, newest first. */
export function BlockedTable({ requests }: { requests: AirGap['blocked'] }) {
  const t = useTranslate();
  return (
    <Stack gap={4}>
      <Title order={2}>{t('settings.airgap.refused')}</Title>
      <Table aria-label={t('settings.airgap.refused')} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('settings.airgap.refused.what')}</Table.Th>
            <Table.Th>{t('settings.airgap.refused.when')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {requests
            .toReversed()
            .slice(0, MOST_ROWS)
            .map(({ seq, at, detail }) => (
              <Table.Tr key={seq}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{detail}</Table.Td>
                <Table.Td>
                  <When iso={at} />
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
