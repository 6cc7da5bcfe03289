import { useState } from 'react';
import type { Audit } from '../../../../electron/contract/index.ts';
import { api, useApiMutation, useLiveState, useSideQuery } from '../../../data/index.ts';
import {
  Button,
  Group,
  ModelSelect,
  NumberInput,
  Progress,
  Text,
  Title,
  Quiet,
  useRoomNavigate,
} from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';

/** A model that marks the sampled reviews too: choosing it, watching it, and whether it can judge at all. */
export function JudgePanel({ audit: { head, labels } }: { audit: Audit }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [model, setModel] = useState(head.judge?.path ?? '');
  const [threads, setThreads] = useState(1);
  const models = useSideQuery('library.models', api.library.models, undefined);
  const start = useApiMutation(api.reviews.audits.judge, { invalidates: ['reviews.audits'] });
  const stop = useApiMutation(api.jobs.cancel);
  const job = useLiveState(({ jobs }) =>
    Object.values(jobs).find(
      ({ kind, state, title }) => kind === 'judge' && state === 'running' && title.includes(head.id),
    ),
  );
  const failed = labels.filter(({ judge }) => judge?.state === 'failed').length;
  return (
    <section className="reviews-panel" style={{ marginTop: 16 }}>
      <Title order={2} mb="xs">
        {t('reviews.judge.title')}
      </Title>
      <Text size="sm" mb="sm">
        {t('reviews.judge.text')}
      </Text>
      {head.judge !== null && (
        <Text size="sm" mb="sm" c={head.judge.fit ? undefined : 'var(--warn)'}>
          {t(head.judge.fit ? 'reviews.judge.fit' : 'reviews.judge.unfit', {
            model: head.judge.model,
            right: head.judge.probe.right,
            asked: head.judge.probe.asked,
          })}
          {head.judge.embedded && !head.judge.fit ? ` ${t('reviews.judge.embedded')}` : ''}
        </Text>
      )}
      {failed > 0 && (
        <Text size="sm" mb="sm">
          {t('reviews.judge.failed', { n: failed })}
        </Text>
      )}
      {job === undefined ? (
        <>
          <Group align="flex-start" wrap="nowrap">
            <div style={{ flex: 1, minWidth: 0 }}>
              <ModelSelect
                label={t('reviews.judge.model')}
                models={(models.data ?? []).filter(({ format }) => format === 'gguf')}
                value={model}
                none={t('reviews.judge.choose')}
                onChange={setModel}
                onLibrary={() => navigate('/library/import')}
              />
            </div>
            <NumberInput
              w={90}
              label={t('reviews.judge.threads')}
              min={1}
              max={256}
              value={threads}
              onChange={(value) => setThreads(typeof value === 'number' ? value : 1)}
            />
          </Group>
          {head.judge !== null && (
            <Quiet size="xs" mt={4}>
              {t('reviews.judge.other')}
            </Quiet>
          )}
          <Button
            mt="sm"
            variant="default"
            disabled={model === ''}
            loading={start.isPending}
            onClick={() => start.mutate({ auditId: head.id, model, threads })}
          >
            {t('reviews.judge.start')}
          </Button>
        </>
      ) : (
        <>
          <Progress value={job.total === 0 ? 0 : (job.done / job.total) * 100} aria-label={job.title} />
          <Group justify="space-between" mt="xs">
            <Text size="sm" className="numbers">
              {t('reviews.judge.running', { done: job.done, total: job.total })}
            </Text>
            <Button size="xs" variant="default" onClick={() => stop.mutate({ id: job.id })}>
              {t('reviews.judge.stop')}
            </Button>
          </Group>
        </>
      )}
    </section>
  );
}
