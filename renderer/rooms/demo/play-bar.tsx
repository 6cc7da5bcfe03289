import { useState } from 'react';
import { api, useApiMutation, useLiveState, type SampleState } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import {
  Banner,
  Button,
  ConfirmButton,
  Group,
  Progress,
  SegmentedControl,
  StatusDot,
  useRoomNavigate,
} from '../../ui/index.ts';
import { ARMS, type Story } from './model.ts';

const SPEEDS = ['10', '60', '240'];
export const SPEED = '60';
const AFTER_A_REPLAY = ['tour', 'runs', 'records', 'contexts', 'evaluations'];

/** Plays the recording from its beginning, whatever was played of it before. */
export function useReplay(): { isPending: boolean; replay: (speed?: string) => void } {
  const restart = useApiMutation(api.tour.restart, { invalidates: AFTER_A_REPLAY });
  const play = useApiMutation(api.tour.play, { invalidates: ['tour'] });
  return {
    isPending: restart.isPending,
    replay: (speed = SPEED) =>
      restart.mutate(undefined, { onSuccess: () => play.mutate({ speed: Number(speed) }) }),
  };
}

/** The recording as it plays: on and off, how fast, to its end, and again from the beginning. */
export function ReplayBar({ sample }: { sample: SampleState }) {
  const t = useTranslate();
  const play = useApiMutation(api.tour.play, { invalidates: ['tour'] });
  const pause = useApiMutation(api.tour.pause, { invalidates: ['tour'] });
  const toEnd = useApiMutation(api.tour.toEnd, { invalidates: AFTER_A_REPLAY });
  const { replay, isPending } = useReplay();
  const [speed, setSpeed] = useState(SPEED);
  const { playing, runs } = sample;
  if (playing === null) return null;
  const isOver = runs.every(({ state }) => state === 'done');
  return (
    <>
      {playing.problem !== null && (
        <Banner tone="bad">{t('tour.problem', { problem: playing.problem })}</Banner>
      )}
      <div className="demo-bar">
        {playing.isPlaying ? (
          <Button size="compact-md" onClick={() => pause.mutate()}>
            {t('demo.pause')}
          </Button>
        ) : isOver ? (
          <Button size="compact-md" loading={isPending} onClick={() => replay(speed)}>
            {t('demo.replay')}
          </Button>
        ) : (
          <Button size="compact-md" onClick={() => play.mutate({ speed: Number(speed) })}>
            {t('demo.play')}
          </Button>
        )}
        <SegmentedControl
          size="xs"
          aria-label={t('demo.speed')}
          value={speed}
          data={SPEEDS.map((value) => ({ value, label: t('demo.speed.value', { speed: value }) }))}
          onChange={(value) => {
            setSpeed(value);
            if (playing.isPlaying) play.mutate({ speed: Number(value) });
          }}
        />
        <Button
          size="compact-md"
          variant="default"
          loading={toEnd.isPending}
          disabled={isOver}
          onClick={() => toEnd.mutate()}
        >
          {t('demo.toEnd')}
        </Button>
        <Steps runs={runs.map(({ id, committedSteps, steps }) => ({ id, committedSteps, steps }))} />
      </div>
    </>
  );
}

/** A demo that trains: how far both runs are, and going on with one that was cut off. */
export function TrainingBar({ story }: { story: Story }) {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const goOn = useApiMutation(api.demo.goOn, { invalidates: ['runs', 'evaluations', 'jobs'] });
  const { alone, supervised, isAsked, isAtWork } = story;
  const job = useLiveState(({ jobs }) =>
    Object.values(jobs).find(({ kind, state }) => kind === 'demo' && state === 'running'),
  );
  return (
    <div className="demo-bar">
      {ARMS.map((arm) => (
        <Button
          key={arm}
          size="compact-md"
          variant="subtle"
          onClick={() => navigate('/runs/$runId', { runId: story[arm].id }, { tab: 'live' })}
        >
          <Group gap={6} wrap="nowrap">
            {t(`demo.${arm}`)} <StatusDot state={story[arm].state} />
          </Group>
        </Button>
      ))}
      <Steps runs={[alone, supervised]} />
      {isAtWork && job !== undefined && job.total > 0 && (
        <span className="numbers">{t('demo.asking', { done: job.done, total: job.total })}</span>
      )}
      {!isAsked && !isAtWork && (
        <Button
          size="compact-md"
          loading={goOn.isPending}
          onClick={() => goOn.mutate({ alone: alone.id, supervised: supervised.id })}
        >
          {t('demo.goOn')}
        </Button>
      )}
    </div>
  );
}

function Steps({ runs }: { runs: readonly { id: string; committedSteps: number; steps: number }[] }) {
  const t = useTranslate();
  const live = useLiveState((state) => state.progress);
  const done = runs.map(({ id, committedSteps }) => Math.max(committedSteps, (live[id]?.step ?? 1) - 1));
  const total = runs.reduce((sum, { steps }) => sum + steps, 0);
  const sum = done.reduce((a, b) => a + b, 0);
  return (
    <span className="demo-steps numbers">
      <Progress value={total === 0 ? 0 : (100 * sum) / total} aria-label={t('demo.progress')} w={120} />
      {t('demo.steps', { alone: done[0] ?? 0, supervised: done[1] ?? 0, steps: runs[0]?.steps ?? 0 })}
    </span>
  );
}

/** Takes the sample's data out of the lab. */
export function DeleteSample({ onDeleted }: { onDeleted: () => void }) {
  const t = useTranslate();
  const remove = useApiMutation(api.tour.remove, { invalidates: AFTER_A_REPLAY });
  return (
    <ConfirmButton
      label={t('tour.delete')}
      title={t('tour.delete.title')}
      consequence={t('tour.delete.text')}
      confirm={t('tour.delete.confirm')}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
    />
  );
}
