import { QueryClientProvider } from '@tanstack/react-query';
import {
  RouterProvider,
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Navigate,
  Outlet,
} from '@tanstack/react-router';
import { useEffect, type FunctionComponent, type ComponentType } from 'react';
import { ImportIcon, PlayIcon, RouteIcon } from 'lucide-react';
import {
  queryClient,
  startLive,
  isNotesWindow,
  readableFailure,
  api,
  useApiQuery,
  useApiMutation,
} from '../data/index.ts';
import {
  Button,
  EmptyState,
  Page,
  useRoomNavigate,
  CopyButton,
  type RoomPage,
  QueryState,
  Paper,
  SimpleGrid,
  Text,
  Title,
  Quiet,
} from '../ui/index.ts';
import { useTranslate } from '../i18n/index.ts';
import { PLAY_THE_SAMPLE, SampleFigure } from '../rooms/demo/index.ts';
import { Frame } from './frame.tsx';
import { ROOMS, START_PATH } from './rooms.ts';

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

/** The desktop's second window shows its page alone: it is not connected, so there are no rooms to go to and no state to tell. */
function PageAlone() {
  return (
    <main id="content" className="app-content app-page-alone">
      <Outlet />
    </main>
  );
}

const root = createRootRoute({ component: isNotesWindow ? PageAlone : Frame, notFoundComponent: NotFound });

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

const ONE = { limit: 1 };

/** Where the window begins: at the runs, or, in a lab without any, at the ways to begin. */
export function Start() {
  const read = useApiQuery('runs.list', api.runs.list, ONE);
  return (
    <QueryState read={read} problemOf={readableFailure}>
      {({ rows }) => (rows.length === 0 ? <FirstLaunch /> : <Navigate to={START_PATH as never} replace />)}
    </QueryState>
  );
}

type StartOptionProps = {
  icon: ComponentType<{ size?: number; strokeWidth?: number }>;
  title: string;
  text: string;
  action: string;
  isMain?: boolean;
  isBusy?: boolean;
  onOpen: () => void;
};

/** One way to begin. */
function StartOption({
  icon: Icon,
  title,
  text,
  action,
  isMain = false,
  isBusy = false,
  onOpen,
}: StartOptionProps) {
  return (
    <Paper component="section" withBorder p="lg" className="app-start-option">
      <Icon size={30} strokeWidth={1.5} />
      <Title order={2}>{title}</Title>
      <Quiet>{text}</Quiet>
      <Button variant={isMain ? 'filled' : 'default'} loading={isBusy} onClick={onOpen}>
        {action}
      </Button>
    </Paper>
  );
}

/** What an empty lab shows: the sample run, a fresh demo, the library. */
function FirstLaunch() {
  const t = useTranslate();
  const navigate = useRoomNavigate();
  const demo = useApiMutation(api.demo.start, { invalidates: ['runs'] });
  return (
    <Page title={t('frame.first.title')}>
      <div className="app-first">
        <Text mb="sm">{t('frame.first.text')}</Text>
        <SampleFigure />
        <SimpleGrid cols={3} spacing="lg" mt="md">
          <StartOption
            isMain
            icon={RouteIcon}
            title={t('frame.first.sample')}
            text={t('frame.first.sample.text')}
            action={t('frame.first.sample.go')}
            onOpen={() => navigate('/demo', {}, PLAY_THE_SAMPLE)}
          />
          <StartOption
            icon={PlayIcon}
            title={t('frame.first.demo')}
            text={t('frame.first.demo.text')}
            action={t('frame.first.demo.go')}
            isBusy={demo.isPending}
            onOpen={() => demo.mutate(undefined, { onSuccess: (runs) => navigate('/demo', {}, runs) })}
          />
          <StartOption
            icon={ImportIcon}
            title={t('frame.first.import')}
            text={t('frame.first.import.text')}
            action={t('frame.first.import.go')}
            onOpen={() => navigate('/library')}
          />
        </SimpleGrid>
        <Quiet mt="lg">
          {t('frame.first.new')}{' '}
          <Button variant="subtle" size="compact-sm" onClick={() => navigate('/new')}>
            {t('frame.first.new.go')}
          </Button>
        </Quiet>
      </div>
    </Page>
  );
}
