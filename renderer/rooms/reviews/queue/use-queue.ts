import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { createStore, useStore } from 'zustand';
import type { Phase } from '../../../../electron/contract/index.ts';
import { settleNotices } from '../../../data/index.ts';
import {
  changeView,
  DECIDING,
  fillIn,
  mergeStored,
  press,
  shownItems,
  type ItemState,
  type QueueEffect,
  type QueueItem,
  type QueueRules,
  type QueueView,
  type ReviewQueue,
} from './queue.ts';

export type QueueOptions<F> = {
  /** Items as the engine has them; undefined until they were read. */
  stored: readonly Omit<QueueItem<F>, 'isTouched'>[] | undefined;
  rules: QueueRules<F>;
  /** What is shown first. */
  start: QueueView;
  /** Stores an item's new state; rejects with what a person is shown. */
  store: (effect: Extract<QueueEffect<F>, { kind: 'store' }>) => Promise<unknown>;
  /** Shows a sentence about a key press. */
  notify: (problem: string) => void;
  /** Puts the cursor where words are written. */
  comment: () => void;
  /** Something was not stored; the item is back as it was. What is said under `cause` goes when the item is stored again. */
  onFailure: (error: unknown, cause: string) => void;
};

export type QueueControl<F> = {
  queue: ReviewQueue<F>;
  press: (key: string) => void;
  changeView: (change: Partial<QueueView>) => void;
  fillIn: (change: (form: F) => F) => void;
  /** Moments at which an item was finished in this visit, in seconds. */
  finishedAt: readonly number[];
};

/**
 * A queue on the screen. Key presses change a store at once, outside of React, so that presses faster than the screen are counted one
 * by one; changes that the engine has to know are sent behind them in order.
 */
export function useQueue<F>(options: QueueOptions<F>): QueueControl<F> {
  const { stored, rules, start } = options;
  const [state] = useState(() =>
    createStore<{ queue: ReviewQueue<F>; finishedAt: number[] }>(() => ({
      queue: { items: [], ...start, mode: DECIDING, undo: [] },
      finishedAt: [],
    })),
  );
  const [outbox] = useState(() => new Outbox());
  /** Items finished here whose new state the engine has not shown us yet. */
  const [finished] = useState(() => new Map<string, ItemState>());
  const set = (queue: ReviewQueue<F>): void => state.setState({ queue });

  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });

  // Made once: a key pressed between two paintings finds the newest state in the store and the newest options in the ref.
  const [control] = useState(() => {
    const perform = (effect: QueueEffect<F>): void => {
      if (effect.kind === 'notify') return latest.current.notify(effect.problem);
      if (effect.kind === 'comment') return latest.current.comment();
      const { item, before } = effect;
      finished.set(item.key, item.state);
      if (item.state === 'done')
        state.setState(({ finishedAt: earlier }) => ({ finishedAt: [...earlier, performance.now() / 1000] }));
      const cause = `review of ${item.key}`;
      outbox.send(
        item.key,
        () => {
          settleNotices(cause);
          return latest.current.store(effect);
        },
        (error) => {
          finished.delete(item.key);
          set(restore(state.getState().queue, before));
          latest.current.onFailure(error, cause);
        },
      );
    };
    return {
      press(key: string): void {
        const result = press(state.getState().queue, key, rules);
        set(result.queue);
        for (const effect of result.effects) perform(effect);
      },
      changeView: (change: Partial<QueueView>): void => set(changeView(state.getState().queue, change)),
      fillIn: (change: (form: F) => F): void => set(fillIn(state.getState().queue, change)),
    };
  });

  useEffect(() => {
    if (stored === undefined) return;
    for (const item of stored) if (finished.get(item.key) === item.state) finished.delete(item.key);
    const here = state.getState().queue;
    const next = mergeStored(here, stored, new Set([...outbox.unsent(), ...finished.keys()]));
    // A link to an item opens the tab the item is in.
    const linked = next.items.find(({ key }) => key === next.current);
    const opened = here.items.length === 0 && linked !== undefined ? { ...next, tab: linked.state } : next;
    const current = opened.current ?? shownItems(opened)[0]?.key ?? null;
    state.setState({ queue: { ...opened, current } });
  }, [stored, state, outbox, finished]);

  const { queue, finishedAt } = useStore(state);
  return { queue, finishedAt, ...control };
}

/** The item as it was before a change that was not stored, with what the person had written. */
function restore<F>(queue: ReviewQueue<F>, before: QueueItem<F>): ReviewQueue<F> {
  const items = queue.items.map((item) => (item.key === before.key ? { ...before, isTouched: true } : item));
  return { ...queue, items, undo: queue.undo.filter((each) => each !== before) };
}

/**
 * Sends changes to the engine one after another, in the order they were made. A person may be three items further by the time the
 * first is stored; nothing is dropped, and a failure concerns the one change that failed.
 */
export class Outbox {
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Map<string, number>();

  /** Keys with changes that are not stored yet. */
  unsent(): ReadonlySet<string> {
    return new Set(this.#waiting.keys());
  }

  send(key: string, store: () => Promise<unknown>, onFailure: (error: unknown) => void): void {
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + 1);
    this.#last = this.#last
      .then(store)
      .catch(onFailure)
      .finally(() => {
        const left = (this.#waiting.get(key) ?? 1) - 1;
        if (left > 0) this.#waiting.set(key, left);
        else this.#waiting.delete(key);
      });
  }
}

/** The part of the address that says what is shown; a part that is not there is the usual. */
export type QueueAddress = {
  state?: ItemState | undefined;
  phase?: Phase | undefined;
  item?: string | undefined;
};

export const viewOf = ({ state, phase, item }: QueueAddress): QueueView => ({
  tab: state ?? 'pending',
  phase: phase ?? null,
  current: item ?? null,
});

const textOf = ({ state, phase, item }: QueueAddress): string =>
  JSON.stringify([state ?? null, phase ?? null, item ?? null]);

/**
 * Keeps what is shown in the address, and follows the address where somebody else changes it: a link, or going back. The address
 * lags behind while keys are pressed quickly, so what this hook wrote lately is no command of somebody else.
 */
export function useQueueAddress(options: {
  view: QueueView;
  address: QueueAddress;
  onView: (view: QueueView) => void;
  onAddress: (address: QueueAddress) => void;
}): void {
  const { view, address, onView, onAddress } = options;
  const { tab, phase, current } = view;
  const written = useRef<string[]>([]);
  const next: QueueAddress = {
    state: tab === 'pending' ? undefined : tab,
    phase: phase ?? undefined,
    item: current ?? undefined,
  };
  const [here, there] = [textOf(next), textOf(address)];

  const writeAddress = useEffectEvent((ours: string) => {
    if (ours === there) return;
    written.current.push(ours);
    onAddress(next);
  });
  useEffect(() => writeAddress(here), [here]);

  const followAddress = useEffectEvent((theirs: string) => {
    if (theirs === written.current.at(-1)) written.current = [theirs];
    else if (theirs !== here && !written.current.includes(theirs)) onView(viewOf(address));
  });
  useEffect(() => followAddress(there), [there]);
}
