import { create } from 'zustand';
import { TRPCClientError } from '@trpc/client';
import { failureKindSchema, type FailureKind } from '../../electron/contract/index.ts';
import type { EngineRouter } from '../../electron/engine/index.ts';

/** A short message at the window's edge. Failures stay until they are closed. */
export type Notice = { id: number; tone: 'good' | 'bad' | 'plain'; text: string };

type Notices = { notices: Notice[]; add(tone: Notice['tone'], text: string): void; close(id: number): void };

let nextId = 1;
const MOST = 4; // more would cover the screen; the oldest goes

export const useNotices = create<Notices>((set) => ({
  notices: [],
  add: (tone, text) =>
    set(({ notices }) => ({
      notices: [...notices.filter((notice) => notice.text !== text), { id: nextId++, tone, text }].slice(
        -MOST,
      ),
    })),
  close: (id) => set(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
}));

export const notifyFailure = (text: string): void => useNotices.getState().add('bad', text);
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
