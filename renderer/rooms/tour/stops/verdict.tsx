import { useState } from 'react';
import type { ReviewRecord } from '../../../../electron/contract/index.ts';
import { api, readableFailure, useApiQuery } from '../../../data/index.ts';
import { Button, Group, PhaseChip, QueryState, Stack, Text } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { SUPERVISED } from '../model.ts';
import { Pane } from '../parts/pane.tsx';
import type { StopExhibit } from './stop.ts';

const STEP = 14;

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
      status === 'done' && rolloutId !== null && batch.startsWith('pred_code'),
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
                <Text size="sm" c="var(--quiet)">
                  {t('tour.verdict.asked')}
                </Text>
                <pre className="kit-pre">{found.rollout.user}</pre>
              </Pane>
              <Pane label={t('tour.verdict.wrote')}>
                <Text size="sm" c="var(--quiet)">
                  {t('tour.verdict.wrote')}
                </Text>
                <pre className="kit-pre">{found.rollout.text}</pre>
              </Pane>
              <Pane label={t('tour.verdict.reviewer')}>
                <Text size="sm" c="var(--quiet)">
                  {t('tour.verdict.reviewer')}
                </Text>
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
