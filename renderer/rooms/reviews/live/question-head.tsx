import { useState } from 'react';
import type { PersonQuestion } from '../../../../electron/contract/index.ts';
import { PhaseChip, Text, Title, useInterval } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { countdownText } from '../model/pace.ts';

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
      <Text size="sm" c="var(--quiet)" mb="xs">
        {t('reviews.live.where', {
          run: question.runName,
          step: question.step,
          batch: question.batch,
          role: question.role,
          taskType: question.taskType,
        })}
      </Text>
    </>
  );
}
