import { z } from 'zod';
import { useCommand } from '../../commands/index.ts';
import {
  api,
  notify,
  openNotes,
  readableFailure,
  useApiMutation,
  useApiQuery,
  sampleFacts,
  type SampleState,
} from '../../data/index.ts';
import {
  Button,
  ConfirmButton,
  PresenterButtons,
  Page,
  QueryState,
  useRoomNavigate,
  useRoomSearch,
  EmptyState,
  Group,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { STOPS, useTourProgress, type Stop } from './model.ts';
import { StopFrame, StopList, type StopExhibit } from './stop-frame.tsx';
import { GateStop } from './stops/gate.tsx';
import { LeakStop } from './stops/leak.tsx';
import { PhasesStop } from './stops/reviews.tsx';
import './tour.css';

/** The end of the tour: the air gap, one's own first run, and what becomes of the sample. */
const YoursStop: StopExhibit = ({ onDone, onDelete }) => {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const leave = (path: string, search: Record<string, unknown> = {}): void => {
    onDone();
    navigate(path, {}, search);
  };
  return (
    <Group>
      <Button onClick={() => leave('/settings', { section: 'airgap' })}>{t('tour.yours.airgap')}</Button>
      <Button variant="default" onClick={() => leave('/new')}>
        {t('tour.yours.new')}
      </Button>
      <Button variant="default" onClick={() => leave('/library')}>
        {t('tour.yours.library')}
      </Button>
      <ConfirmButton
        label={t('tour.delete')}
        title={t('tour.delete.title')}
        consequence={t('tour.delete.text')}
        confirm={t('tour.delete.confirm')}
        onConfirm={() => {
          onDone();
          onDelete();
        }}
      />
    </Group>
  );
};

const EXHIBITS: Record<Stop, StopExhibit> = {
  phases: PhasesStop,
  gate: GateStop,
  leak: LeakStop,
  yours: YoursStop,
};
const searchSchema = z.object({ stop: z.enum(STOPS).catch('phases'), present: z.boolean().catch(false) });

/** /tour: how the supervisor looks, on the recorded sample run; each stop has one thing to do. */
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
      title: t('present.leave'),
      keys: 'Escape',
      group,
      run: () => change({ present: false }),
    },
    present,
  );
  useCommand({
    id: 'tour.present',
    title: t('present'),
    keys: 'p',
    group,
    run: () => change({ present: !present }),
  });
  const again = (): void => {
    forget();
    restart.mutate();
    change({ stop: 'phases' });
  };
  const deleteSample = (): void =>
    remove.mutate(undefined, {
      onSuccess: () => {
        forget();
        change({ stop: 'phases' });
        notify(t('tour.deleted'));
      },
    });
  const Exhibit = EXHIBITS[stop];
  const notes = {
    title: t(`tour.${stop}.title`),
    text: t(`tour.${stop}.notes`),
    next: t('present.hint'),
  };
  return (
    <Page
      title={t('tour.title')}
      flush
      actions={
        <>
          <PresenterButtons
            present={present}
            onPresent={(next) => change({ present: next })}
            notes={notes}
            onNotes={() => {
              if (!openNotes()) notify(t('notes.refused'), 'bad');
            }}
          />
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

/** Before the sample is opened: what it is, and that it can be left alone. */
function Intro({
  sample,
  isOpening,
  onOpen,
  onSkip,
}: {
  sample: SampleState;
  isOpening: boolean;
  onOpen: () => void;
  onSkip: () => void;
}) {
  const t = useTranslate();
  const text = t('tour.intro.text', sampleFacts(sample));
  return (
    <EmptyState title={t('tour.intro.title')} text={text}>
      <Button loading={isOpening} onClick={onOpen}>
        {t('tour.intro.open')}
      </Button>
      <Button variant="default" onClick={onSkip}>
        {t('tour.intro.skip')}
      </Button>
    </EmptyState>
  );
}

/** Starts the tour from anywhere; the frame holds it once. */
export function TourCommand() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const forget = useTourProgress((state) => state.forget);
  useCommand({
    id: 'tour.start',
    title: t('tour.start'),
    keys: null,
    group: t('tour.group'),
    run: () => {
      forget();
      navigate('/tour');
    },
  });
  return null;
}
