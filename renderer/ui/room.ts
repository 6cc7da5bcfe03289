import type { ComponentType, FunctionComponent } from 'react';
import { useCallback, useMemo } from 'react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { z } from 'zod';
import type { MessageId } from '../i18n/index.ts';

/** One address of a room; `$name` parts are parameters. */
export type RoomPage = { path: string; title: MessageId; component: FunctionComponent };

/** A room of the window: its pages and, when it has one, its place in the rail at the left. */
export type Room = {
  id: string;
  pages: readonly RoomPage[];
  rail: {
    title: MessageId;
    icon: ComponentType<{ size?: number; stroke?: number }>;
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

/** Goes to another page: `go('/runs/$runId', { runId }, { tab: 'live' })`. */
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
