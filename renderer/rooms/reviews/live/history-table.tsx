import type { PersonHistoryEntry } from '../../../../electron/contract/index.ts';
import { Anchor, PhaseChip, Table, Text, When } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { visibleText } from '../model/visible-text.ts';

/** Questions that are no longer open, with what became of them. */
export function HistoryTable({ entries }: { entries: readonly PersonHistoryEntry[] }) {
  const t = useTranslate();
  if (entries.length === 0)
    return (
      <Text p="md" c="var(--quiet)">
        {t('reviews.live.history.none')}
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={600} p="md">
      <Table verticalSpacing={4} captionSide="top">
        <Table.Caption ta="start">{t('reviews.live.history')}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('reviews.column.question')}</Table.Th>
            <Table.Th>{t('reviews.column.run')}</Table.Th>
            <Table.Th>{t('reviews.column.outcome')}</Table.Th>
            <Table.Th>{t('reviews.column.answer')}</Table.Th>
            <Table.Th>{t('reviews.column.when')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map(({ question, outcome, answer, endedAt }) => (
            <Table.Tr key={`${question.runId} ${question.id} ${endedAt}`}>
              <Table.Td>
                <PhaseChip phase={question.phase} short /> <code>{question.id}</code>
              </Table.Td>
              <Table.Td>
                <Anchor size="sm" href={`#/runs/${question.runId}`}>
                  {question.runName}
                </Anchor>
              </Table.Td>
              <Table.Td>{t(`reviews.outcome.${outcome}`)}</Table.Td>
              <Table.Td>
                {answer === null
                  ? ''
                  : `${answer.decision}${answer.issues.length === 0 ? '' : ` (${answer.issues.join(', ')})`}: ${visibleText(answer.feedback).text}`}
              </Table.Td>
              <Table.Td>
                <When iso={endedAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
