import type { RefObject } from 'react';
import type { PersonQuestion } from '../../../../electron/contract/index.ts';
import { api, notify, notifyFailure, readableFailure } from '../../../data/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import { ConfirmButton, Text, Textarea, Title, Quiet } from '../../../ui/index.ts';
import { DecisionBar } from '../queue/decision-bar.tsx';
import type { QueueItem, ItemState, DigitMode } from '../queue/queue.ts';
import type { QueueControl } from '../queue/use-queue.ts';
import { questionOf, toggleIssue, type LiveForm } from './live-form.ts';
import { QuestionHead, QuestionText } from './question.tsx';

type AnsweringProps = {
  question: PersonQuestion;
  item: QueueItem<LiveForm>;
  control: QueueControl<LiveForm>;
  words: RefObject<HTMLTextAreaElement | null>;
};

/** One question: what it is about at the left, the answer at the right, the decision below. */
export function Answering({ question, item, control, words }: AnsweringProps) {
  const t = useTranslate();
  const onIssue = (name: string): void => {
    const changed = toggleIssue(item.form, name);
    if (typeof changed === 'string') notify(t(changed as MessageId), 'plain');
    else control.fillIn(() => changed);
  };
  const isSafetyRisk = question.issues.some(({ name, safety }) => safety && item.form.issues.includes(name));
  return (
    <>
      <div className="reviews-sides">
        <div className="reviews-side">
          <QuestionHead question={question} />
          <QuestionText question={question} />
        </div>
        <div className="reviews-side">
          <LiveAnswer
            question={question}
            form={item.form}
            mode={control.queue.mode}
            words={words}
            onIssue={onIssue}
            onFeedback={(feedback) => control.fillIn((form) => ({ ...form, feedback }))}
            onSubmit={() => control.press('Enter')}
          />
        </div>
      </div>
      <DecisionBar
        decision={item.form.decision}
        isSafetyRisk={isSafetyRisk}
        leaks={null}
        submitWord="reviews.key.submit"
        canUndo={false}
        press={control.press}
      />
    </>
  );
}

/** Passes on every question that the tab and the phase show, after naming how many. */
export function Bulk({ items, tab }: { items: readonly QueueItem<LiveForm>[]; tab: ItemState }) {
  const t = useTranslate();
  const n = items.length;
  if (n === 0 || (tab !== 'pending' && tab !== 'draft')) return null;
  const pass = (how: 'hand-over' | 'skip') => (): void => {
    const questions = items.map(({ key }) => questionOf(key));
    api.reviews.passOn.mutate({ questions, how }).then(
      ({ done }) => notify(t('reviews.live.passed', { n: done })),
      (error: unknown) => notifyFailure(readableFailure(error).sentence),
    );
  };
  return (
    <>
      <ConfirmButton
        size="xs"
        label={t('reviews.live.handOver', { n })}
        title={t('reviews.live.handOver.title', { n })}
        consequence={t('reviews.live.handOver.text')}
        confirm={t('reviews.live.handOver', { n })}
        onConfirm={pass('hand-over')}
      />
      <ConfirmButton
        size="xs"
        label={t('reviews.live.skip', { n })}
        title={t('reviews.live.skip.title', { n })}
        consequence={t('reviews.live.skip.text')}
        confirm={t('reviews.live.skip', { n })}
        onConfirm={pass('skip')}
      />
    </>
  );
}

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
        <Quiet size="xs" mt={4}>
          {t('reviews.live.issues.none')}
        </Quiet>
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
      <Quiet size="xs" mt={4}>
        {t('reviews.key.commentDone')}
      </Quiet>
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
