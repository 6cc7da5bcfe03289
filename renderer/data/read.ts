import {
  keepPreviousData,
  QueryClient,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { notifyFailure } from './notices.ts';
import { readableFailure } from './failure.ts';

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

type Query<I, O> = { query: (input: I) => Promise<O> };
type Act<I, O> = { mutate: (input: I) => Promise<O> };
type ReadOptions = {
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
  { enabled = true, keep = true }: ReadOptions = {},
): UseQueryResult<O> {
  return useQuery({
    queryKey: [path, input],
    queryFn: () => verb.query(input),
    enabled,
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
  });
}

/** Does something through a verb; a failure is shown as a notice unless the caller handles it. `invalidates` are paths to read again. */
export function useApiMutation<I, O>(
  verb: Act<I, O>,
  {
    invalidates = [],
    onFailure,
  }: { invalidates?: readonly string[]; onFailure?: (sentence: string) => void } = {},
): UseMutationResult<O, Error, I> {
  return useMutation({
    mutationFn: (input: I) => verb.mutate(input),
    onSuccess: () => invalidate(...invalidates),
    onError: (error) => (onFailure ?? notifyFailure)(readableFailure(error).sentence),
  });
}

/** Has everything under these paths read again (`runs` covers `runs.list`), at once where it is shown. */
export function invalidate(...paths: readonly string[]): void {
  if (paths.length === 0) return;
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [path] }) =>
      paths.some((wanted) => path === wanted || String(path).startsWith(`${wanted}.`)),
  });
}
