import { useState } from 'react';
import { batchSpec, PHASES, type Phase, type ReviewRecord } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import {
  PhaseChip,
  QueryState,
  SegmentedControl,
  Stack,
  Text,
  Button,
  Group,
  Quiet,
} from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { SUPERVISED } from '../model.ts';
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
  const choose = (value: string): void => {
    const next = new Set([...seen, value as Phase]);
    setPhase(value as Phase);
    setSeen(next);
    if (next.size === PHASES.length) onDone();
  };
  return (
    <QueryState read={reviews} problemOf={readableFailure}>
      {(found) => (
        <Stack gap="sm">
          <SegmentedControl
            aria-label={t('tour.phases.choose')}
            value={phase}
            onChange={choose}
            data={PHASES.map((each) => ({ value: each, label: t(`phase.${each}.short`) }))}
          />
          <ReviewCard phase={phase} review={mostToRead(found, phase)} />
        </Stack>
      )}
    </QueryState>
  );
};

/** An answered review of the phase: one that found something, where the step has one. */
export function mostToRead(reviews: readonly ReviewRecord[], phase: Phase): ReviewRecord | null {
  const answered = reviews.filter((review) => review.phase === phase && review.status === 'done');
  return answered.find(({ issues }) => issues.length > 0) ?? answered[0] ?? null;
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
        {review.issues.length > 0 && <Quiet>{review.issues.join(', ')}</Quiet>}
      </Pane>
    </div>
  );
}

/** A solution that was reviewed: one that was sent back where the step has one. */
export const VerdictStop: StopExhibit = ({ onDone }) => {
  const reviews = useApiQuery('records.reviewsOfStep', api.records.reviewsOfStep, {
    runId: SUPERVISED,
    step: STEP,
  });
  return (
    <QueryState read={reviews} problemOf={readableFailure}>
      {(found) => <WithRecord recordId={reviewedSolution(found)} onDone={onDone} />}
    </QueryState>
  );
};

/** The record with the most to read: sent back first, then the one with the most reviews. */
export function reviewedSolution(reviews: readonly ReviewRecord[]): string | null {
  const answered = reviews.filter(
    ({ status, rolloutId, batch }) =>
      status === 'done' && rolloutId !== null && batchSpec(batch).judgedBy === 'pass-rate',
  );
  const counts = new Map<string, number>();
  for (const { rolloutId, decision } of answered)
    counts.set(
      rolloutId as string,
      (counts.get(rolloutId as string) ?? 0) + (decision === 'retry' ? 100 : 1),
    );
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], 'en'))[0]?.[0] ?? null;
}

function WithRecord({ recordId, onDone }: { recordId: string | null; onDone: () => void }) {
  const t = useTranslate();
  const record = useApiQuery(
    'records.get',
    api.records.get,
    { runId: SUPERVISED, recordId: recordId ?? '' },
    { enabled: recordId !== null },
  );
  const [said, setSaid] = useState<'passed' | 'failed' | null>(null);
  if (recordId === null) return <Text>{t('tour.phases.none', { step: STEP })}</Text>;
  const say = (verdict: 'passed' | 'failed'): void => {
    setSaid(verdict);
    onDone();
  };
  return (
    <QueryState read={record} problemOf={readableFailure}>
      {(found) =>
        found === null ? null : (
          <Stack gap="sm">
            <div className="tour-pair" data-parts="3">
              <Pane label={t('tour.verdict.asked')}>
                <Quiet>{t('tour.verdict.asked')}</Quiet>
                <pre className="ui-pre">{found.rollout.user}</pre>
              </Pane>
              <Pane label={t('tour.verdict.wrote')}>
                <Quiet>{t('tour.verdict.wrote')}</Quiet>
                <pre className="ui-pre">{found.rollout.text}</pre>
              </Pane>
              <Pane label={t('tour.verdict.reviewer')}>
                <Quiet>{t('tour.verdict.reviewer')}</Quiet>
                {found.reviews.map((review) => (
                  <div key={review.id} className="tour-review">
                    <PhaseChip phase={review.phase} />{' '}
                    <strong>{t(`tour.decision.${review.decision ?? 'none'}`)}</strong>
                    <p>{review.feedback}</p>
                  </div>
                ))}
              </Pane>
            </div>
            <Group>
              <Button variant={said === 'passed' ? 'filled' : 'default'} onClick={() => say('passed')}>
                {t('tour.verdict.accepted')}
              </Button>
              <Button variant={said === 'failed' ? 'filled' : 'default'} onClick={() => say('failed')}>
                {t('tour.verdict.rejected')}
              </Button>
            </Group>
            {said !== null && (
              <Text role="status" fw={600}>
                {answerText(t, said, found.rollout.verdict)}
              </Text>
            )}
          </Stack>
        )
      }
    </QueryState>
  );
}

function answerText(
  t: Translate,
  said: 'passed' | 'failed',
  { outcome, reason }: { outcome: string; reason: string | null },
): string {
  const verdict =
    outcome === 'passed' ? t('tour.verdict.passed') : t('tour.verdict.failed', { reason: reason ?? outcome });
  return t((outcome === 'passed') === (said === 'passed') ? 'tour.verdict.right' : 'tour.verdict.wrong', {
    verdict,
  });
}
