import type { ReviewQueue } from '../../../../electron/contract/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { durationText, shortDurationText } from '../../../ui/index.ts';

type ReviewQueueLineProps = {
  queue: ReviewQueue & { step: number };
  /** Seconds for which the step stood still for reviews, up to now. */
  waitedSeconds: number;
  /** Mean seconds of a review in the steps before; null where there was none, or where a person answered some of them. */
  usualSeconds: number | null;
  /** Of the run, per step; null where there is no limit. */
  budgetSeconds: number | null;
};

/** The supervisor of the step under way, in one line: what waits, how fast it answers, and what the step loses by it. */
export function ReviewQueueLine({ queue, waitedSeconds, usualSeconds, budgetSeconds }: ReviewQueueLineProps) {
  const t = useTranslate();
  const { step, waiting, answering, answered, failed, skipped, answerSeconds, budgetLeftSeconds } = queue;
  const lost = failed + skipped;
  const each = answered === 0 ? null : shortDurationText(answerSeconds / answered);
  const usual = usualSeconds === null ? null : shortDurationText(usualSeconds);
  const isLate = queue.waitsSince !== null && waiting + answering > 0;
  return (
    <div className="live-queue numbers" aria-label={t('live.queue')} role="group">
      <strong>{t('live.queue.of', { step })}</strong>
      {waiting + answering + answered + lost === 0 ? (
        <span>{t('live.queue.none')}</span>
      ) : (
        <>
          <span>{t('live.queue.waiting', { n: waiting })}</span>
          <span>{t('live.queue.answering', { n: answering })}</span>
          <span>{t('live.queue.answered', { n: answered })}</span>
          {lost > 0 && (
            <span className="live-queue-bad" title={t('live.queue.lost.title', { failed, skipped })}>
              {t('live.queue.lost', { n: lost })}
            </span>
          )}
        </>
      )}
      <span>
        {each === null
          ? t('live.queue.unmeasured', { usual: usual ?? 'none' })
          : t('live.queue.each', { each, usual: usual ?? 'none' })}
      </span>
      {budgetSeconds !== null && budgetLeftSeconds !== null && (
        <span className={budgetLeftSeconds === 0 ? 'live-queue-bad' : undefined}>
          {t('live.queue.budget', {
            left: durationText(budgetLeftSeconds),
            budget: durationText(budgetSeconds),
          })}
        </span>
      )}
      <span className={isLate ? 'live-queue-bad' : undefined}>
        {t(isLate ? 'live.queue.waits' : 'live.queue.waited', { time: durationText(waitedSeconds) })}
      </span>
    </div>
  );
}
