import { useEffect } from 'react';
import { api, invalidate, readableFailure, useApiMutation, useJobs, useApiQuery } from '../../data/index.ts';
import {
  Button,
  Code,
  CopyButton,
  durationText,
  Group,
  JobLine,
  Paper,
  QueryState,
  Stack,
  Text,
  Title,
  Table,
  When,
  Quiet,
  useInterval,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { airGapSentence, selfTestSentence, type AirGap } from './model.ts';

const LOOKS_MS = 5000; // as often as the engine looks

/** Whether anything reached out, by what it was watched, and a test that would show it. */
export function AirGapSection() {
  const state = useApiQuery('airgap.state', api.airgap.state, undefined);
  // A look that finds nothing new is no event; whoever watches the counter sees it count.
  const { start: follow, stop } = useInterval(() => invalidate('airgap.state'), LOOKS_MS);
  useEffect(() => {
    follow();
    return stop;
  }, [follow, stop]);
  const jobs = useJobs(['self-test']);
  const selfTest = useApiMutation(api.airgap.selfTest, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const exporting = useApiMutation(api.airgap.exportEvidence, { invalidates: ['airgap'] });
  const job = jobs[0];
  return (
    <QueryState read={state} problemOf={readableFailure}>
      {(found) => (
        <AirGapView
          state={found}
          isTesting={job?.state === 'running'}
          onTest={() => selfTest.mutate()}
          onExport={() => exporting.mutate()}
          evidence={exporting.data ?? null}
          job={
            job === undefined || job.state === 'done' ? null : (
              <JobLine job={job} onCancel={() => cancel.mutate({ id: job.id })} />
            )
          }
        />
      )}
    </QueryState>
  );
}

type Evidence = { file: string; sha256: string; text: string };
type ViewProps = {
  state: AirGap;
  isTesting: boolean;
  onTest: () => void;
  onExport: () => void;
  evidence: Evidence | null;
  job: React.ReactNode;
};

export function AirGapView({ state, isTesting, onTest, onExport, evidence, job }: ViewProps) {
  const t = useTranslate();
  const now = new Date();
  const sentence = airGapSentence(state, now);
  const test = selfTestSentence(state.selfTest, now, durationText);
  return (
    <Stack gap="lg">
      <Stack gap={6}>
        <p className="settings-state" data-tone={sentence.tone} role="status">
          {t(sentence.id, sentence.values)}
        </p>
        {state.watch !== null && (
          <Quiet>
            {t('settings.airgap.looks', {
              looks: state.watch.looks,
              every: state.watch.everySeconds,
              processes: state.watch.processes,
              unreadable: state.watch.unreadable,
            })}
          </Quiet>
        )}
        <Quiet>{t('settings.airgap.blocked', { n: state.blocked.length })}</Quiet>
      </Stack>
      {state.outside.length > 0 && <SeenTable sockets={state.outside} />}
      {state.blocked.length > 0 && <BlockedTable requests={state.blocked} />}
      <Paper withBorder p="md">
        <Stack gap="sm">
          <Text
            fw={600}
            c={test.tone === 'bad' ? 'var(--bad)' : test.tone === 'good' ? 'var(--good)' : undefined}
          >
            {t(test.id, test.values)}
          </Text>
          <Quiet>{state.selfTestObstacle ?? t('settings.airgap.test.text')}</Quiet>
          {state.selfTest !== null && state.selfTest.outside.length > 0 && (
            <pre className="ui-pre" aria-label={t('settings.airgap.test.calls')}>
              {state.selfTest.outside.join('\n')}
            </pre>
          )}
          {job}
          <Group>
            <Button onClick={onTest} disabled={isTesting || state.selfTestObstacle !== null}>
              {t('settings.airgap.test.run')}
            </Button>
            <Button variant="default" onClick={onExport}>
              {t('settings.airgap.export')}
            </Button>
          </Group>
          {evidence !== null && (
            <Stack gap={4} role="status">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {t('settings.airgap.exported', { file: evidence.file })}
              </Text>
              <Quiet>
                {t('settings.airgap.exported.hash', { hash: `${evidence.sha256.slice(0, 16)}…` })}
              </Quiet>
              <Group>
                <CopyButton text={evidence.text} />
              </Group>
            </Stack>
          )}
          <Group gap={8}>
            <Quiet>{t('settings.airgap.chain', { n: state.chain.count })}</Quiet>
            <Code title={state.chain.head}>{state.chain.head.slice(0, 16)}…</Code>
            <CopyButton text={state.chain.head} />
          </Group>
        </Stack>
      </Paper>
      <Stack gap={4}>
        <Title order={2}>{t('settings.airgap.limits')}</Title>
        <ul style={{ margin: 0, paddingInlineStart: 20 }}>
          {([1, 2, 3] as const).map((number) => (
            <li key={number}>
              <Text size="sm">{t(`settings.airgap.limit.${number}`)}</Text>
            </li>
          ))}
        </ul>
        <Quiet mt="sm">{t('settings.airgap.noTelemetry')}</Quiet>
      </Stack>
    </Stack>
  );
}

/** Sockets that reach another machine, as the watch saw them. */
function SeenTable({ sockets }: { sockets: AirGap['outside'] }) {
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
function BlockedTable({ requests }: { requests: AirGap['blocked'] }) {
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
