/**
 * Where a long list stands. Browsers draw no element taller than about 33 million pixels, which a million rows exceed; the element
 * is therefore at most MOST_PIXELS tall, and `base` is what has to be added to its scroll position to get the place in the list.
 */
export type ScrollPlace = { top: number; base: number };
/** All in CSS pixels. */
export type ListShape = { count: number; rowHeight: number; viewHeight: number };

/** A third of what Chromium draws, so that zooming in does not reach the limit either. */
export const MOST_PIXELS = 10_000_000;
/** How close to the element's ends, in view heights, the place is moved back to the middle where the list itself goes on. */
const EDGE_VIEWS = 2;

const listHeight = ({ count, rowHeight }: ListShape): number => count * rowHeight;
export const elementHeight = (shape: ListShape): number => Math.min(listHeight(shape), MOST_PIXELS);

const within = (value: number, most: number): number => Math.max(0, Math.min(value, Math.max(0, most)));

/** The scroll position that shows a place of the list, proportional in lists taller than the element. */
export function placeAt(pixel: number, shape: ListShape): ScrollPlace {
  const farthest = listHeight(shape) - shape.viewHeight;
  const place = within(pixel, farthest);
  const reach = elementHeight(shape) - shape.viewHeight;
  if (farthest <= reach) return { top: place, base: 0 };
  const top = Math.round((place / farthest) * reach);
  return { top, base: place - top };
}

/**
 * The place after the element was scrolled to `top`. Turning a wheel moves by as many pixels as it says; dragging the bar jumps in
 * proportion. The returned `top` differs from the given one where the element has to be put elsewhere to leave room to scroll on.
 */
export function afterScroll(before: ScrollPlace, top: number, shape: ListShape): ScrollPlace {
  if (listHeight(shape) <= MOST_PIXELS) return { top, base: 0 };
  const reach = elementHeight(shape) - shape.viewHeight;
  const farthest = listHeight(shape) - shape.viewHeight;
  if (Math.abs(top - before.top) > shape.viewHeight * EDGE_VIEWS)
    return { top, base: Math.round((top / reach) * farthest) - top };
  const pixel = within(top + before.base, farthest);
  const isNearEdge = top < shape.viewHeight * EDGE_VIEWS || top > reach - shape.viewHeight * EDGE_VIEWS;
  return isNearEdge ? placeAt(pixel, shape) : { top, base: pixel - top };
}

/** First and last row in view, with `spare` more on each side; last < first in an empty list. */
export function rowsInView(
  { top, base }: ScrollPlace,
  { count, rowHeight, viewHeight }: ListShape,
  spare: number,
): { first: number; last: number } {
  const pixel = top + base;
  return {
    first: Math.max(0, Math.floor(pixel / rowHeight) - spare),
    last: Math.min(count - 1, Math.floor((pixel + viewHeight) / rowHeight) + spare),
  };
}

/** Where to scroll so that a row is in view: not at all when it is, else with the row in the middle. */
export function placeOfRow(index: number, now: ScrollPlace, shape: ListShape): ScrollPlace {
  const pixel = now.top + now.base;
  const start = index * shape.rowHeight;
  const isAbove = start < pixel;
  const isBelow = start + shape.rowHeight > pixel + shape.viewHeight;
  if (!isAbove && !isBelow) return now;
  const isNext = isAbove
    ? start > pixel - 2 * shape.rowHeight
    : start < pixel + shape.viewHeight + shape.rowHeight;
  if (isNext) return placeAt(isAbove ? start : start + shape.rowHeight - shape.viewHeight, shape);
  return placeAt(start - (shape.viewHeight - shape.rowHeight) / 2, shape);
}
