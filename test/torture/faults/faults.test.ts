import { expect, it } from 'vitest';
import { FAULTS } from './table.ts';

it('the table of faults holds at least forty kinds, each with a name of its own; `npm run torture` injects them all', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  expect(FAULTS.length).toBeGreaterThanOrEqual(40);
});
