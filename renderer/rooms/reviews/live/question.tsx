import { useState } from 'react';
import type { PersonQuestion, PersonHistoryEntry } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import {
  batchText,
  issueText,
  PhaseChip,
  Text,
  Title,
  useInterval,
  ErrorPanel,
  Loading,
  Anchor,
  Table,
  When,
  visibleString,
  Quiet,
} from '../../../ui/index.ts';
import { AgentText, FoldedText } from '../queue/agent-text.tsx';
import { countdownText } from '../queue/queue-bar.tsx';

/** The time that is left until a moment, counted down by the second. */
export function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  return (
    <span className="numbers" role="timer">
      {countdownText(new Date(until).getTime() - now)}
    </span>
  );
}

/** Which item this is, of which run, and how long it waits. */
export function QuestionHead({ question }: { question: PersonQuestion }) {
  const t = useTranslate();
  return (
    <>
      <div className="reviews-side-head">
        <Title order={2}>{t('reviews.agent')}</Title>
        <PhaseChip phase={question.phase} />
        <span className="reviews-spring" />
        <Text size="sm" component="div">
          <Countdown until={question.deadline} />{' '}
          {t(question.fallback === 'model' ? 'reviews.live.deadline.model' : 'reviews.live.deadline.skip')}
        </Text>
      </div>
      <Quiet mb="xs">
        {t('reviews.live.where', {
          run: question.runName,
          step: question.step,
          batch: batchText(t, question.batch),
        })}
      </Quiet>
    </>
  );
}

/** What the person may see of an item: the fields and facts a model would be shown, and the prompt that goes into the record. */
export function QuestionText({ question: { runId, id, phase } }: { question: PersonQuestion }) {
  const t = useTranslate();
  const read = useApiQuery('reviews.question', api.reviews.question, { runId, id }, { keep: false });
  if (read.data === undefined)
    return read.error === null ? (
      <Loading />
    ) : (
      <ErrorPanel problem={readableFailure(read.error)} onRetry={() => void read.refetch()} />
    );
  const { fields, facts, prompt } = read.data;
  // The text under review comes last in a prompt, after what it is about; a person reads it first.
  const main = fields.findLast(
    ({ label }) =>
      label === phase ||
      (phase === 'output' && label === 'answer') ||
      (phase === 'task' && label === 'program'),
  );
  const rest = fields.filter((field) => field !== main);
  return (
    <>
      {main !== undefined && <AgentText heading={main.label} text={main.text} isMain />}
      {rest.map((field, place) => (
        <AgentText key={`${place} ${field.label}`} heading={field.label} text={field.text} />
      ))}
      <section className="reviews-field">
        <h3>{t('reviews.facts')}</h3>
        <Text size="sm">{facts}</Text>
      </section>
      <FoldedText heading={t('reviews.prompt.own')} text={prompt} />
    </>
  );
}

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
    <div className="reviews-table" data-padded>
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
                  {visibleString(question.runName)}
                </Anchor>
              </Table.Td>
              <Table.Td>{t(`reviews.outcome.${outcome}`)}</Table.Td>
              <Table.Td>
                {answer === null
                  ? ''
                  : `${answer.decision}${answer.issues.length === 0 ? '' : ` (${answer.issues.map((issue) => issueText(t, issue)).join(', ')})`}: ${visibleString(answer.feedback)}`}
              </Table.Td>
              <Table.Td>
                <When iso={endedAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
