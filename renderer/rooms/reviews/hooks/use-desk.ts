import { useEffect, useRef, useState } from 'react';
import { createStore, useStore } from 'zustand';
import {
  fillIn,
  look,
  press,
  shownItems,
  takeOver,
  DECIDING,
  type Desk,
  type DeskEffect,
  type DeskItem,
  type DeskRules,
  type ItemState,
} from '../model/desk.ts';
import { Outbox } from '../model/outbox.ts';

export type DeskHandlers<F> = {
  /** Tells the engine of an item's new state; rejects with what a person is told. */
  keep: (effect: Extract<DeskEffect<F>, { kind: 'keep' }>) => Promise<unknown>;
  /** Shows a sentence about a key press. */
  tell: (problem: string) => void;
  /** Puts the cursor where words are written. */
  comment: () => void;
  /** Something was not stored; the item is back as it was. */
  onFailure: (error: unknown) => void;
};

export type DeskControl<F> = {
  desk: Desk<F>;
  press: (key: string) => void;
  look: (change: { tab?: ItemState; phase?: Desk<F>['phase']; current?: string | null }) => void;
  fillIn: (change: (form: F) => F) => void;
  /** Moments at which an item was finished in this visit, in seconds. */
  finishedAt: readonly number[];
};

type Start = { tab: ItemState; phase: Desk<unknown>['phase']; current: string | null };

/**
 * A desk on the screen. Key presses change a store at once, outside of React, so that presses faster than the screen are counted one
 * by one; what the engine has to know is sent behind them in order.
 */
export function useDesk<F>(
  stored: readonly Omit<DeskItem<F>, 'isTouched'>[] | undefined,
  rules: DeskRules<F>,
  start: Start,
  handlers: DeskHandlers<F>,
): DeskControl<F> {
  const [store] = useState(() =>
    createStore<{ desk: Desk<F>; finishedAt: number[] }>(() => ({
      desk: { items: [], ...start, mode: DECIDING, undo: [] },
      finishedAt: [],
    })),
  );
  const [outbox] = useState(() => new Outbox());
  /** Items settled here whose new state the engine has not shown us yet. */
  const [ours] = useState(() => new Map<string, ItemState>());
  const set = (desk: Desk<F>): void => store.setState({ desk });

  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });

  // Made once: a key pressed between two paintings finds the newest state in the store and the newest handlers in the ref.
  const [control] = useState(() => {
    const act = (effect: DeskEffect<F>): void => {
      if (effect.kind === 'tell') return latest.current.tell(effect.problem);
      if (effect.kind === 'comment') return latest.current.comment();
      const { item, before } = effect;
      ours.set(item.key, item.state);
      if (item.state === 'done')
        store.setState(({ finishedAt: earlier }) => ({ finishedAt: [...earlier, performance.now() / 1000] }));
      outbox.send(
        item.key,
        () => latest.current.keep(effect),
        (error) => {
          ours.delete(item.key);
          set(putBack(store.getState().desk, before));
          latest.current.onFailure(error);
        },
      );
    };
    return {
      press(key: string): void {
        const result = press(store.getState().desk, key, rules);
        set(result.desk);
        for (const effect of result.effects) act(effect);
      },
      look: (change: Parameters<typeof look>[1]): void => set(look(store.getState().desk, change)),
      fillIn: (change: (form: F) => F): void => set(fillIn(store.getState().desk, change)),
    };
  });

  useEffect(() => {
    if (stored === undefined) return;
    for (const item of stored) if (ours.get(item.key) === item.state) ours.delete(item.key);
    const held = new Set([...outbox.onTheirWay(), ...ours.keys()]);
    const next = takeOver(store.getState().desk, stored, held);
    // A link to an item opens the tab the item is in.
    const wanted = next.items.find(({ key }) => key === next.current);
    const opened =
      store.getState().desk.items.length === 0 && wanted !== undefined
        ? { ...next, tab: wanted.state }
        : next;
    store.setState({
      desk: opened.current === null ? { ...opened, current: shownItems(opened)[0]?.key ?? null } : opened,
    });
  }, [stored, store, outbox, ours]);

  const { desk, finishedAt } = useStore(store);
  return { desk, finishedAt, ...control };
}

/** The item as it was before a change that was not stored, with what the person had written. */
function putBack<F>(desk: Desk<F>, before: DeskItem<F>): Desk<F> {
  const isThere = desk.items.some(({ key }) => key === before.key);
  const items = isThere
    ? desk.items.map((item) => (item.key === before.key ? { ...before, isTouched: true } : item))
    : desk.items;
  return { ...desk, items, undo: desk.undo.filter((each) => each !== before) };
}
