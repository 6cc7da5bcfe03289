import { describe, expect, it } from 'vitest';
import { line } from './line.ts';

describe('The line through points', () => {
  it('is the one they lie on', () => {
    const through = line([1, 2, 3, 7].map((x) => ({ x, y: 3 * x + 2 })));
    expect([through(0), through(10)]).toEqual([2, 32]);
  });

  it('stays where most of them are', () => {
    const points = Array.from({ length: 40 }, (_, x) => ({ x, y: x % 5 === 4 ? 1000 : 1 + x / 100 }));
    const through = line(points);
    expect(through(39) / through(0)).toBeGreaterThan(1.3);
    expect(through(39) / through(0)).toBeLessThan(1.5);
  });

  it('is none for a single point', () => {
    expect(() => line([{ x: 1, y: 1 }])).toThrow('no line through fewer than two points');
  });
});
