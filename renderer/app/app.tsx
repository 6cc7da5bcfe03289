import { QueryClientProvider } from '@tanstack/react-query';
import {
  RouterProvider,
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { useEffect, type FunctionComponent } from 'react';
import { queryClient, startLive, readableFailure } from '../data/index.ts';
import { Button, EmptyState, Page, useRoomNavigate, CopyButton, type RoomPage } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { Frame } from './frame.tsx';
import { ROOMS, START_PATH } from './rooms.ts';
import { Start } from './start.tsx';

function NotFound() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  return (
    <Page title={t('common.page.notFound')}>
      <EmptyState title={t('common.page.notFound.do')} text={t('common.page.notFoundText')}>
        <Button onClick={() => navigate(START_PATH)}>{t('frame.go', { room: t('runs.rail') })}</Button>
      </EmptyState>
    </Page>
  );
}

/** A room that crashed: the rest of the window goes on, and the runs are in another process anyway. */
function RoomFailure({ error, reset }: ErrorComponentProps) {
  const t = useTranslate();
  return (
    <Page title={t('common.crash.title')}>
      <EmptyState title={readableFailure(error).sentence} text={t('common.crash.text')}>
        <Button onClick={reset}>{t('common.retry')}</Button>
        <CopyButton text={readableFailure(error).details} label={t('common.copyDetails')} />
      </EmptyState>
    </Page>
  );
}

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

/** A page with its name as the window's title, which screen readers announce first and tabs show. */
function titled({ title, component: Component }: RoomPage): FunctionComponent {
  return function TitledPage() {
    const t = useTranslate();
    return (
      <>
        <title>{t('frame.title', { page: t(title) })}</title>
        <Component />
      </>
    );
  };
}

const pages = ROOMS.flatMap((room) => room.pages).map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: page.path,
    component: titled(page),
    errorComponent: RoomFailure,
  }),
);

/** Addresses live behind the `#`, so that the same bundle works from a file scheme and from a host. */
const router = createRouter({
  routeTree: root.addChildren([start, ...pages]),
  history: createHashHistory(),
  defaultPreload: false,
});

/** The window once it is signed in: its live events, its reads and its rooms. */
export function App() {
  useEffect(startLive, []);
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
