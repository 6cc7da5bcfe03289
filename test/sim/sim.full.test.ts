// @module-tag full
import { describe, expect, it } from 'vitest';
import { MUTANT_NAMES, MUTANTS } from './mutants.ts';
import { sim } from './run-sim.ts';

describe('An engine with one line of it changed', { timeout: 600_000 }, () => {
  // Where the engine has changed since, the same may be found a few seeds later.
  it.each(MUTANT_NAMES)('is found by the simulation from its seed on: %s', async (name) => {
    const { violations, stderr } = await sim('--mutant', name, '--steps', '20000');
    expect(violations.length, stderr).toBeGreaterThan(0);
  });

  it.each(MUTANT_NAMES)('is told from the engine as it is, which is sound there: %s', async (name) => {
    const { seed, faults } = MUTANTS[name];
    const { violations } = await sim('--seed', String(seed), '--faults', faults.join() || 'none');
    expect(violations).toEqual([]);
  });
});
