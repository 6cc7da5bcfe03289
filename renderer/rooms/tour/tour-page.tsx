import { z } from 'zod';
import { useCommand } from '../../commands/index.ts';
import { api, notify, readableFailure, useApiMutation, useApiQuery } from '../../data/index.ts';
import { Button, ConfirmButton, Page, QueryState, useRoomNavigate, useRoomSearch } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { STOPS, type Stop } from './model.ts';
import { Intro } from './parts/intro.tsx';
import { StopFrame } from './parts/stop-frame.tsx';
import { StopList } from './parts/stop-list.tsx';
import { useTourProgress } from './progress.ts';
import { BaselineStop } from './stops/baseline.tsx';
import { DiffStop } from './stops/diff.tsx';
import { GateStop } from './stops/gate.tsx';
import { LeakStop } from './stops/leak.tsx';
import { LineageStop } from './stops/lineage.tsx';
import { LiveStop } from './stops/live.tsx';
import { PhasesStop } from './stops/phases.tsx';
import type { StopExhibit } from './stops/stop.ts';
import { VerdictStop } from './stops/verdict.tsx';
import { YoursStop } from './stops/yours.tsx';
import './tour.css';

const EXHIBITS: Record<Stop, StopExhibit> = {
  live: LiveStop,
  phases: PhasesStop,
  gate: GateStop,
  verdict: VerdictStop,
  leak: LeakStop,
  lineage: LineageStop,
  diff: DiffStop,
  baseline: BaselineStop,
  yours: YoursStop,
};
const searchSchema = z.object({ stop: z.enum(STOPS).catch('live'), present: z.boolean().catch(false) });

/** /tour: nine stops on the recorded sample run, each with one thing to do. */
export function TourPage() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const [{ stop, present }, change] = useRoomSearch(searchSchema);
  const { done, finish, forget } = useTourProgress();
  const state = useApiQuery('tour.state', api.tour.state, undefined);
  const open = useApiMutation(api.tour.open, { invalidates: ['tour'] });
  const restart = useApiMutation(api.tour.restart, {
    invalidates: ['tour', 'runs', 'records', 'contexts', 'evaluations'],
  });
  const toEnd = useApiMutation(api.tour.toEnd, {
    invalidates: ['tour', 'runs', 'records', 'contexts', 'evaluations'],
  });
  const remove = useApiMutation(api.tour.remove, { invalidates: ['tour'] });
  const place = STOPS.indexOf(stop);
  const goTo = (to: number): void => {
    const next = STOPS[to];
    if (next !== undefined) change({ stop: next });
  };
  const group = t('tour.group');
  useCommand(
    { id: 'tour.next', title: t('tour.next'), keys: 'ArrowRight', group, run: () => goTo(place + 1) },
    present,
  );
  useCommand(
    { id: 'tour.back', title: t('tour.back'), keys: 'ArrowLeft', group, run: () => goTo(place - 1) },
    present,
  );
  useCommand(
    {
      id: 'tour.leave',
      title: t('tour.present.leave'),
      keys: 'Escape',
      group,
      run: () => change({ present: false }),
    },
    present,
  );
  useCommand({
    id: 'tour.present',
    title: t('tour.present'),
    keys: 'p',
    group,
    run: () => change({ present: !present }),
  });
  const again = (): void => {
    forget();
    restart.mutate();
    change({ stop: 'live' });
  };
  const deleteSample = (): void =>
    remove.mutate(undefined, {
      onSuccess: () => {
        forget();
        change({ stop: 'live' });
        notify(t('tour.deleted'));
      },
    });
  const Exhibit = EXHIBITS[stop];
  return (
    <Page
      title={t('tour.title')}
      flush
      actions={
        <>
          <Button variant="default" onClick={() => change({ present: !present })} aria-pressed={present}>
            {t(present ? 'tour.present.leave' : 'tour.present')}
          </Button>
          <Button variant="default" onClick={again} disabled={state.data?.playing == null}>
            {t('tour.again')}
          </Button>
          <ConfirmButton
            label={t('tour.delete')}
            title={t('tour.delete.title')}
            consequence={t('tour.delete.text')}
            confirm={t('tour.delete.confirm')}
            onConfirm={deleteSample}
            disabled={state.data?.playing == null}
          />
        </>
      }
    >
      <QueryState read={state} problemOf={readableFailure}>
        {(sample) =>
          sample.playing === null ? (
            <Intro
              sample={sample}
              isOpening={open.isPending}
              onOpen={() => open.mutate()}
              onSkip={() => navigate('/runs')}
            />
          ) : (
            <div className="tour-split" data-present={present}>
              <StopList stop={stop} done={done} onGo={(to) => change({ stop: to })} />
              <StopFrame
                stop={stop}
                isDone={done.has(stop)}
                present={present}
                sample={sample}
                onGo={goTo}
                isJumping={toEnd.isPending}
                onJump={() => toEnd.mutate()}
                onRoom={(path, parameters, search) => navigate(path, parameters, search)}
              >
                <Exhibit key={stop} sample={sample} onDone={() => finish(stop)} onDelete={deleteSample} />
              </StopFrame>
            </div>
          )
        }
      </QueryState>
    </Page>
  );
}
