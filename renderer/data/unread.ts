import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import { create } from 'zustand';
import { type Read, useApiQuery } from './query.ts';

/** The side reads of what is on the screen now that failed, by who asked for them. */
const useFailed = create<Record<string, Read>>(() => ({}));

export const useFailedReads = (): readonly Read[] => Object.values(useFailed());

/**
 * Reads what only completes a page: the names in a menu, a count, a mark in a figure. Where that fails there is no place of its own to say
 * so, and the page would look as if there were none: the frame says it above the page, for as long as this is on the screen.
 */
export function useSideQuery<I, O>(...asked: Parameters<typeof useApiQuery<I, O>>): UseQueryResult<O> {
  const read = useApiQuery<I, O>(...asked);
  const id = useId();
  const { data, error, isPending, refetch } = read;
  useEffect(() => {
    if (error === null) return;
    useFailed.setState({ [id]: { data, error, isPending, refetch } });
    return () => useFailed.setState(({ [id]: _, ...others }) => others, true);
  }, [id, data, error, isPending, refetch]);
  return read;
}
