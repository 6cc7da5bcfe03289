import { describe, expect, it } from 'vitest';
import { playEach } from './play-each.ts';
import { FAULTS } from './table.ts';

playEach(FAULTS.filter(({ quick }) => quick === true));

describe('the table of faults', () => {
  it('holds at least forty kinds, each with a name of its own; `npm run torture` injects them all', () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
    expect(FAULTS.length).toBeGreaterThanOrEqual(40);
  });

  it('has one in `npm test`, which a run survives', () => {
    const kinds = FAULTS.filter(({ quick }) => quick === true).map(({ outcome }) => outcome.kind);
    expect(kinds).toEqual(['goesOn']);
  });
});
