import { type KeyboardEvent, useState } from 'react';
import {
  LABEL_VERDICTS,
  type LabelAccuracy,
  type LabelToAudit,
  type LabelVerdict,
  viewOf,
} from '../../../electron/contract/index.ts';
import { api, readableFailure, useApiMutation, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Button,
  EmptyState,
  Group,
  LabelAccuracyTable,
  Page,
  QueryState,
  TextBlock,
  useRoomNavigate,
  useRoomParameter,
} from '../../ui/index.ts';

const KEYS: Record<LabelVerdict, string> = { right: '1', wrong: '2', 'no-answer': '3' };

/** A person looks at labels of a run, one after another, without being told how far the answers agreed. */
export function LabelsPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const runId = useRoomParameter('runId');
  const run = useApiQuery('runs.get', api.runs.get, { runId }, { keep: false });
  return (
    <Page
      title={t('reviews.labels.title')}
      actions={
        <Button variant="default" onClick={() => navigate('/runs/$runId', { runId }, { tab: 'tasks' })}>
          {t('reviews.labels.run')}
        </Button>
      }
    >
      <QueryState read={run} problemOf={readableFailure}>
        {(found) =>
          found !== null && viewOf(found.config.framework.name).labels === null ? (
            <EmptyState title={t('reviews.labels.unlabelled')} text={t('reviews.labels.unlabelled.text')} />
          ) : (
            <WaitingLabels runId={runId} />
          )
        }
      </QueryState>
    </Page>
  );
}

function WaitingLabels({ runId }: { runId: string }) {
  const t = useTranslate();
  const waiting = useApiQuery('reviews.labels.waiting', api.reviews.labels.waiting, { runId });
  return (
    <QueryState read={waiting} problemOf={readableFailure}>
      {(state) =>
        state.labels === 0 ? (
          <EmptyState title={t('reviews.labels.none')} text={t('reviews.labels.none.text')} />
        ) : (
          <Labels key={runId} runId={runId} {...state} />
        )
      }
    </QueryState>
  );
}

type LabelsProps = {
  runId: string;
  waiting: readonly LabelToAudit[];
  audited: number;
  labels: number;
};

function Labels({ runId, waiting, audited, labels }: LabelsProps) {
  const t = useTranslate();
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const accuracy = useApiQuery('reviews.labels.accuracy', api.reviews.labels.accuracy, {
    runId,
    committedSteps: 0,
  });
  const audit = useApiMutation(api.reviews.labels.audit, { invalidates: ['reviews.labels'] });
  const next = waiting.find(({ taskId }) => !done.has(taskId));
  const say = (verdict: LabelVerdict): void => {
    if (next === undefined || audit.isPending) return;
    audit.mutate(
      { runId, taskId: next.taskId, verdict },
      { onSuccess: () => setDone(new Set([...done, next.taskId])) },
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const verdict = LABEL_VERDICTS.find((one) => KEYS[one] === event.key);
    if (verdict === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    say(verdict);
  };
  return (
    // The keys work wherever on the page the focus is; the buttons do the same.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="reviews-labels" onKeyDown={onKeyDown}>
      {next === undefined ? (
        <EmptyState
          title={t('reviews.labels.done')}
          text={t('reviews.labels.progress', { audited, labels })}
        />
      ) : (
        <section className="reviews-label-card" aria-label={t('reviews.labels.question')}>
          <p className="numbers">
            {t('reviews.labels.place', { iteration: next.iteration, audited, labels })}
          </p>
          <h2>{t('reviews.labels.question')}</h2>
          <TextBlock look="prose" text={next.question} />
          <h2>{t('reviews.labels.label')}</h2>
          <TextBlock look="prose" text={next.label} />
          <Group gap={8}>
            {LABEL_VERDICTS.map((verdict) => (
              <Button
                key={verdict}
                variant={verdict === 'right' ? 'filled' : 'default'}
                loading={audit.isPending}
                onClick={() => say(verdict)}
              >
                {t('reviews.labels.button', {
                  verdict: t(`reviews.labels.verdict.${verdict}`),
                  key: KEYS[verdict],
                })}
              </Button>
            ))}
          </Group>
        </section>
      )}
      <QueryState read={accuracy} problemOf={readableFailure}>
        {(rows: readonly LabelAccuracy[]) => <LabelAccuracyTable rows={rows} />}
      </QueryState>
    </div>
  );
}
