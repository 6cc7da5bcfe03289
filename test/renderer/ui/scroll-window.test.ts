import { describe, expect, it } from 'vitest';
import {
  afterScroll,
  elementHeight,
  MOST_PIXELS,
  placeAt,
  placeOfRow,
  rowsInView,
  type ScrollPlace,
} from '../../../renderer/ui/scroll-window.ts';

const short = { count: 1000, rowHeight: 50, viewHeight: 500 };
const long = { count: 3_000_000, rowHeight: 50, viewHeight: 500 };
const pixel = ({ top, base }: ScrollPlace): number => top + base;

describe('a list the browser can draw whole', () => {
  it('scrolls as any element does', () => {
    expect(elementHeight(short)).toBe(50_000);
    expect(afterScroll({ top: 0, base: 0 }, 30_000, short)).toEqual({ top: 30_000, base: 0 });
    expect(rowsInView({ top: 100, base: 0 }, short, 0)).toEqual({ first: 2, last: 12 });
    expect(rowsInView({ top: 0, base: 0 }, { ...short, count: 0 }, 3).last).toBe(-1);
  });
});

describe('a list taller than any element', () => {
  it('is drawn in an element of the most pixels there may be', () =>
    expect(elementHeight(long)).toBe(MOST_PIXELS));

  it('can be scrolled row by row from its first to its last row', () => {
    let place = placeAt(0, long);
    let before = pixel(place);
    for (let turns = 0; turns < 5000; turns += 1) {
      place = afterScroll(place, place.top + 300, long);
      expect(pixel(place) - before).toBe(300);
      before = pixel(place);
      expect(place.top).toBeLessThanOrEqual(MOST_PIXELS - long.viewHeight);
    }
    place = placeAt(Infinity, long);
    expect(rowsInView(place, long, 0).last).toBe(long.count - 1);
    for (let turns = 0; turns < 2000; turns += 1) {
      const here = pixel(place);
      place = afterScroll(place, place.top - 300, long);
      expect(here - pixel(place)).toBe(300);
    }
  });

  it('is passed through in proportion when the bar is dragged, to both ends', () => {
    const reach = MOST_PIXELS - long.viewHeight;
    expect(rowsInView(afterScroll({ top: 0, base: 0 }, reach, long), long, 0).last).toBe(long.count - 1);
    expect(rowsInView(afterScroll({ top: 0, base: 0 }, reach / 2, long), long, 0).first).toBeCloseTo(
      long.count / 2,
      -2,
    );
    expect(rowsInView(afterScroll(placeAt(90_000_000, long), 0, long), long, 0).first).toBe(0);
  });

  it('shows any row that is asked for', () => {
    for (const index of [0, 7, 199_999, 1_500_000, 2_999_999]) {
      const { first, last } = rowsInView(placeOfRow(index, placeAt(75_000_000, long), long), long, 0);
      expect(first <= index && index <= last, `row ${index} in ${first}…${last}`).toBe(true);
    }
  });
});

describe('a row that is selected', () => {
  it('does not move the list while it is in view', () => {
    const now = { top: 1000, base: 0 };
    expect(placeOfRow(25, now, short)).toBe(now);
  });
  it('just outside moves the list by that row only', () => {
    expect(placeOfRow(30, { top: 1000, base: 0 }, short)).toEqual({ top: 1050, base: 0 });
    expect(placeOfRow(19, { top: 1000, base: 0 }, short)).toEqual({ top: 950, base: 0 });
  });
  it('far away comes to the middle', () =>
    expect(placeOfRow(500, { top: 0, base: 0 }, short)).toEqual({ top: 24_775, base: 0 }));
});
