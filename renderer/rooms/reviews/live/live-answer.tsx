import type { RefObject } from 'react';
import type { PersonQuestion } from '../../../../electron/contract/index.ts';
import { Text, Textarea, Title } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import type { DigitMode } from '../model/desk.ts';
import type { LiveForm } from '../model/live-form.ts';

type LiveAnswerProps = {
  question: PersonQuestion;
  form: LiveForm;
  mode: DigitMode;
  words: RefObject<HTMLTextAreaElement | null>;
  onIssue: (name: string) => void;
  onFeedback: (text: string) => void;
  onSubmit: () => void;
};

const MOST_FEEDBACK = 300; // the limit of every review, whoever writes it

/** What the person says of the item: issues and words. The decision is in the bar below. */
export function LiveAnswer({ question, form, mode, words, onIssue, onFeedback, onSubmit }: LiveAnswerProps) {
  const t = useTranslate();
  return (
    <>
      <div className="reviews-side-head">
        <Title order={2}>{t('reviews.live.answer')}</Title>
      </div>
      <p className="reviews-label" id="reviews-issues">
        {t('reviews.live.issues')}
      </p>
      <div
        className="reviews-scale"
        data-open={mode.field === 'issues'}
        role="group"
        aria-labelledby="reviews-issues"
        style={{ flexDirection: 'column', alignItems: 'stretch' }}
      >
        {question.issues.map(({ name, sentence }, place) => (
          <IssueChoice
            key={name}
            name={name}
            sentence={sentence}
            place={place + 1}
            isOn={form.issues.includes(name)}
            onChoose={() => onIssue(name)}
          />
        ))}
      </div>
      {form.issues.length === 0 && (
        <Text size="xs" c="var(--quiet)" mt={4}>
          {t('reviews.live.issues.none')}
        </Text>
      )}
      <Textarea
        ref={words}
        mt="md"
        label={t('reviews.live.feedback')}
        description={t('reviews.live.feedback.hint')}
        rows={4}
        resize="vertical"
        maxLength={MOST_FEEDBACK}
        value={form.feedback}
        onChange={(event) => onFeedback(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            event.currentTarget.blur();
            onSubmit();
          }
        }}
      />
      <Text size="xs" c="var(--quiet)" mt={4}>
        {t('reviews.key.commentDone')}
      </Text>
      {form.decision === 'unsure' && (
        <Text size="sm" mt="sm">
          {t('reviews.live.unsure', { fallback: question.fallback })}
        </Text>
      )}
    </>
  );
}

function IssueChoice({
  name,
  sentence,
  place,
  isOn,
  onChoose,
}: {
  name: string;
  sentence: string;
  place: number;
  isOn: boolean;
  onChoose: () => void;
}) {
  return (
    <button
      type="button"
      className="reviews-choice"
      aria-pressed={isOn}
      style={{ width: 'auto', justifyContent: 'flex-start', padding: '4px 10px' }}
      onClick={(event) => {
        onChoose();
        if (event.detail > 0) event.currentTarget.blur();
      }}
    >
      <span className="numbers">{place}</span> <code>{name}</code> <span>{sentence}</span>
    </button>
  );
}
