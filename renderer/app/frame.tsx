import { Outlet, Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { EngineState } from '../../electron/contract/index.ts';
import { useCommands, useKeys } from '../commands/index.ts';
import { ApplyPreferences } from '../rooms/settings/index.ts';
import { TourCommand } from '../rooms/tour/index.ts';
import { useTranslate } from '../i18n/index.ts';
import {
  api,
  bridge,
  notify,
  readableFailure,
  useFailedReads,
  useSideQuery,
  useLiveState,
  useConnectionStatus,
  useNotices,
  type Notice,
} from '../data/index.ts';
import { Banner, Button, Alert, PartBanner, SavedFrom } from '../ui/index.ts';
import { DamageBanners } from './damage-banners.tsx';
import { FrameCommands, Palette } from './frame-commands.tsx';
import { StatusStrip } from './status-strip.tsx';
import { RAIL } from './rooms.ts';

/** The window: rooms at the left, the room in the middle, the state of the lab below. */
export function Frame() {
  const t = useTranslate();
  useKeys();
  const lab = useSideQuery('runs.status', api.lab.status, undefined).data?.lab;
  return (
    <div className="app-frame">
      <a
        className="app-skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
      >
        {t('frame.skip')}
      </a>
      <ApplyPreferences />
      <FrameCommands />
      <TourCommand />
      <Rail />
      <main id="content" className="app-content" tabIndex={-1}>
        <ShellLink>
          <ConnectionBanner />
        </ShellLink>
        <DamageBanners />
        <UnreadParts />
        <SavedFrom name={lab}>
          <Outlet />
        </SavedFrom>
      </main>
      <Notices />
      <StatusStrip />
      <Palette />
    </div>
  );
}

const RAIL_IN_ORDER = RAIL.toSorted((a, b) => a.order - b.order);

/** The rooms, at the left. */
function Rail() {
  const t = useTranslate();
  return (
    <nav className="app-rail" aria-label={t('frame.rooms')}>
      {RAIL_IN_ORDER.map(({ id, title, icon: Icon, path }) => (
        <Link
          key={id}
          to={path as never}
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ exact: false, includeSearch: false }}
        >
          <Icon size={22} strokeWidth={1.6} />
          <span>{t(title)}</span>
        </Link>
      ))}
    </nav>
  );
}

/** Says that the engine is away or lets this window in no more, and that another engine took its place. */
function ConnectionBanner() {
  const t = useTranslate();
  const status = useConnectionStatus();
  const restarts = useLiveState((state) => state.restarts);
  useEffect(() => {
    if (restarts > 0) notify(t('frame.engine.restarted'), 'plain');
  }, [restarts, t]);
  if (status === 'lost') return <Banner tone="warn">{t('common.lost')}</Banner>;
  if (status !== 'out') return null;
  return (
    <Banner
      tone="bad"
      action={
        <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
          {t('frame.signIn')}
        </Button>
      }
    >
      {t('frame.signedOut.banner')}
    </Banner>
  );
}

/** Says what of the page could not be read where the page has no room for it; while the engine is away, that is the reason and told above. */
export function UnreadParts() {
  const status = useConnectionStatus();
  const reads = useFailedReads();
  return status === 'lost' || status === 'out' ? null : (
    <PartBanner reads={reads} problemOf={readableFailure} />
  );
}

const GOOD_MS = 5000; // good news leaves by itself; a failure stays until it was read

const COLORS = { good: 'teal.9', bad: 'red.9', plain: 'gray' } as const; // dark enough for white text in both themes

/** Short messages above the footer, where they cover nothing. */
function Notices() {
  const notices = useNotices((state) => state.notices);
  const leave = useNotices((state) => state.leave);
  const { pathname } = useLocation();
  // What failed on a page is of no use on the next one.
  const place = useRef(pathname);
  useEffect(() => {
    if (place.current === pathname) return;
    place.current = pathname;
    leave();
  }, [pathname, leave]);
  return (
    <div className="app-notices" aria-live="polite">
      {notices.map((notice) => (
        <OneNotice key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function OneNotice({ notice }: { notice: Notice }) {
  const t = useTranslate();
  const close = useNotices((state) => state.close);
  useEffect(() => {
    if (notice.tone === 'bad') return;
    const timer = window.setTimeout(() => close(notice.id), GOOD_MS);
    return () => window.clearTimeout(timer);
  }, [notice, close]);
  return (
    <Alert
      color={COLORS[notice.tone]}
      variant="filled"
      withCloseButton
      closeButtonLabel={t('common.close')}
      onClose={() => close(notice.id)}
      role={notice.tone === 'bad' ? 'alert' : 'status'}
    >
      {notice.text}
    </Alert>
  );
}

const SETTLE_MS = 100; // a page that opens adds its commands one by one

// Once per window, outside of any component: what the menu says would be done as often as it was listened for.
bridge?.onCommand((id) =>
  useCommands
    .getState()
    .commands.findLast((command) => command.id === id)
    ?.run(),
);

/**
 * Keeps the desktop's menu as the window is: its commands, run by choosing them. `children` say how the connection stands; where
 * the shell knows more of it, it says that instead. In a browser tab there are only the children.
 */
export function ShellLink({ children }: { children: ReactNode }) {
  const commands = useCommands((state) => state.commands);
  useEffect(() => {
    if (bridge === null) return;
    const timer = window.setTimeout(
      () => bridge?.offerCommands(commands.map(({ id, title, keys, group }) => ({ id, title, keys, group }))),
      SETTLE_MS,
    );
    return () => window.clearTimeout(timer);
  }, [commands]);
  return bridge === null ? children : <EngineBanner>{children}</EngineBanner>;
}

/** What the shell knows of the engine's process and the page cannot: that it died, is started again, or cannot be started. */
function EngineBanner({ children }: { children: ReactNode }) {
  const t = useTranslate();
  const [engine, setEngine] = useState<EngineState | null>(null);
  const [closed, setClosed] = useState<string | null>(null);
  useEffect(() => bridge?.onEngineState(setEngine), []);
  if (engine?.sentence == null || engine.sentence === closed) return children;
  const { state, sentence } = engine;
  if (state === 'failed')
    return (
      <Banner
        tone="bad"
        action={
          <Button size="compact-sm" variant="default" onClick={() => bridge?.restartEngine()}>
            {t('common.retry')}
          </Button>
        }
      >
        {sentence}
      </Banner>
    );
  if (state === 'restarting') return <Banner tone="warn">{sentence}</Banner>;
  return (
    <>
      <Banner
        tone="warn"
        action={
          <Button size="compact-sm" variant="default" onClick={() => setClosed(sentence)}>
            {t('common.close')}
          </Button>
        }
      >
        {sentence}
      </Banner>
      {children}
    </>
  );
}
