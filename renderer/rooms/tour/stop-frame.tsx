import type { SampleState } from '../../data/index.ts';
import type { ReactNode, FunctionComponent } from 'react';
import {
  Banner,
  Button,
  EmptyState,
  Group,
  Stack,
  Text,
  Title,
  VisuallyHidden,
  Quiet,
} from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { STOPS, SUPERVISED, useTourProgress, type Stop } from './model.ts';

type Go = (path: string, parameters: Record<string, string>, search: Record<string, unknown>) => void;

/** Where the thing of a stop lives for good; a stop that shows one of many there says which. */
const ROOMS: Partial<Record<Stop, { path: string; search?: Record<string, unknown> }>> = {
  phases: { path: '/runs/$runId/records' },
  gate: { path: '/runs/$runId/records' },
  leak: { path: '/runs/$runId/records' },
  yours: { path: '/settings', search: { section: 'airgap' } },
};

type StopFrameProps = {
  stop: Stop;
  isDone: boolean;
  sample: SampleState;
  children: ReactNode;
  onGo: (place: number) => void;
  isJumping: boolean;
  onJump: () => void;
  onRoom: Go;
};

/** Title, lead, the exhibit, what to do, and the way on. */
export function StopFrame({
  stop,
  isDone,
  sample,
  children,
  onGo,
  isJumping,
  onJump,
  onRoom,
}: StopFrameProps) {
  const t = useTranslate();
  const place = STOPS.indexOf(stop);
  const room = ROOMS[stop];
  const shown = useTourProgress((state) => state.shown[stop]);
  const isBehind = stop !== 'yours' && sample.runs.some(({ state }) => state !== 'done');
  const problem = sample.playing?.problem ?? null;
  return (
    <article className="tour-stop" aria-label={t('tour.stop', { n: place + 1, total: STOPS.length })}>
      {problem !== null && <Banner tone="bad">{t('tour.problem', { problem })}</Banner>}
      <Stack gap="sm" className="tour-stop-body">
        <Quiet>{t('tour.stop', { n: place + 1, total: STOPS.length })}</Quiet>
        <Title order={2} className="tour-title">
          {t(`tour.${stop}.title`)}
        </Title>
        <Text className="tour-lead">{t(`tour.${stop}.lead`)}</Text>
        <p className="tour-turn" data-done={isDone} role="status">
          {t(isDone ? 'tour.turn.done' : 'tour.turn', { action: t(`tour.${stop}.action`) })}
        </p>
        {isBehind ? (
          <EmptyState title={t('tour.behind.title')} text={t('tour.behind.text')}>
            <Button loading={isJumping} onClick={onJump}>
              {t('tour.behind.jump')}
            </Button>
          </EmptyState>
        ) : (
          <div>{children}</div>
        )}
      </Stack>
      <Group className="tour-foot" justify="space-between">
        <Button variant="default" disabled={place === 0} onClick={() => onGo(place - 1)}>
          {t('tour.back')}
        </Button>
        {room !== undefined && (
          <Button
            variant="subtle"
            onClick={() =>
              onRoom(
                room.path,
                room.path.includes('$') ? { runId: SUPERVISED } : {},
                shown ?? room.search ?? {},
              )
            }
          >
            {t('tour.open.room')}
          </Button>
        )}
        <Button
          variant={isDone ? 'filled' : 'default'}
          disabled={place === STOPS.length - 1}
          onClick={() => onGo(place + 1)}
        >
          {t(isDone ? 'tour.next' : 'tour.skip')}
        </Button>
      </Group>
    </article>
  );
}

/** The stops; done ones carry a mark. */
export function StopList({
  stop,
  done,
  onGo,
}: {
  stop: Stop;
  done: ReadonlySet<Stop>;
  onGo: (stop: Stop) => void;
}) {
  const t = useTranslate();
  return (
    <nav className="tour-list" aria-label={t('tour.stops')}>
      <ol>
        {STOPS.map((each, index) => {
          const title = t(`tour.${each}.title`);
          return (
            <li key={each}>
              <button
                type="button"
                aria-current={each === stop ? 'step' : undefined}
                onClick={() => onGo(each)}
              >
                <span className="tour-number" data-done={done.has(each)} aria-hidden>
                  {done.has(each) ? '✓' : index + 1}
                </span>
                <span>{title}</span>
                {done.has(each) && <VisuallyHidden>{t('tour.stop.done')}</VisuallyHidden>}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** One of the panes of an exhibit; it scrolls by itself, so the keyboard has to reach it. */
export function Pane({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section aria-label={label} tabIndex={0} className="tour-pane">
      {children}
    </section>
  );
}

/** What a stop shows; it calls `onDone` when the person has done what the stop asks for. */
export type StopExhibit = FunctionComponent<{
  sample: SampleState;
  onDone: () => void;
  onDelete: () => void;
}>;
