import { useCallback, useMemo, type ComponentType, type FunctionComponent, type ReactNode } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { z } from 'zod';
import { useTranslate, visibleString, type MessageId } from '../i18n/index.ts';
import { Title } from './mantine.ts';
import { SavedFrom } from './saving.tsx';

type PageProps = {
  title: string;
  /** Beside the title: state, counts. */
  aside?: ReactNode;
  /** At the right: the screen's one primary action and what else acts on the whole page. */
  actions?: ReactNode;
  /** The run that the page is of; stands in the names of what is saved from it. */
  origin?: string | undefined;
  /** True where the content fills the page and scrolls by itself. */
  flush?: boolean;
  children: ReactNode;
};

/** What every screen is set in: a head with the title and its action, and the content. */
export function Page({ title, aside, actions, origin, flush = false, children }: PageProps) {
  return (
    <SavedFrom name={origin}>
      <section className="ui-page">
        <header className="ui-page-head">
          <Title order={1}>{visibleString(title)}</Title>
          {aside}
          <span className="ui-spring" />
          {actions}
        </header>
        <div className="ui-page-body" data-flush={flush}>
          {children}
        </div>
      </section>
    </SavedFrom>
  );
}

const TABS = [
  { id: 'live', path: '/runs/$runId', search: { tab: 'live' } },
  { id: 'records', path: '/runs/$runId/records', search: {} },
  { id: 'tasks', path: '/runs/$runId', search: { tab: 'tasks' } },
  { id: 'context', path: '/runs/$runId/context', search: {} },
  { id: 'overview', path: '/runs/$runId', search: { tab: 'overview' } },
] as const;

type RunTab = (typeof TABS)[number]['id'];

/** The rooms of one run, as links; `active` is the one that is shown. */
export function RunTabs({ runId, active }: { runId: string; active: RunTab }) {
  const t = useTranslate();
  return (
    <nav className="ui-tabs" aria-label={t('run.tabs')}>
      {TABS.map(({ id, path, search }) => (
        <Link
          key={id}
          to={path as never}
          params={{ runId } as never}
          search={search as never}
          aria-current={id === active ? 'page' : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {t(`run.tab.${id}`)}
        </Link>
      ))}
    </nav>
  );
}

/** One address of a room; `$name` parts are parameters. */
export type RoomPage = { path: string; title: MessageId; component: FunctionComponent };

/** A room of the window: its pages and, when it has one, its place in the rail at the left. */
export type Room = {
  id: string;
  pages: readonly RoomPage[];
  rail: {
    title: MessageId;
    icon: ComponentType<{ size?: number; strokeWidth?: number }>;
    order: number;
    /** Second key after g. */ goKey: string;
    path: string;
  } | null;
};

/** The page's search parameters, checked by `schema` (give each key a `.catch` so that a wrong link still opens), and how to change some of them. */
export function useRoomSearch<S extends z.ZodType<Record<string, unknown>>>(
  schema: S,
): [z.output<S>, (change: Partial<z.input<S>>, how?: { replace?: boolean }) => void] {
  const raw = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const search = useMemo(() => schema.parse(raw), [schema, raw]);
  const change = useCallback(
    (part: Partial<z.input<S>>, { replace = true } = {}) => {
      void navigate({
        to: '.',
        replace,
        search: (before: Record<string, unknown>) =>
          Object.fromEntries(
            Object.entries({ ...before, ...part }).filter(([, value]) => value !== undefined),
          ),
      } as never);
    },
    [navigate],
  );
  return [search, change];
}

/** A parameter of the page's path. */
export function useRoomParameter(name: string): string {
  return (useParams({ strict: false }) as Record<string, string>)[name] ?? '';
}

/** Goes to another page: `navigate('/runs/$runId', { runId }, { tab: 'live' })`. */
export function useRoomNavigate(): (
  to: string,
  parameters?: Record<string, string>,
  search?: Record<string, unknown>,
) => void {
  const navigate = useNavigate();
  return useCallback(
    (to, parameters = {}, search = {}) => void navigate({ to, params: parameters, search } as never),
    [navigate],
  );
}
