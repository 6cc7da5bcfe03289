/** A random draw with a seed of its own (mulberry32), so that a case that fails can be made again from its number. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 0x9e3779b1) >>> 0;
  }

  /** A number in [0, 1). */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0, below `size`. */
  below(size: number): number {
    return Math.floor(this.share() * size);
  }

  chance(probability: number): boolean {
    return this.share() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  several<T>(from: readonly T[], most: number): T[] {
    return Array.from({ length: this.below(most + 1) }, () => this.pick(from));
  }
}

/** Right-to-left override, zero-width space, half a surrogate pair, an escape sequence, and what else acts instead of showing. */
export const ACTING_TEXTS = [
  '\u202egnp.exe',
  'a\u200bb',
  '\ud800',
  '\u001b[2J\u001b[31m',
  'a\u0000b',
  'a\r\nb',
  '\u2028',
  '\ufeff',
];

/** Texts that something may take for something else. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...ACTING_TEXTS,
  '',
  ' ',
  '\n',
  '-',
  '--',
  '--json',
  '-1',
  '0',
  'null',
  'true',
  'NaN',
  '../../etc/passwd',
  '/etc/passwd',
  '/dev/full',
  '/proc/self/mem',
  'a/b',
  'C:\\x',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '%s%n%x',
  '$HOME',
  '`id`',
  "'; DROP TABLE runs; --",
  'x'.repeat(300),
  'ü'.repeat(5000),
  '99999999999999999999',
  '1e309',
];

export const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e-320,
  5e-324,
  1.7e308,
  9e15,
  Infinity,
  -Infinity,
  NaN,
];

/** What JSON or YAML can hold in place of what belongs there. */
export function hostileValue(draw: Draw, depth = 0): unknown {
  const within = (): unknown => hostileValue(draw, depth + 1);
  switch (draw.below(depth > 2 ? 4 : depth === 0 ? 8 : 6)) {
    case 0:
      return draw.pick(HOSTILE_NUMBERS);
    case 1:
    case 2:
      return draw.pick(HOSTILE_TEXTS);
    case 3:
      return draw.pick([null, true, false]);
    case 4:
      return Array.from({ length: draw.below(4) }, within);
    case 5:
      return Object.fromEntries(draw.several(HOSTILE_TEXTS, 3).map((key) => [key, within()]));
    case 6:
      return draw.pick([1, 2, 0.25, 7, 100, 'x', '0.5']);
    default: {
      let value: unknown = draw.pick<unknown>([1, 'deep', {}]);
      for (let level = draw.pick([3, 4, 40, 500]); level > 0; level -= 1)
        value = draw.chance(0.5) ? [value] : { deep: value };
      return value;
    }
  }
}
