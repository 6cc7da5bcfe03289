import type { RunFindings } from '../../../electron/contract/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { CsvButton, IssueName, percentText, PhaseChip, Table } from '../../ui/index.ts';
import { issuesTable, phasesTable } from './model/tables.ts';

/**
 * How often the verifier failed the work an issue was named in, and how much of what was named the computed facts had said.
 * @param byAgreement nobody knows which answer is right: what failed is what most answers disagreed with.
 */
export function Findings({ findings, byAgreement }: { findings: RunFindings; byAgreement: boolean }) {
  const t = useTranslate();
  const { phases, issues } = findings;
  const failedTitle = t(byAgreement ? 'live.findings.disagreed' : 'live.findings.failed');
  if (phases.length === 0) return null;
  const share = (part: number, whole: number): string => (whole === 0 ? '–' : percentText(part / whole, 0));
  return (
    <section className="live-card" aria-label={t('live.findings')}>
      <h2>{t('live.findings')}</h2>
      <p className="live-quiet">{t(byAgreement ? 'live.findings.note.agreement' : 'live.findings.note')}</p>
      {issues.length > 0 && (
        <Table verticalSpacing={3} horizontalSpacing={6} fz="sm" className="numbers" captionSide="top">
          <Table.Caption ta="start">
            {t('live.findings.issues')}{' '}
            <CsvButton title={t('live.findings.issues')} table={() => issuesTable(findings)} />
          </Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('live.overview.issue')}</Table.Th>
              <Table.Th scope="col">{t('live.overview.cost.reviews')}</Table.Th>
              <Table.Th scope="col">{failedTitle}</Table.Th>
              <Table.Th scope="col">{t('live.findings.stated')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {issues.map(({ issue, phase, raised, verified, precision, told, stated }) => (
              <Table.Tr key={`${phase} ${issue}`}>
                <Table.Th scope="row" fw={500}>
                  <IssueName issue={issue} />
                </Table.Th>
                <Table.Td>{raised}</Table.Td>
                <Table.Td>
                  {precision === null
                    ? t(byAgreement ? 'live.findings.uncounted' : 'live.findings.unverified')
                    : t('live.findings.of', {
                        share: percentText(precision.share, 0),
                        low: percentText(precision.low, 0),
                        high: percentText(precision.high, 0),
                        n: verified,
                      })}
                </Table.Td>
                <Table.Td>{share(stated, told)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Table verticalSpacing={3} horizontalSpacing={6} fz="sm" className="numbers" captionSide="top">
        <Table.Caption ta="start">
          {t('live.findings.phases')}{' '}
          <CsvButton title={t('live.findings.phases')} table={() => phasesTable(findings)} />
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('live.overview.cost.phase')}</Table.Th>
            <Table.Th scope="col">{t('live.overview.cost.reviews')}</Table.Th>
            <Table.Th scope="col">{failedTitle}</Table.Th>
            <Table.Th scope="col">{t('live.findings.named')}</Table.Th>
            <Table.Th scope="col">{t('live.findings.beyond')}</Table.Th>
            <Table.Th scope="col">{t('live.findings.silent')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {phases.map(({ phase, reviews, verified, failed, told, named, beyond, silent }) => (
            <Table.Tr key={phase}>
              <Table.Th scope="row">
                <PhaseChip phase={phase} />
              </Table.Th>
              <Table.Td>{reviews}</Table.Td>
              <Table.Td>{share(failed, verified)}</Table.Td>
              <Table.Td>{share(named, told)}</Table.Td>
              <Table.Td>{share(beyond, told)}</Table.Td>
              <Table.Td>{share(silent, told)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
