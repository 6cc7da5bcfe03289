import { create } from 'zustand';

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
