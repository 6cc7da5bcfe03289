import { Fragment } from 'react';
import { api, notify, readableFailure, useApiMutation, useApiQuery } from '../../data/index.ts';
import {
  Bytes,
  bytesText,
  ConfirmButton,
  EmptyState,
  Progress,
  QueryState,
  Stack,
  StatusDot,
  Table,
  Text,
  Title,
  Quiet,
  visibleString,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import type { Storage } from './model.ts';

const CONFIRM_ABOVE_BYTES = 1e9;

/** What the lab takes on the disk, run by run, and what can be let go. */
export function StorageSection() {
  const t = useTranslate();
  const storage = useApiQuery('lab.storage', api.lab.storage, undefined);
  const drop = useApiMutation(api.lab.dropCheckpoints, { invalidates: ['lab.storage', 'runs'] });
  const free = async (runId: string): Promise<void> => {
    try {
      notify(t('settings.storage.dropped', { n: await drop.mutateAsync({ runId }) }));
    } catch {
      return; // the failure is shown as a notice
    }
  };
  return (
    <QueryState read={storage} problemOf={readableFailure}>
      {(found) => (
        <Stack gap="lg">
          <DiskUse storage={found} />
          {found.runs.length === 0 ? (
            <EmptyState title={t('settings.storage.none.title')} text={t('settings.storage.none.text')} />
          ) : (
            <RunsTable runs={found.runs} onFree={(runId) => void free(runId)} />
          )}
          <Quiet>{t('settings.storage.rule')}</Quiet>
        </Stack>
      )}
    </QueryState>
  );
}

export function DiskUse({ storage }: { storage: Storage }) {
  const t = useTranslate();
  const { root, free, total, runs, database, copies, testSets, sample, exports, evidence, logs, strangers } =
    storage;
  const parts = {
    database,
    runs: runs.reduce((sum, run) => sum + run.checkpoints.bytes + run.otherBytes, 0),
    copies,
    testSets,
    sample,
    exports,
    evidence,
    logs,
    backups: storage.backups,
    unfinished: storage.unfinished,
    otherParts: storage.other,
    // Of most labs there are none.
    ...(strangers === 0 ? {} : { strangers }),
  };
  return (
    <Stack gap={6}>
      <Text>{t('settings.storage.disk', { free: bytesText(free), total: bytesText(total), root })}</Text>
      <Progress
        value={100 * (1 - free / total)}
        size="lg"
        aria-label={t('settings.storage.used')}
        color={free / total < 0.05 ? 'red' : undefined}
      />
      <dl className="settings-facts">
        {Object.entries(parts).map(([part, bytes]) => (
          <Fragment key={part}>
            <dt>{t(`settings.storage.${part as keyof typeof parts}`)}</dt>
            <dd>
              <Bytes value={bytes} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </Stack>
  );
}

export function RunsTable({ runs, onFree }: { runs: Storage['runs']; onFree: (runId: string) => void }) {
  const t = useTranslate();
  return (
    <Stack gap={6}>
      <Title order={2}>{t('settings.storage.runs.table')}</Title>
      <Table verticalSpacing={4} aria-label={t('settings.storage.runs.table')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('settings.storage.run')}</Table.Th>
            <Table.Th>{t('settings.storage.state')}</Table.Th>
            <Table.Th ta="end">{t('settings.storage.checkpoints')}</Table.Th>
            <Table.Th ta="end">{t('settings.storage.other')}</Table.Th>
            <Table.Th>{t('settings.storage.free')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map(({ id, name, state, atWork, checkpoints, otherBytes, droppable }) => (
            <Table.Tr key={id}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{visibleString(name)}</Table.Td>
              <Table.Td>
                <StatusDot state={state} />
              </Table.Td>
              <Table.Td
                ta="end"
                className="numbers"
              >{`${checkpoints.count} · ${bytesText(checkpoints.bytes)}`}</Table.Td>
              <Table.Td ta="end">
                <Bytes value={otherBytes} />
              </Table.Td>
              <Table.Td>
                {droppable.count > 0 && (
                  <ConfirmButton
                    size="compact-sm"
                    label={t('settings.storage.drop', { size: bytesText(droppable.bytes) })}
                    title={t('settings.storage.drop.title', { name })}
                    disabled={atWork}
                    consequence={t('settings.storage.drop.text', {
                      n: droppable.count,
                      size: bytesText(droppable.bytes),
                    })}
                    confirm={t('settings.storage.drop.confirm')}
                    onConfirm={() => onFree(id)}
                    typed={droppable.bytes > CONFIRM_ABOVE_BYTES ? { word: name, label: name } : undefined}
                  />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
