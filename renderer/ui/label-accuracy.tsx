import type { Accuracy, LabelAccuracy } from '../../electron/contract/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { Table } from './mantine.ts';
import { percentText } from './values.tsx';

/** How right a run's labels are, iteration by iteration, beside how much its answers agreed: computed, and as persons found them. */
export function LabelAccuracyTable({ rows }: { rows: readonly LabelAccuracy[] }) {
  const t = useTranslate();
  const said = (accuracy: Accuracy | null): string =>
    accuracy === null
      ? '–'
      : t('labels.accuracy', {
          share: percentText(accuracy.right / accuracy.n, 0),
          low: percentText(accuracy.low, 0),
          high: percentText(accuracy.high, 0),
          n: accuracy.n,
        });
  if (rows.length === 0) return null;
  return (
    <Table verticalSpacing={3} fz="sm" className="numbers" captionSide="top">
      <Table.Caption ta="start">{t('labels.caption')}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('labels.iteration')}</Table.Th>
          <Table.Th ta="end">{t('labels.labels')}</Table.Th>
          <Table.Th ta="end">{t('labels.agreement')}</Table.Th>
          <Table.Th ta="end">{t('labels.computed')}</Table.Th>
          <Table.Th ta="end">{t('labels.audited')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ iteration, labels, agreement, computed, audited }) => (
          <Table.Tr key={iteration}>
            <Table.Th scope="row" fw={500}>
              {iteration}
            </Table.Th>
            <Table.Td ta="end">{labels.toLocaleString('en')}</Table.Td>
            <Table.Td ta="end">{agreement === null ? '–' : percentText(agreement, 0)}</Table.Td>
            <Table.Td ta="end">{said(computed)}</Table.Td>
            <Table.Td ta="end">{said(audited)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
