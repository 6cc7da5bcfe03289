import {
  keepPreviousData,
  QueryClient,
  useMutation,
  useQuery,
  useInfiniteQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useId } from 'react';
import { create } from 'zustand';
import { TRPCClientError } from '@trpc/client';
import { failureKindSchema, type FailureKind } from '../../electron/contract/index.ts';
import type { EngineRouter } from '../../electron/engine/index.ts';

/** A short message above the footer. Failures stay until they are closed or their page is left. */
export type Notice = {
  id: number;
  tone: 'good' | 'bad' | 'plain';
  text: string;
  /** What it is about, where that can be tried again; trying takes the notice away. */ cause?: string;
};

type Notices = {
  notices: Notice[];
  add(tone: Notice['tone'], text: string, cause?: string): void;
  /** Its cause is tried again or is no more. */ settle(cause: string): void;
  close(id: number): void;
  /** Failures of a page that is left go with it. */ leave(): void;
};

let nextId = 1;
const MOST = 4; // more would cover the screen; the oldest goes

export const useNotices = create<Notices>((set) => ({
  notices: [],
  add: (tone, text, cause) =>
    set(({ notices }) => ({
      notices: [
        ...notices.filter((notice) => notice.text !== text),
        { id: nextId++, tone, text, ...(cause === undefined ? {} : { cause }) },
      ].slice(-MOST),
    })),
  settle: (cause) =>
    set(({ notices }) =>
      notices.some((notice) => notice.cause === cause)
        ? { notices: notices.filter((notice) => notice.cause !== cause) }
        : {},
    ),
  close: (id) => set(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
  leave: () => set(({ notices }) => ({ notices: notices.filter(({ tone }) => tone !== 'bad') })),
}));

export const notifyFailure = (text: string, cause?: string): void =>
  useNotices.getState().add('bad', text, cause);
/** Takes away what was said of a cause, because it is tried again. */
export const settleNotices = (cause: string): void => useNotices.getState().settle(cause);
export const notify = (text: string, tone: Notice['tone'] = 'good'): void =>
  useNotices.getState().add(tone, text);

/** What a screen shows of a verb that failed. `kind` names the Failure, so that the screen can offer the fitting remedy. */
type ReadableFailure = { sentence: string; kind: FailureKind | null; details: string };

export function readableFailure(error: unknown): ReadableFailure {
  const details =
    error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error);
  if (error instanceof TRPCClientError) {
    const { data } = error as TRPCClientError<EngineRouter>;
    return {
      sentence: error.message,
      // An engine of another version may name a kind that this window does not know; then there is no remedy to offer.
      kind: failureKindSchema.safeParse(data?.kind).data ?? null,
      details: `${data?.path ?? ''} ${data?.code ?? ''}\n${details}`,
    };
  }
  return { sentence: error instanceof Error ? error.message : String(error), kind: null, details };
}

/** Nothing is polled: what was read stays until the engine says that it changed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      gcTime: 5 * 60_000,
      retry: 1,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** What a screen needs of a read to tell how it stands. */
export type Read<T = unknown> = Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'refetch'>;

type Query<I, O> = { query: (input: I) => Promise<O> };
type Mutation<I, O> = { mutate: (input: I) => Promise<O> };
type QueryOptions = {
  enabled?: boolean;
  /** Keeps showing what was there while another filter is read. */ keep?: boolean;
};

/**
 * Reads through a verb and keeps it: `useApiQuery('runs.list', api.runs.list, { limit: 50 })`. `path` is the verb's own path; live
 * events name it to have it read again.
 */
export function useApiQuery<I, O>(
  path: string,
  verb: Query<I, O>,
  input: I,
  { enabled = true, keep = true }: QueryOptions = {},
): UseQueryResult<O> {
  return useQuery({
    queryKey: [path, input],
    queryFn: () => verb.query(input),
    enabled,
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
  });
}

/**
 * Changes something through a verb; a failure is shown as a notice unless the caller handles it, until the same is tried again.
 * `invalidates` are paths to read again.
 */
export function useApiMutation<I, O>(
  verb: Mutation<I, O>,
  {
    invalidates = [],
    onFailure,
  }: { invalidates?: readonly string[]; onFailure?: (sentence: string) => void } = {},
): UseMutationResult<O, Error, I> {
  const cause = useId();
  return useMutation({
    mutationFn: (input: I) => verb.mutate(input),
    onMutate: () => settleNotices(cause),
    onSuccess: () => invalidate(...invalidates),
    onError: (error) => {
      const { sentence } = readableFailure(error);
      if (onFailure === undefined) notifyFailure(sentence, cause);
      else onFailure(sentence);
    },
  });
}

/** Marks everything under these paths as stale (`runs` covers `runs.list`); what is shown is read again at once. */
export function invalidate(...paths: readonly string[]): void {
  if (paths.length === 0) return;
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [path] }) =>
      paths.some((wanted) => path === wanted || String(path).startsWith(`${wanted}.`)),
  });
}

type Paged<I, P> = { query: (input: I & { cursor?: string | null }) => Promise<P> };

/** What a list of any length needs of its read: the rows of all pages that were asked for, the newest page, and how to ask for one more. */
export type Pages<P> = {
  /** Oldest asked for first; undefined until the first came. */
  pages: readonly P[] | undefined;
  error: unknown;
  isPending: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  more: () => void;
  refetch: () => unknown;
};

/** Reads page after page through a verb that takes a `cursor` and answers with `next`; live events of `path` have all of them read again. */
export function useApiPages<I extends object, P extends { next: string | null }>(
  path: string,
  verb: Paged<I, P>,
  input: I,
): Pages<P> {
  const read = useInfiniteQuery({
    queryKey: [path, input],
    initialPageParam: null as string | null,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam }) => verb.query({ ...input, cursor: pageParam }),
    getNextPageParam: (last: P) => last.next,
  });
  return {
    pages: read.data?.pages,
    error: read.error,
    isPending: read.isPending,
    hasMore: read.hasNextPage,
    isLoadingMore: read.isFetchingNextPage,
    more: () => {
      if (read.hasNextPage && !read.isFetchingNextPage) void read.fetchNextPage();
    },
    refetch: read.refetch,
  };
}
