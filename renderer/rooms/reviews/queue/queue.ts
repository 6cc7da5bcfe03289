import type { Phase } from '../../../../electron/contract/index.ts';

/** Where an item stands; the tabs of the room. */
export const ITEM_STATES = ['pending', 'draft', 'done', 'discarded'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** One thing to answer. `F` is what a person fills in for it. */
export type QueueItem<F> = {
  key: string;
  phase: Phase;
  state: ItemState;
  form: F;
  /** Changed here since it was last stored. */ isTouched: boolean;
};

/** What the next digit means: a decision, or a digit of a field that was opened by a letter. */
export type DigitMode = { field: string | null; digits: string };

/** Items in the order of asking, which of them are shown, and what can be undone. */
export type ReviewQueue<F> = {
  items: readonly QueueItem<F>[];
  tab: ItemState;
  phase: Phase | null;
  current: string | null;
  mode: DigitMode;
  /** The item as it was before its last change of state, newest last. */
  undo: readonly QueueItem<F>[];
};

/** Which items are shown, and which one of them is answered. */
export type QueueView = Pick<ReviewQueue<unknown>, 'tab' | 'phase' | 'current'>;

/** What follows from a key press: a change to store, a sentence to show, or the cursor in the comment. */
export type QueueEffect<F> =
  | { kind: 'store'; item: QueueItem<F>; before: QueueItem<F> }
  | { kind: 'notify'; problem: string }
  | { kind: 'comment' };

type KeyResult<F> = { queue: ReviewQueue<F>; effects: QueueEffect<F>[] };

/** What differs between answering a run and auditing reviews. */
export type QueueRules<F> = {
  /** The form after a key that is about its fields; null when the key means nothing here, a text when it cannot be done now. */
  edit: (
    item: QueueItem<F>,
    key: string,
    mode: DigitMode,
  ) => { form: F; mode: DigitMode; wantsComment?: boolean } | string | null;
  /** Enter: the item is complete, what is missing (a word id), or the form moves on to its next part first. */
  enter: (form: F) => { done: true } | { missing: string } | { form: F };
  /** Whether an answer can be undone; a run that has received one goes on with it. */
  canUndo: boolean;
};

export const DECIDING: DigitMode = { field: null, digits: '' };

/** Items that the tab and the phase show, in order. */
export const shownItems = <F>({
  items,
  tab,
  phase,
}: Pick<ReviewQueue<F>, 'items' | 'tab' | 'phase'>): QueueItem<F>[] =>
  items.filter((item) => item.state === tab && (phase === null || item.phase === phase));

export const currentItem = <F>(queue: ReviewQueue<F>): QueueItem<F> | null =>
  queue.items.find(({ key }) => key === queue.current) ?? null;

export const countStates = <F>(items: readonly QueueItem<F>[]): Record<ItemState, number> =>
  Object.fromEntries(
    ITEM_STATES.map((state) => [state, items.filter((item) => item.state === state).length]),
  ) as Record<ItemState, number>;

/** The item to show when the present one leaves: the next shown one in the order of asking, else the first. */
function following<F>(queue: ReviewQueue<F>, from: string | null): string | null {
  const shown = shownItems(queue);
  const place = queue.items.findIndex(({ key }) => key === from);
  const later = shown.find(
    ({ key }) => key !== from && queue.items.findIndex((item) => item.key === key) > place,
  );
  return (later ?? shown.find(({ key }) => key !== from))?.key ?? null;
}

/** Shows another item, tab or phase; without an item the first one that is shown. */
export function changeView<F>(queue: ReviewQueue<F>, change: Partial<QueueView>): ReviewQueue<F> {
  const next = { ...queue, ...change, mode: DECIDING };
  const isShown = change.current != null || shownItems(next).some(({ key }) => key === next.current);
  return isShown ? next : { ...next, current: shownItems(next)[0]?.key ?? null };
}

/** Steps through the shown items without storing anything; stops at the ends. */
function move<F>(queue: ReviewQueue<F>, by: 1 | -1): ReviewQueue<F> {
  const shown = shownItems(queue);
  const place = shown.findIndex(({ key }) => key === queue.current);
  const target = place < 0 ? shown[0] : shown[Math.max(0, Math.min(shown.length - 1, place + by))];
  return target === undefined ? queue : { ...queue, current: target.key, mode: DECIDING };
}

const replace = <F>(items: readonly QueueItem<F>[], changed: QueueItem<F>): QueueItem<F>[] =>
  items.map((item) => (item.key === changed.key ? changed : item));

/** Changes the state of the present item, remembers how it was, and goes on to the next. */
function finishItem<F>(queue: ReviewQueue<F>, item: QueueItem<F>, state: ItemState): KeyResult<F> {
  const changed = { ...item, state, isTouched: false };
  const next = following(queue, item.key);
  const items = replace(queue.items, changed);
  return {
    queue: {
      ...queue,
      items,
      current: next ?? (state === queue.tab ? item.key : null),
      mode: DECIDING,
      undo: [...queue.undo, item],
    },
    effects: [{ kind: 'store', item: changed, before: item }],
  };
}

function undoLast<F>(queue: ReviewQueue<F>, rules: QueueRules<F>): KeyResult<F> {
  const before = queue.undo.at(-1);
  const now = queue.items.find(({ key }) => key === before?.key);
  if (!rules.canUndo) return { queue, effects: [{ kind: 'notify', problem: 'reviews.undo.cannot' }] };
  if (before === undefined || now === undefined)
    return { queue, effects: [{ kind: 'notify', problem: 'reviews.undo.nothing' }] };
  const tab = before.state;
  return {
    queue: {
      ...queue,
      items: replace(queue.items, before),
      tab,
      phase: queue.phase === before.phase ? queue.phase : null,
      current: before.key,
      mode: DECIDING,
      undo: queue.undo.slice(0, -1),
    },
    effects: [{ kind: 'store', item: before, before: now }],
  };
}

/** One key press. Pure: presses that come faster than a screen can be painted are all counted, in order. */
export function press<F>(queue: ReviewQueue<F>, key: string, rules: QueueRules<F>): KeyResult<F> {
  const nothing: KeyResult<F> = { queue, effects: [] };
  if (key === 'u') return undoLast(queue, rules);
  if (key === 'ArrowLeft' || key === 'ArrowRight')
    return { queue: move(queue, key === 'ArrowRight' ? 1 : -1), effects: [] };
  const item = currentItem(queue);
  if (item === null) return nothing;
  switch (key) {
    case 'Enter': {
      const result = rules.enter(item.form);
      if ('missing' in result)
        return {
          queue: { ...queue, mode: DECIDING },
          effects: [{ kind: 'notify', problem: result.missing }],
        };
      if ('form' in result)
        return {
          queue: {
            ...queue,
            mode: DECIDING,
            items: replace(queue.items, { ...item, form: result.form, isTouched: true }),
          },
          effects: [],
        };
      return finishItem(queue, item, 'done');
    }
    // The same key brings back a discarded item.
    case 'Backspace':
      return finishItem(queue, item, item.state === 'discarded' ? 'pending' : 'discarded');
    case 'd':
      return finishItem(queue, item, 'draft');
    case 'e':
      return { queue: { ...queue, mode: DECIDING }, effects: [{ kind: 'comment' }] };
    default:
      return edit(queue, item, key, rules);
  }
}

function edit<F>(queue: ReviewQueue<F>, item: QueueItem<F>, key: string, rules: QueueRules<F>): KeyResult<F> {
  const result = rules.edit(item, key, queue.mode);
  if (result === null) return { queue, effects: [] };
  if (typeof result === 'string')
    return { queue: { ...queue, mode: DECIDING }, effects: [{ kind: 'notify', problem: result }] };
  const items =
    result.form === item.form
      ? queue.items
      : replace(queue.items, { ...item, form: result.form, isTouched: true });
  return {
    queue: { ...queue, mode: result.mode, items },
    effects: result.wantsComment === true ? [{ kind: 'comment' }] : [],
  };
}

/** Puts another form in place of the present item's, as when a person types or clicks. */
export function fillIn<F>(queue: ReviewQueue<F>, change: (form: F) => F): ReviewQueue<F> {
  const item = currentItem(queue);
  return item === null
    ? queue
    : { ...queue, items: replace(queue.items, { ...item, form: change(item.form), isTouched: true }) };
}

/**
 * Merges the items that the engine has. Items on their way to it and forms being filled in stay as they are here; items that are gone
 * leave, and the present one is replaced when it leaves.
 */
export function mergeStored<F>(
  queue: ReviewQueue<F>,
  stored: readonly Omit<QueueItem<F>, 'isTouched'>[],
  unsent: ReadonlySet<string>,
): ReviewQueue<F> {
  const known = new Map(queue.items.map((item) => [item.key, item]));
  const items = stored.map((item): QueueItem<F> => {
    const here = known.get(item.key);
    return here !== undefined && (unsent.has(item.key) || (here.isTouched && here.state === item.state))
      ? here
      : { ...item, isTouched: false };
  });
  const next = { ...queue, items };
  if (queue.current !== null && items.some(({ key }) => key === queue.current)) return next;
  return { ...next, current: shownItems(next)[0]?.key ?? null };
}
