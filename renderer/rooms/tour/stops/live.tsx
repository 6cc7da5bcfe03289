import { useEffect, useState } from 'react';
import type { SequencedEvent } from '../../../../electron/contract/index.ts';
import { api, useApiMutation, useLiveEvents } from '../../../data/index.ts';
import { Button, Group, Progress, SegmentedControl, Stack, Text, Quiet } from '../../../ui/index.ts';
import { useTranslate, type Translate } from '../../../i18n/index.ts';
import { ALONE, SUPERVISED, type SampleState } from '../model.ts';
import type { StopExhibit } from '../stop-frame.tsx';

const SPEEDS = ['1', '10', '60'];
const SHOWN_EVENTS = 9;
const ENOUGH_STEPS = 3;

/** The replay itself: play, pause, and what comes in. */
export const LiveStop: StopExhibit = ({ sample, onDone }) => {
  const t = useTranslate();
  const play = useApiMutation(api.tour.play, { invalidates: ['tour'] });
  const pause = useApiMutation(api.tour.pause, { invalidates: ['tour'] });
  const toEnd = useApiMutation(api.tour.toEnd, {
    invalidates: ['tour', 'runs', 'records', 'contexts', 'evaluations'],
  });
  const [speed, setSpeed] = useState('60');
  const { lines, steps, atMs } = useReplayFeed(sample);
  const playing = sample.playing;
  const stepsStored = Math.max(
    ...sample.runs.map(({ committedSteps }) => committedSteps),
    ...Object.values(steps),
  );
  useEffect(() => {
    if (stepsStored >= ENOUGH_STEPS) onDone();
  }, [stepsStored, onDone]);
  if (playing === null) return null;
  const isOver = sample.runs.every(({ state }) => state === 'done');
  return (
    <Stack gap="sm">
      <Group>
        {playing.isPlaying ? (
          <Button onClick={() => pause.mutate()}>{t('tour.live.pause')}</Button>
        ) : (
          <Button disabled={isOver} onClick={() => play.mutate({ speed: Number(speed) })}>
            {t('tour.live.play', { speed })}
          </Button>
        )}
        <SegmentedControl
          aria-label={t('tour.live.speed')}
          value={speed}
          data={SPEEDS.map((value) => ({ value, label: t('tour.live.speed.value', { speed: value }) }))}
          onChange={(value) => {
            setSpeed(value);
            if (playing.isPlaying) play.mutate({ speed: Number(value) });
          }}
        />
        <Button variant="default" loading={toEnd.isPending} disabled={isOver} onClick={() => toEnd.mutate()}>
          {t('tour.live.end')}
        </Button>
      </Group>
      <Progress
        value={isOver ? 100 : (100 * Math.max(atMs, playing.atMs)) / playing.lengthMs}
        aria-label={t('tour.live.place')}
      />
      <Group gap="xl">
        {sample.runs.map(({ id, committedSteps, steps: total }) => (
          <Text key={id} size="sm" className="numbers">
            {t('tour.live.steps', {
              name: nameOf(t, id),
              done: Math.max(committedSteps, steps[id] ?? 0),
              steps: total,
            })}
          </Text>
        ))}
      </Group>
      <div className="tour-feed" role="log" aria-label={t('tour.live.feed')} aria-live="off">
        {lines.length === 0 ? (
          <Quiet>{t('tour.live.feed.empty')}</Quiet>
        ) : (
          lines.map(({ key, runId, text }) => (
            <div key={key}>
              <span className="tour-run" data-run={runId}>
                {nameOf(t, runId)}
              </span>{' '}
              {text}
            </div>
          ))
        )}
      </div>
    </Stack>
  );
};

const nameOf = (t: Translate, runId: string): string =>
  t(runId === SUPERVISED ? 'tour.run.supervised' : 'tour.run.alone');

type FeedLine = { key: number; runId: string; text: string };

/** The newest events of the sample's runs, their last stored steps, and where the replay is. */
function useReplayFeed(sample: SampleState): {
  lines: FeedLine[];
  steps: Record<string, number>;
  atMs: number;
} {
  const t = useTranslate();
  const [lines, setLines] = useState<FeedLine[]>([]);
  const [steps, setSteps] = useState<Record<string, number>>({});
  useLiveEvents((events) => {
    const mine = events.filter(
      ({ event }) => 'runId' in event && (event.runId === SUPERVISED || event.runId === ALONE),
    );
    if (mine.length === 0) return;
    const stored = mine.flatMap(({ event }) =>
      event.kind === 'step' ? [[event.runId, event.step] as const] : [],
    );
    if (stored.length > 0) setSteps((before) => ({ ...before, ...Object.fromEntries(stored) }));
    const fresh = mine.flatMap((event) => lineOf(t, event));
    if (fresh.length > 0) setLines((before) => [...fresh.toReversed(), ...before].slice(0, SHOWN_EVENTS));
  });
  // Between two reads of the state, the share of stored steps is the best there is.
  const all = sample.runs.reduce((sum, run) => sum + run.steps, 0);
  const reached = sample.runs.reduce((sum, run) => sum + Math.max(run.committedSteps, steps[run.id] ?? 0), 0);
  return { lines, steps, atMs: all === 0 ? 0 : (reached / all) * (sample.playing?.lengthMs ?? 0) };
}

function lineOf(t: Translate, { seq, event }: SequencedEvent): FeedLine[] {
  switch (event.kind) {
    case 'record':
      return [
        {
          key: seq,
          runId: event.runId,
          text: t('tour.live.feed.record', { id: event.record.id, verdict: event.record.verdict.outcome }),
        },
      ];
    case 'review':
      return [
        {
          key: seq,
          runId: event.runId,
          text: t('tour.live.feed.review', {
            id: event.review.id,
            decision: t(`tour.decision.${event.review.decision ?? 'none'}`),
          }),
        },
      ];
    case 'step':
      return [{ key: seq, runId: event.runId, text: t('tour.live.feed.step', { step: event.step }) }];
    default:
      return [];
  }
}
