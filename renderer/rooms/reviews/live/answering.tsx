import type { RefObject } from 'react';
import type { PersonQuestion } from '../../../../electron/contract/index.ts';
import { api, notify, notifyFailure, readableFailure } from '../../../data/index.ts';
import { ConfirmButton } from '../../../ui/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import type { DeskControl } from '../hooks/use-desk.ts';
import type { DeskItem, ItemState } from '../model/desk.ts';
import { questionOf, toggleIssue, type LiveForm } from '../model/live-form.ts';
import { DecisionBar } from '../parts/decision-bar.tsx';
import { LiveAnswer } from './live-answer.tsx';
import { QuestionHead } from './question-head.tsx';
import { QuestionText } from './question-text.tsx';

type AnsweringProps = {
  question: PersonQuestion;
  item: DeskItem<LiveForm>;
  control: DeskControl<LiveForm>;
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
            mode={control.desk.mode}
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
export function Bulk({ items, tab }: { items: readonly DeskItem<LiveForm>[]; tab: ItemState }) {
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
