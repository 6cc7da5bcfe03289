import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

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
