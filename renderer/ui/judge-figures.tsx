import { useState } from 'react';
import {
  judgeReport,
  type JudgeReport,
  type JudgeRow,
  type JudgeVerdict,
  type MeasuredJudge,
} from '../../electron/contract/index.ts';
import { useTranslate, type Translate } from '../i18n/index.ts';
import { Anchor, List, Modal, Stack, Table, Text } from './mantine.ts';
import { issueText } from './names.tsx';
import { Quiet, When } from './values.tsx';

/** Opens everything that a finished probe found of a model; nothing before it is finished. */
export function JudgeFigures({ probe }: { probe: MeasuredJudge }) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const report = judgeReport(probe);
  if (report === null) return null;
  return (
    <>
      <Anchor component="button" type="button" size="xs" onClick={() => setOpen(true)}>
        {t('judge-probe.all')}
      </Anchor>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="auto"
        title={t('judge-probe.figures', { model: probe.model })}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <Figures probe={probe} report={report} />
      </Modal>
    </>
  );
}

function Figures({
  probe: { plan, results, finishedAt, verdict },
  report,
}: {
  probe: MeasuredJudge;
  report: JudgeReport;
}) {
  const t = useTranslate();
  const { mode, items, seed, version } = plan;
  const { answered = 0, failed = 0 } = results ?? {};
  return (
    <Stack gap="md" maw="46rem">
      <Text size="sm">
        {t(`judge-probe.mode.${mode}`)}
        {verdict !== null && ` ${verdictText(t, verdict)}`}
      </Text>
      {report.tables.map(({ pass, rows }) => (
        <RowsTable key={pass} caption={t(`judge-probe.table.${pass}`)} rows={rows} />
      ))}
      <List size="sm" spacing={4}>
        {report.facts.map(({ about, isAlone, values }) => (
          <List.Item key={about}>
            {t(`judge-probe.fact.${about}`, { ...values, alone: isAlone ? 'yes' : 'no' })}
          </List.Item>
        ))}
      </List>
      <Quiet size="xs">
        {t('judge-probe.plan', { items, answered, failed, seed, version })}
        {finishedAt !== null && (
          <>
            {' · '}
            <When iso={finishedAt} />
          </>
        )}
      </Quiet>
    </Stack>
  );
}

const verdictText = (t: Translate, { isBetter, phases }: JudgeVerdict): string =>
  phases.length > 0
    ? t('judge-probe.verdict.phases', {
        phases: phases.map((phase) => t(`phase.${phase}.short`)).join(', '),
      })
    : t(isBetter ? 'judge-probe.verdict.together' : 'judge-probe.verdict.none');

const ONE_LINE = { whiteSpace: 'nowrap' } as const;

/** A phase and below it its issues. */
function RowsTable({ caption, rows }: { caption: string; rows: readonly JudgeRow[] }) {
  const t = useTranslate();
  return (
    <Table verticalSpacing={2} horizontalSpacing={8} fz="xs" captionSide="top" className="numbers">
      <Table.Caption ta="start" fz="sm">
        {caption}
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('judge-probe.column.name')}</Table.Th>
          <Table.Th ta="end">{t('judge-probe.column.n')}</Table.Th>
          <Table.Th ta="end">{t('judge-probe.column.precision')}</Table.Th>
          <Table.Th ta="end">{t('judge-probe.column.recall')}</Table.Th>
          <Table.Th ta="end">{t('judge-probe.column.balanced')}</Table.Th>
          <Table.Th>{t('judge-probe.column.against')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ name, phase, isPhase, n, precision, recall, balanced, against }) => (
          <Table.Tr key={`${isPhase} ${name}`}>
            <Table.Th scope="row" fw={isPhase ? 600 : 400} ps={isPhase ? undefined : 'md'}>
              {isPhase ? t(`phase.${phase}`) : issueText(t, name)}
            </Table.Th>
            <Table.Td ta="end">{n}</Table.Td>
            <Table.Td ta="end" style={ONE_LINE}>
              {precision}
            </Table.Td>
            <Table.Td ta="end" style={ONE_LINE}>
              {recall}
            </Table.Td>
            <Table.Td ta="end" style={ONE_LINE}>
              {balanced}
            </Table.Td>
            <Table.Td c={against === 'worse' ? 'var(--warn)' : undefined}>
              {t(`judge-probe.against.${against}`)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
