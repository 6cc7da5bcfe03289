import type { Rectangle } from 'electron';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const lengthSchema = z.int().min(-100_000).max(100_000);

/** Where the window was when it was closed. */
export const windowPlaceSchema = z.strictObject({
  bounds: z.strictObject({ x: lengthSchema, y: lengthSchema, width: lengthSchema, height: lengthSchema }),
  maximized: z.boolean(),
});
export type WindowPlace = z.infer<typeof windowPlaceSchema>;

/** Every screen of the window works from here upwards. */
export const SMALLEST = { width: 1024, height: 640 } as const;
const USUAL = { width: 1440, height: 900 } as const;

/**
 * A place on a screen that is there: a window that was on a screen since unplugged, or is larger than the present one, is brought
 * back whole. All lengths in device-independent pixels.
 * @param screens work areas, the primary one first; at least one.
 */
export function placeWindow(saved: WindowPlace | null, screens: readonly Rectangle[]): Rectangle {
  const primary = screens[0] ?? { x: 0, y: 0, ...USUAL };
  const wanted = saved?.bounds ?? { ...centred(USUAL, primary) };
  const screen = screens.toSorted((a, b) => overlap(wanted, b) - overlap(wanted, a))[0] ?? primary;
  const width = Math.min(Math.max(wanted.width, SMALLEST.width), screen.width);
  const height = Math.min(Math.max(wanted.height, SMALLEST.height), screen.height);
  return {
    width,
    height,
    x: between(wanted.x, screen.x, screen.x + screen.width - width),
    y: between(wanted.y, screen.y, screen.y + screen.height - height),
  };
}

const between = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** Area that two rectangles share. */
function overlap(a: Rectangle, b: Rectangle): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

function centred({ width, height }: { width: number; height: number }, screen: Rectangle): Rectangle {
  const fitting = { width: Math.min(width, screen.width), height: Math.min(height, screen.height) };
  return {
    ...fitting,
    x: screen.x + Math.round((screen.width - fitting.width) / 2),
    y: screen.y + Math.round((screen.height - fitting.height) / 2),
  };
}

/** JSON of a file; null when there is none or it cannot be read as such. */
export function readJsonOrNull(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
