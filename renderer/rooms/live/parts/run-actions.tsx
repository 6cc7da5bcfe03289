import type { RunRecord } from '../../../../electron/contract/index.ts';
import { useCommand } from '../../../commands/index.ts';
import { api, notify, useApiMutation } from '../../../data/index.ts';
import { Button, bytesText, ConfirmButton, durationText, Tooltip } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { isAtWork } from '../model/banners.ts';

type RunActionsProps = {
  run: RunRecord;
  /** Seconds the present step has taken so far; null when unknown. */ spentSeconds: number | null;
  onFeedTop: () => void;
};

const CAN_RESUME: readonly RunRecord['state'][] = ['paused', 'interrupted', 'failed'];
const AGAIN = ['runs', 'live.redo'];

/** What a person can do to the run now; each is in the palette and has a key. */
export function RunActions({ run, spentSeconds, onFeedTop }: RunActionsProps) {
  const t = useTranslate();
  const runId = run.id;
  const pause = useApiMutation(api.runs.pause, { invalidates: AGAIN });
  const stop = useApiMutation(api.runs.stop, { invalidates: AGAIN });
  const resume = useApiMutation(api.runs.resume, { invalidates: AGAIN });
  const keep = useApiMutation(api.live.keepCheckpoint, {
    invalidates: ['runs.checkpoints', 'live.keptCheckpoints'],
  });
  const keepNow = (): void =>
    keep.mutate(
      { runId },
      {
        onSuccess: ({ step, bytes, folder }) =>
          notify(t('live.kept', { step, bytes: bytesText(bytes), folder })),
      },
    );
  const canPause = run.state === 'stepping' || run.state === 'setting-up';
  const canResume = CAN_RESUME.includes(run.state);
  const canKeep = run.committedSteps > 0 && run.state !== 'done';
  const group = t('live.command.group');
  useCommand(
    { id: 'live.pause', title: t('live.pause'), keys: 'Shift+P', group, run: () => pause.mutate({ runId }) },
    canPause,
  );
  useCommand(
    {
      id: 'live.resume',
      title: t('live.resume'),
      keys: 'Shift+R',
      group,
      run: () => resume.mutate({ runId }),
    },
    canResume,
  );
  useCommand({ id: 'live.keep', title: t('live.keep'), keys: 'Shift+K', group, run: keepNow }, canKeep);
  useCommand({ id: 'live.feed', title: t('live.command.feed'), keys: 'n', group, run: onFeedTop });
  return (
    <>
      {canKeep && (
        <Tooltip label={t('live.keep.title')} multiline w={280} withArrow>
          <Button variant="default" size="xs" onClick={keepNow} loading={keep.isPending}>
            {t('live.keep')}
          </Button>
        </Tooltip>
      )}
      {(isAtWork(run.state) || run.state === 'queued') && (
        <ConfirmButton
          size="xs"
          label={t(run.state === 'queued' ? 'live.unqueue' : 'live.stop')}
          title={t('live.stop.title', { name: run.config.name })}
          consequence={
            run.state === 'queued'
              ? t('live.unqueue.text')
              : t('live.stop.text', {
                  step: Math.min(run.config.steps, run.committedSteps + 1),
                  stored: run.committedSteps,
                  spent: spentSeconds === null ? 'none' : durationText(spentSeconds),
                })
          }
          confirm={t(run.state === 'queued' ? 'live.unqueue' : 'live.stop')}
          onConfirm={() => stop.mutate({ runId })}
        />
      )}
      {isAtWork(run.state) && (
        <Button size="xs" disabled={!canPause} onClick={() => pause.mutate({ runId })}>
          {t(run.state === 'pausing' ? 'live.pausing' : 'live.pause')}
        </Button>
      )}
      {canResume && (
        <Button size="xs" onClick={() => resume.mutate({ runId })} loading={resume.isPending}>
          {t('live.resume')}
        </Button>
      )}
    </>
  );
}
