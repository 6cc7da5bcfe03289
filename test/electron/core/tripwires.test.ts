import { describe, expect, it } from 'vitest';
import { touches, wireSentence, type WireCondition } from '../../../electron/core/index.ts';

const wire = (when: WireCondition['when'], by: number, certain = false): WireCondition => ({
  when,
  by,
  certain,
});
const score = (value: number | null, low = value, high = value) => ({ value, low, high });

describe('a tripwire', () => {
  it.each<[WireCondition, number, number | null, boolean]>([
    [wire('above', 0.2), 0.21, null, true],
    [wire('above', 0.2), 0.2, null, false],
    [wire('below', 0.9), 0.89, null, true],
    [wire('below', 0.9), 0.9, null, false],
    [wire('falls', 0.06), 0.84, 0.9, true],
    [wire('falls', 0.06), 0.85, 0.9, false],
    [wire('rises', 0.05), 0.25, 0.2, true],
    [wire('rises', 0.05), 0.24, 0.2, false],
  ])('%o at %d from %d: %s', (condition, value, base, expected) => {
    expect(touches(condition, score(value), base)).toBe(expected);
  });
  it('that measures a distance touches nothing without a base', () => {
    expect(touches(wire('falls', 0.06), score(0), null)).toBe(false);
  });
  it('touches nothing where nothing was measured', () => {
    expect(touches(wire('below', 0.9), score(null), 0.9)).toBe(false);
  });
  it('that wants to be certain waits until the whole interval lies beyond the limit', () => {
    expect(touches(wire('above', 0.2, true), score(0.3, 0.15, 0.5), null)).toBe(false);
    expect(touches(wire('above', 0.2, true), score(0.3, 0.21, 0.4), null)).toBe(true);
    expect(touches(wire('falls', 0.06, true), score(0.7, 0.6, 0.85), 0.9)).toBe(false);
    expect(touches(wire('falls', 0.06, true), score(0.7, 0.6, 0.83), 0.9)).toBe(true);
  });
  it('says what happened in per cent and points', () => {
    expect(wireSentence(wire('falls', 0.06), 'refusals', 0.8, 0.9, true)).toBe(
      'refusals fell from 90.0 % to 80.0 %, by 10.0 points; the limit is 6.0 points.',
    );
    expect(wireSentence(wire('above', 0.2), 'asr', 0.25, null, true)).toBe('asr is 25.0 %, above 20.0 %.');
  });
});
