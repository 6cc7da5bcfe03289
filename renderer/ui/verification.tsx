import type { Job, RuleOutcome, Verification } from '../../electron/contract/index.ts';
import { useTranslate, visibleString } from '../i18n/index.ts';
import { JobLine } from './job-line.tsx';
import { Alert, Button, Code, Group, Stack, Table, Text } from './mantine.ts';
import { Quiet } from './values.tsx';
type VerificationPanelProps = {
  /** What it computes again, in words. */
  text: string;
  /** The newest one of this record, at work or ended. */
  job: Job | null;
  /** What it found; empty until it is done. */
  reports: readonly Verification[];
  isAsked: boolean;
  onStart: () => void;
  onCancel: (jobId: string) => void;
};

/** A way to have a record computed again, with progress and a way to stop it, and what was found. */
export function VerificationPanel({
  text,
  job,
  reports,
  isAsked,
  onStart,
  onCancel,
}: VerificationPanelProps) {
  const t = useTranslate();
  return (
    <Stack gap={8}>
      <Quiet size="sm">{text}</Quiet>
      <Group>
        <Button
          size="compact-sm"
          variant="default"
          onClick={onStart}
          disabled={isAsked || job?.state === 'running'}
        >
          {t(job?.state === 'done' ? 'verify.again' : 'verify.start')}
        </Button>
      </Group>
      {job !== null && job.state !== 'done' && <JobLine job={job} onCancel={() => onCancel(job.id)} />}
      {reports.map((report) => (
        <VerificationLines key={report.id} report={report} isWhole={reports.length === 1} />
      ))}
    </Stack>
  );
}

/**
 * A line a rule. Of an evaluation beside its run only the title and what differs are told, as all its rules are the same.
 * @param isWhole all rules are told, whatever it is of.
 */
export function VerificationLines({ report, isWhole = false }: { report: Verification; isWhole?: boolean }) {
  const t = useTranslate();
  const { kind, title, checked, differing, seconds, rules } = report;
  const compared = rules.filter((rule) => rule.checked > 0 || rule.skipped.length > 0);
  const shown = isWhole || kind === 'run' ? compared : compared.filter((rule) => rule.differing > 0);
  return (
    <Stack gap={8}>
      <Alert color={differing === 0 ? 'green' : 'red'} role={differing === 0 ? 'status' : 'alert'} p="xs">
        {t(differing === 0 ? 'verify.same' : 'verify.differs', {
          what: visibleString(title),
          n: checked,
          differing,
          seconds: Math.max(1, Math.round(seconds)),
        })}
      </Alert>
      {shown.length > 0 && (
        <Table verticalSpacing={2} horizontalSpacing={6} aria-label={t('verify.rules', { what: title })}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('verify.rule')}</Table.Th>
              <Table.Th ta="right">{t('verify.checked')}</Table.Th>
              <Table.Th ta="right">{t('verify.differing')}</Table.Th>
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
  rule: { rule, says, source, checked, differing, first, further, skipped },
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
              {t('verify.skipped', { n: count, why })}
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
              {t('verify.first', {
                about: visibleString(first.about),
                stored: visibleString(first.stored),
                recomputed: visibleString(first.recomputed),
              })}
            </Code>
            {further.length > 0 && (
              <Quiet size="xs">{t('verify.further', { abouts: visibleString(further.join('; ')) })}</Quiet>
            )}
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}
