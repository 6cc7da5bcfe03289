import type { PersonQuestion } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { ErrorPanel, Loading, Text } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { AgentText, FoldedText } from '../parts/agent-text.tsx';

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
