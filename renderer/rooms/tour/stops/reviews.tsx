import { useEffect, useState } from 'react';
import { nobodyAsked, PHASES, type Phase, type ReviewRecord } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { issueText, PhaseChip, QueryState, SegmentedControl, Stack, Text, Quiet } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { SUPERVISED, useTourProgress } from '../model.ts';
import { Pane, type StopExhibit } from '../stop-frame.tsx';

const STEP = 14; // has answered reviews of every phase in the recording; any other step would do

/** One real review of each phase, with what the supervisor was shown. */
export const PhasesStop: StopExhibit = ({ onDone }) => {
  const t = useTranslate();
  const [phase, setPhase] = useState<Phase>('task');
  const [seen, setSeen] = useState<ReadonlySet<Phase>>(new Set(['task']));
  const reviews = useApiQuery('records.reviewsOfStep', api.records.reviewsOfStep, {
    runId: SUPERVISED,
    step: STEP,
  });
  const show = useTourProgress((state) => state.show);
  const review = mostToRead(reviews.data ?? [], phase);
  useEffect(() => {
    if (review === null) return;
    // A review of a batch has no record of its own; its step has what the batch is made of.
    show(
      'phases',
      review.rolloutId === null ? { from: STEP, to: STEP } : { record: review.rolloutId, phase },
    );
  }, [show, review, phase]);
  const choose = (value: string): void => {
    const next = new Set([...seen, value as Phase]);
    setPhase(value as Phase);
    setSeen(next);
    if (next.size === PHASES.length) onDone();
  };
  return (
    <QueryState read={reviews} problemOf={readableFailure}>
      {() => (
        <Stack gap="sm">
          <SegmentedControl
            aria-label={t('tour.phases.choose')}
            value={phase}
            onChange={choose}
            data={PHASES.map((each) => ({ value: each, label: t(`phase.${each}`) }))}
          />
          <ReviewCard phase={phase} review={review} />
        </Stack>
      )}
    </QueryState>
  );
};

/** An answered review of the phase: one that found something, where the step has one; last of all what nobody was asked about. */
export function mostToRead(reviews: readonly ReviewRecord[], phase: Phase): ReviewRecord | null {
  const answered = reviews.filter((review) => review.phase === phase && review.status === 'done');
  return (
    answered.find(({ issues }) => issues.length > 0) ??
    answered.find((review) => !nobodyAsked(review)) ??
    answered[0] ??
    null
  );
}

function ReviewCard({ phase, review }: { phase: Phase; review: ReviewRecord | null }) {
  const t = useTranslate();
  if (review === null) return <Text>{t('tour.phases.none', { step: STEP })}</Text>;
  return (
    <div className="tour-pair">
      <Pane label={t('tour.phases.seen')}>
        <Quiet>{t('tour.phases.seen')}</Quiet>
        <pre className="ui-pre">{review.prompt}</pre>
      </Pane>
      <Pane label={t('tour.phases.said')}>
        <Quiet>{t('tour.phases.said')}</Quiet>
        <p>
          <PhaseChip phase={phase} /> <strong>{t(`tour.decision.${review.decision ?? 'none'}`)}</strong>
        </p>
        <p>{review.feedback}</p>
        {review.issues.length > 0 && (
          <Quiet>{review.issues.map((issue) => issueText(t, issue)).join(', ')}</Quiet>
        )}
      </Pane>
    </div>
  );
}
