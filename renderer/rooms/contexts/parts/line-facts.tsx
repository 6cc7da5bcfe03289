import { Table } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { isFixed, type LineLife } from '../model/lanes.ts';

/** When the line was there, how it came and why it went. */
export function LineFacts({ line }: { line: LineLife }) {
  const t = useTranslate();
  const { firstContext: first, lastContext: last, left, support, sources, key } = line;
  const rows: [string, string][] = [
    [
      t('contexts.detail.entered'),
      isFixed(line) ? t('contexts.detail.fixed') : t('contexts.detail.enteredBy', { step: first - 1 }),
    ],
    [
      t('contexts.detail.seen'),
      t('contexts.detail.steps', { first, last, same: first === last ? 'yes' : 'no' }),
    ],
    [
      t('contexts.detail.left'),
      left === null
        ? t('contexts.detail.there')
        : t('contexts.detail.leftAfter', {
            step: left.context - 1,
            reason: t(`contexts.reason.${left.reason}`),
          }),
    ],
    ...(isFixed(line)
      ? []
      : [
          [t('contexts.detail.support'), t('contexts.detail.supportText', { support, sources })] as [
            string,
            string,
          ],
        ]),
    ...(key === null ? [] : [[t('contexts.detail.key'), key] as [string, string]]),
  ];
  return (
    <Table verticalSpacing={2} fz="sm" className="numbers">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={120} fw={500}>
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
