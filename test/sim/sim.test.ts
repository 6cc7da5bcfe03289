import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inputFor, wrongInputFor } from './inputs.ts';
import { placeOf } from '../mutants/edit.ts';
import { MUTANTS } from './mutants.ts';
import { branchIn, POINTS } from './points.ts';
import { sim, startSim } from './run-sim.ts';
import { NEVER_ANSWERED, NOT_ASKED, ONLY_WRONGLY, verbsOfTheRouter } from './verbs.ts';
import { Draws } from './world.ts';

describe('The simulation', { timeout: 600_000 }, () => {
  // Of the first 24 seeds this one strikes with the most kinds of faults.
  it.concurrent('finds the engine sound under random faults', async () => {
    const { code, violations, counts, stderr } = await sim('--seed', '7', '--steps', '1000');
    expect(violations, stderr).toEqual([]);
    expect(counts.deaths).toBeGreaterThan(0);
    expect(counts.commits).toBeGreaterThan(0);
    expect(code).toBe(0);
  });

  it.concurrent(
    'finds a changed line, prints its seed, and finds it again from there with the same trace',
    { tags: ['full'] },
    async () => {
      const found = await sim('--mutant', 'raw-error', '--steps', '20000');
      expect(found.code).toBe(1);
      expect(found.violations[0]).toContain('TypeError');
      const last = found.seeds.at(-1)!;
      expect(found.stderr).toContain(`npm run sim -- --seed ${last.seed} --mutant raw-error`);
      const again = await sim('--seed', String(last.seed), '--mutant', 'raw-error');
      expect(again.seeds).toEqual([last]);
      expect(again.violations).toEqual(found.violations);
    },
  );

  it.concurrent('ends at a signal and leaves nothing behind', async () => {
    const child = startSim('--minutes', '9');
    const folder = `/dev/shm/anchor-sim-${child.pid}`;
    const ended = new Promise((resolve) => void child.on('exit', resolve));
    // The first line is written when the seeds begin.
    await new Promise((resolve) => void child.stderr.once('data', resolve));
    expect(existsSync(folder)).toBe(existsSync('/dev/shm'));
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(existsSync(folder)).toBe(false);
  });

  it('asks for every verb of the contract, with inputs that its schema allows and such as it refuses, or says why not', () => {
    const verbs = verbsOfTheRouter();
    const paths = verbs.map(({ path }) => path);
    const named = [NOT_ASKED, ONLY_WRONGLY, NEVER_ANSWERED].flatMap(Object.keys);
    expect(paths).toEqual(expect.arrayContaining(named));
    expect(new Set(named).size).toBe(named.length);
    const missing: string[] = [];
    for (const { path, input } of verbs) {
      if (input === null || Object.hasOwn(NOT_ASKED, path)) continue;
      const draws = new Draws(1, path);
      const tries = Array.from({ length: 30 });
      const allowed = tries.filter(() => input.safeParse(inputFor(input, draws, () => [])).success).length;
      const refused = tries.filter(() => wrongInputFor(input, draws, () => []) !== null).length;
      if (allowed < 5 || refused < 5) missing.push(`${path}: ${allowed} allowed, ${refused} refused`);
    }
    expect(missing).toEqual([]);
  });

  it('knows the place of every point and of every line that it changes', () => {
    for (const place of [...POINTS, ...Object.values(MUTANTS)]) expect(placeOf(place)).toBeGreaterThan(0);
    for (const point of POINTS) expect(branchIn(point)).toBeGreaterThanOrEqual(0);
    expect(new Set(POINTS.map(({ name }) => name)).size).toBe(POINTS.length);
  });
});
