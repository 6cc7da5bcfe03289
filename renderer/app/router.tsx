import { createHashHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { Button, EmptyState, Page, useRoomNavigate, type RoomPage } from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { Frame } from './frame/frame.tsx';
import { RoomFailure } from './room-failure.tsx';
import { ROOMS, START_PATH } from './rooms.ts';
import { Start } from './entry/start.tsx';

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

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

/** A page with its name as the window's title, which screen readers tell first and tabs show. */
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
export const router = createRouter({
  routeTree: root.addChildren([start, ...pages]),
  history: createHashHistory(),
  defaultPreload: false,
});
