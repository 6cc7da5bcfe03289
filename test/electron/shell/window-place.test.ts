import { describe, expect, it } from 'vitest';
import { uniform } from '../../../electron/core/index.ts';
import {
  placeWindow,
  SMALLEST,
  windowPlaceSchema,
  type WindowPlace,
} from '../../../electron/shell/window-place.ts';

const LARGE = { x: 0, y: 0, width: 2560, height: 1400 };
const SMALL = { x: 2560, y: 200, width: 1280, height: 760 };
const at = (x: number, y: number, width: number, height: number): WindowPlace => ({
  bounds: { x, y, width, height },
  maximized: false,
});
const isInside = (
  inner: { x: number; y: number; width: number; height: number },
  outer: typeof inner,
): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

describe('the place of the window', () => {
  it('is the middle of the first screen at first', () => {
    expect(placeWindow(null, [LARGE])).toEqual({ x: 560, y: 250, width: 1440, height: 900 });
  });
  it('is where it was', () => {
    expect(placeWindow(at(100, 120, 1500, 800), [LARGE])).toEqual({
      x: 100,
      y: 120,
      width: 1500,
      height: 800,
    });
  });
  it('is brought back from a screen that is gone', () => {
    expect(placeWindow(at(5000, 5000, 1400, 800), [LARGE, SMALL])).toEqual({
      x: 1160,
      y: 600,
      width: 1400,
      height: 800,
    });
  });
  it('is whole on the screen that showed most of it', () => {
    expect(placeWindow(at(2400, 300, 1280, 760), [LARGE, SMALL])).toEqual({
      x: 2560,
      y: 200,
      width: 1280,
      height: 760,
    });
  });
  it('shrinks to a smaller screen, even below what it may be shrunk to by hand', () => {
    expect(placeWindow(at(0, 0, 3000, 2000), [{ x: 0, y: 0, width: 800, height: 600 }])).toEqual({
      x: 0,
      y: 0,
      width: 800,
      height: 600,
    });
  });
  it('is always whole on some screen, whatever was written down', () => {
    for (let n = 0; n < 500; n += 1) {
      const draw = (k: number): number => Math.round((uniform(5, 'place', n, k) - 0.5) * 12_000);
      const placed = placeWindow(at(draw(0), draw(1), draw(2), draw(3)), [LARGE, SMALL]);
      expect(
        [LARGE, SMALL].some((screen) => isInside(placed, screen)),
        JSON.stringify(placed),
      ).toBe(true);
      expect(placed.width).toBeGreaterThanOrEqual(SMALLEST.width);
    }
  });
  it.each([
    [null],
    [{}],
    [{ bounds: { x: 0, y: 0, width: 1e9, height: 1 }, maximized: false }],
    [{ bounds: { x: Number.NaN, y: 0, width: 1, height: 1 }, maximized: false }],
    ['x'],
  ])('is not taken from %j', (found) => {
    expect(windowPlaceSchema.safeParse(found).success).toBe(false);
  });
});
