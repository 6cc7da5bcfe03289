import type { RuleOutcome, Verification } from '../../../../electron/contract/index.ts';
import { api, useApiMutation, useApiQuery, useJobs } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  Alert,
  Button,
  Code,
  Group,
  JobLine,
  Quiet,
  Stack,
  Table,
  Text,
  Title,
  visibleString,
} from '../../../ui/index.ts';

/** Computes a run again, with progress and a way to stop it, and shows what was found. It goes on while the window shows something else. */
export function RunVerification({ runId }: { runId: string }) {
  const t = useTranslate();
  const [job] = useJobs([`verify:${runId}`]);
  const start = useApiMutation(api.runs.verify, { invalidates: ['jobs'] });
  const cancel = useApiMutation(api.jobs.cancel, { invalidates: ['jobs'] });
  const found = useApiQuery(
    'runs.verification',
    api.runs.verification,
    { jobId: job?.id ?? '' },
    { enabled: job?.state === 'done', keep: false },
  );
  return (
    <Stack gap={8}>
      <Title order={3}>{t('runs.verify.title')}</Title>
      <Quiet size="sm">{t('runs.verify.text')}</Quiet>
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => start.mutate({ runId })}
          disabled={start.isPending || job?.state === 'running'}
        >
          {t(job?.state === 'done' ? 'runs.verify.again' : 'runs.verify')}
        </Button>
      </Group>
      {job !== undefined && job.state !== 'done' && (
        <JobLine job={job} onCancel={() => cancel.mutate({ id: job.id })} />
      )}
      {job?.state === 'done' &&
        found.data?.reports.map((report) => <VerificationLines key={report.id} report={report} />)}
    </Stack>
  );
}

/** A line a rule. Of an evaluation beside the run only its title and what differs are told, as all its rules are the same. */
export function VerificationLines({ report }: { report: Verification }) {
  const t = useTranslate();
  const { kind, title, checked, differing, seconds, rules } = report;
  const compared = rules.filter((rule) => rule.checked > 0 || rule.skipped.length > 0);
  const shown = kind === 'run' ? compared : compared.filter((rule) => rule.differing > 0);
  return (
    <Stack gap={8}>
      <Alert color={differing === 0 ? 'green' : 'red'} role={differing === 0 ? 'status' : 'alert'} p="xs">
        {t(differing === 0 ? 'runs.verify.same' : 'runs.verify.differs', {
          what: visibleString(title),
          n: checked,
          differing,
          seconds: Math.max(1, Math.round(seconds)),
        })}
      </Alert>
      {shown.length > 0 && (
        <Table verticalSpacing={2} horizontalSpacing={6} aria-label={t('runs.verify.rules', { what: title })}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('runs.verify.rule')}</Table.Th>
              <Table.Th ta="right">{t('runs.verify.checked')}</Table.Th>
              <Table.Th ta="right">{t('runs.verify.differing')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((rule) => (
              <RuleRow key={rule.rule} rule={rule} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}

function RuleRow({
  rule: { rule, says, source, checked, differing, first, skipped },
}: {
  rule: RuleOutcome;
}) {
  const t = useTranslate();
  return (
    <>
      <Table.Tr title={`${says} (${source})`}>
        <Table.Td style={{ overflowWrap: 'anywhere' }}>
          {rule}
          {skipped.map(({ why, count }) => (
            <Quiet key={why} size="xs">
              {t('runs.verify.skipped', { n: count, why })}
            </Quiet>
          ))}
        </Table.Td>
        <Table.Td ta="right" className="numbers">
          {checked.toLocaleString('en')}
        </Table.Td>
        <Table.Td ta="right" className="numbers" c={differing > 0 ? 'var(--bad)' : undefined}>
          {differing.toLocaleString('en')}
        </Table.Td>
      </Table.Tr>
      {first !== null && (
        <Table.Tr>
          <Table.Td colSpan={3}>
            <Text size="xs">{says}</Text>
            <Code block fz={12} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {t('runs.verify.first', {
                about: visibleString(first.about),
                stored: visibleString(first.stored),
                recomputed: visibleString(first.recomputed),
              })}
            </Code>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}
