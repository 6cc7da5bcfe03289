import type { Phase } from '../../../../electron/contract/index.ts';

/** Where an item stands; the tabs of the room. */
export const ITEM_STATES = ['pending', 'draft', 'done', 'discarded'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** One thing to answer. `F` is what a person fills in for it. */
export type DeskItem<F> = {
  key: string;
  phase: Phase;
  state: ItemState;
  form: F;
  /** Changed here since it was last kept. */ isTouched: boolean;
};

/** What the next digit means: a decision, or a digit of a field that was opened by a letter. */
export type DigitMode = { field: string | null; digits: string };

/** Items in the order of asking, which of them are looked at, and what can be taken back. */
export type Desk<F> = {
  items: readonly DeskItem<F>[];
  tab: ItemState;
  phase: Phase | null;
  current: string | null;
  mode: DigitMode;
  /** The item as it was before its last change of state, newest last. */
  undo: readonly DeskItem<F>[];
};

/** What the engine is to be told, or the person. */
export type DeskEffect<F> =
  | { kind: 'keep'; item: DeskItem<F>; before: DeskItem<F> }
  | { kind: 'tell'; problem: string }
  | { kind: 'comment' };

export type Pressed<F> = { desk: Desk<F>; effects: DeskEffect<F>[] };

/** What differs between answering a run and auditing reviews. */
export type DeskRules<F> = {
  /** The form after a key that is about its fields; null when the key means nothing here, a text when it cannot be done now. */
  edit: (
    item: DeskItem<F>,
    key: string,
    mode: DigitMode,
  ) => { form: F; mode: DigitMode; wantsComment?: boolean } | string | null;
  /**
   * Enter: the item is complete, what is missing (a word id), or the form moves on to its next part first.
   */
  enter: (form: F) => { done: true } | { missing: string } | { form: F };
  /** Whether an answer can be taken back; a run that has heard one goes on with it. */
  canUndo: boolean;
};

export const DECIDING: DigitMode = { field: null, digits: '' };

/** Items that the tab and the phase show, in order. */
export const shownItems = <F>({
  items,
  tab,
  phase,
}: Pick<Desk<F>, 'items' | 'tab' | 'phase'>): DeskItem<F>[] =>
  items.filter((item) => item.state === tab && (phase === null || item.phase === phase));

export const currentItem = <F>(desk: Desk<F>): DeskItem<F> | null =>
  desk.items.find(({ key }) => key === desk.current) ?? null;

export const countStates = <F>(items: readonly DeskItem<F>[]): Record<ItemState, number> =>
  Object.fromEntries(
    ITEM_STATES.map((state) => [state, items.filter((item) => item.state === state).length]),
  ) as Record<ItemState, number>;

/** The item to look at when the present one leaves: the next shown one after it in the order of asking, else the first. */
function following<F>(desk: Desk<F>, from: string | null): string | null {
  const shown = shownItems(desk);
  const place = desk.items.findIndex(({ key }) => key === from);
  const later = shown.find(
    ({ key }) => key !== from && desk.items.findIndex((item) => item.key === key) > place,
  );
  return (later ?? shown.find(({ key }) => key !== from))?.key ?? null;
}

/** Looks at another item, tab or phase; without an item the first shown one. */
export function look<F>(
  desk: Desk<F>,
  change: { tab?: ItemState; phase?: Phase | null; current?: string | null },
): Desk<F> {
  const next = { ...desk, ...change, mode: DECIDING };
  const isShown = change.current != null || shownItems(next).some(({ key }) => key === next.current);
  return isShown ? next : { ...next, current: shownItems(next)[0]?.key ?? null };
}

/** Steps through the shown items without keeping anything; stops at the ends. */
function move<F>(desk: Desk<F>, by: 1 | -1): Desk<F> {
  const shown = shownItems(desk);
  const place = shown.findIndex(({ key }) => key === desk.current);
  const target = place < 0 ? shown[0] : shown[Math.max(0, Math.min(shown.length - 1, place + by))];
  return target === undefined ? desk : { ...desk, current: target.key, mode: DECIDING };
}

const replace = <F>(items: readonly DeskItem<F>[], changed: DeskItem<F>): DeskItem<F>[] =>
  items.map((item) => (item.key === changed.key ? changed : item));

/** Changes the state of the present item, remembers how it was, and goes on to the next. */
function settle<F>(desk: Desk<F>, item: DeskItem<F>, state: ItemState): Pressed<F> {
  const changed = { ...item, state, isTouched: false };
  const next = following(desk, item.key);
  const items = replace(desk.items, changed);
  return {
    desk: {
      ...desk,
      items,
      current: next ?? (state === desk.tab ? item.key : null),
      mode: DECIDING,
      undo: [...desk.undo, item],
    },
    effects: [{ kind: 'keep', item: changed, before: item }],
  };
}

function takeBack<F>(desk: Desk<F>, rules: DeskRules<F>): Pressed<F> {
  const before = desk.undo.at(-1);
  const now = desk.items.find(({ key }) => key === before?.key);
  if (!rules.canUndo) return { desk, effects: [{ kind: 'tell', problem: 'reviews.undo.cannot' }] };
  if (before === undefined || now === undefined)
    return { desk, effects: [{ kind: 'tell', problem: 'reviews.undo.nothing' }] };
  const tab = before.state;
  return {
    desk: {
      ...desk,
      items: replace(desk.items, before),
      tab,
      phase: desk.phase === before.phase ? desk.phase : null,
      current: before.key,
      mode: DECIDING,
      undo: desk.undo.slice(0, -1),
    },
    effects: [{ kind: 'keep', item: before, before: now }],
  };
}

/** One key press. Pure: presses that come faster than a screen can be painted are all counted, in order. */
export function press<F>(desk: Desk<F>, key: string, rules: DeskRules<F>): Pressed<F> {
  const nothing: Pressed<F> = { desk, effects: [] };
  if (key === 'u') return takeBack(desk, rules);
  if (key === 'ArrowLeft' || key === 'ArrowRight')
    return { desk: move(desk, key === 'ArrowRight' ? 1 : -1), effects: [] };
  const item = currentItem(desk);
  if (item === null) return nothing;
  switch (key) {
    case 'Enter': {
      const result = rules.enter(item.form);
      if ('missing' in result)
        return { desk: { ...desk, mode: DECIDING }, effects: [{ kind: 'tell', problem: result.missing }] };
      if ('form' in result)
        return {
          desk: {
            ...desk,
            mode: DECIDING,
            items: replace(desk.items, { ...item, form: result.form, isTouched: true }),
          },
          effects: [],
        };
      return settle(desk, item, 'done');
    }
    // What was thrown away comes back the way it went.
    case 'Backspace':
      return settle(desk, item, item.state === 'discarded' ? 'pending' : 'discarded');
    case 'd':
      return settle(desk, item, 'draft');
    case 'e':
      return { desk: { ...desk, mode: DECIDING }, effects: [{ kind: 'comment' }] };
    default:
      return edit(desk, item, key, rules);
  }
}

function edit<F>(desk: Desk<F>, item: DeskItem<F>, key: string, rules: DeskRules<F>): Pressed<F> {
  const result = rules.edit(item, key, desk.mode);
  if (result === null) return { desk, effects: [] };
  if (typeof result === 'string')
    return { desk: { ...desk, mode: DECIDING }, effects: [{ kind: 'tell', problem: result }] };
  const items =
    result.form === item.form
      ? desk.items
      : replace(desk.items, { ...item, form: result.form, isTouched: true });
  return {
    desk: { ...desk, mode: result.mode, items },
    effects: result.wantsComment === true ? [{ kind: 'comment' }] : [],
  };
}

/** Puts another form in place of the present item's, as when a person types or clicks. */
export function fillIn<F>(desk: Desk<F>, change: (form: F) => F): Desk<F> {
  const item = currentItem(desk);
  return item === null
    ? desk
    : { ...desk, items: replace(desk.items, { ...item, form: change(item.form), isTouched: true }) };
}

/**
 * Takes over what the engine says. Items on their way to it and forms being filled in stay as they are here; items that are gone
 * leave, and the present one is replaced when it leaves.
 */
export function takeOver<F>(
  desk: Desk<F>,
  stored: readonly Omit<DeskItem<F>, 'isTouched'>[],
  onTheirWay: ReadonlySet<string>,
): Desk<F> {
  const known = new Map(desk.items.map((item) => [item.key, item]));
  const items = stored.map((item): DeskItem<F> => {
    const here = known.get(item.key);
    return here !== undefined && (onTheirWay.has(item.key) || (here.isTouched && here.state === item.state))
      ? here
      : { ...item, isTouched: false };
  });
  const next = { ...desk, items };
  if (desk.current !== null && items.some(({ key }) => key === desk.current)) return next;
  return { ...next, current: shownItems(next)[0]?.key ?? null };
}
