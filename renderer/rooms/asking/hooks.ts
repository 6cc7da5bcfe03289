import { useEffect, useMemo, useState } from 'react';
import type { AskedQuestion, AskingOrder, OpenQuestion } from '../../../electron/contract/index.ts';
import {
  api,
  invalidate,
  readableFailure,
  useApiMutation,
  useApiQuery,
  useLiveEvents,
  useSideQuery,
} from '../../data/index.ts';
import { following, type Read } from '../../ui/index.ts';
import { moved, shownOpen, shownStored, type Shown } from './model.ts';

/**
 * The question of this id as far as it is known, moving while it is answered; null where there is none. `looked`: what was read to find it,
 * of which the answer is null where it is deleted.
 */
export function useShownQuestion(
  id: string | null,
  state: Read<{ open: readonly OpenQuestion[] }>,
): { shown: Shown | null; looked: Read<AskedQuestion | null>; take: (asked: OpenQuestion) => void } {
  // Words since the last reading; what was read again is at least as new where no word came after it.
  const [followed, setFollowed] = useState<OpenQuestion | null>(null);
  const stored = useApiQuery(
    'asking.get',
    api.asking.get,
    { id: id ?? '' },
    { enabled: id !== null, keep: false },
  );
  const tokens = useSideQuery(
    'asking.tokens',
    api.asking.tokens,
    { id: id ?? '' },
    { enabled: id !== null && stored.data != null, keep: false },
  );
  const read = state.data?.open.find((each) => each.id === id);
  useLiveEvents((events) => {
    setFollowed((before) => {
      let next = before?.id === id ? before : (read ?? null);
      for (const { event } of events) {
        if (event.kind !== 'answer' || event.questionId !== id || next === null) continue;
        const after = moved(next, event);
        if (after === null) invalidate('asking.state');
        next = after;
      }
      return next;
    });
  });
  const shown = useMemo((): Shown | null => {
    if (id === null) return null;
    if (stored.data != null) {
      const live = followed?.id === id ? followed.sides.map((side) => side.tokens) : [];
      return shownStored(stored.data, tokens.data ?? live);
    }
    const best = followed?.id === id ? followed : read;
    if (best === undefined) return null;
    return shownOpen({ ...best, problem: read?.problem ?? best.problem });
  }, [id, stored.data, tokens.data, followed, read]);
  return {
    shown,
    // Between its end and its keeping it is neither open nor stored.
    looked: following(state, stored.isFetching ? { ...stored, data: undefined } : stored),
    take: setFollowed,
  };
}

const SETTLE_MS = 250; // a person may go through a list of checkpoints

/** Loads who will be asked as soon as it is chosen, so that the answer begins at once; a sentence where it cannot be asked. */
export function useReady(subjects: readonly string[]): Record<string, 'loading' | 'ready' | string> {
  const [states, setStates] = useState<Record<string, 'loading' | 'ready' | string>>({});
  const key = subjects.join('\n');
  useEffect(() => {
    let isGone = false;
    const all = key.split('\n').filter((each) => each !== '');
    const timer = window.setTimeout(async () => {
      for (const [index, subject] of all.entries()) {
        setStates((before) => ({ ...before, [subject]: 'loading' }));
        const state = await api.asking.prepare.mutate({ subjects: all.slice(0, index + 1) }).then(
          () => 'ready',
          (error: unknown) => readableFailure(error).sentence,
        );
        if (isGone) return;
        setStates((before) => ({ ...before, [subject]: state }));
      }
    }, SETTLE_MS);
    return () => {
      isGone = true;
      window.clearTimeout(timer);
    };
  }, [key]);
  return states;
}

/** Asks; what is refused is a sentence beside the question. */
export function useAsk(onAsked: (asked: OpenQuestion) => void): {
  problem: string | null;
  isPending: boolean;
  ask: (order: AskingOrder) => void;
} {
  const [problem, setProblem] = useState<string | null>(null);
  const mutation = useApiMutation(api.asking.ask, { invalidates: ['asking.state'], onFailure: setProblem });
  return {
    problem,
    isPending: mutation.isPending,
    ask: (order) => {
      setProblem(null);
      mutation.mutate(order, { onSuccess: onAsked });
    },
  };
}
