import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { placeOf, POINTS } from './points.ts';

type Said = { seeds: { seed: number; traceHash: string }[]; steps: number; violations: string[] };

/** A process of its own: a simulation takes over time, files and children of the process it is in. */
async function sim(...args: string[]): Promise<Said & { code: number; stderr: string }> {
  const ran = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'run.ts'), ...args], {
    maxBuffer: 1e8,
    env: { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '../../out/compile-cache') },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { ...(JSON.parse(ran.stdout) as Said), code: ran.code, stderr: ran.stderr };
}

describe('The simulation', { timeout: 600_000 }, () => {
  it.concurrent('finds the engine sound under the faults of a few seeds', async () => {
    const { code, violations, steps, stderr } = await sim('--seed', '1', '--steps', '3500');
    expect(violations, stderr).toEqual([]);
    expect(steps).toBeGreaterThanOrEqual(3500);
    expect(code).toBe(0);
  });

  it.concurrent(
    'finds a planted fault, prints its seed, and finds it again from there with the same trace',
    async () => {
      const found = await sim('--seed', '7', '--steps', '20000', '--plant', 'raw-error');
      expect(found.code).toBe(1);
      expect(found.violations[0]).toContain('TypeError');
      const last = found.seeds.at(-1) as Said['seeds'][number];
      expect(found.stderr).toContain(`npm run sim -- --seed ${last.seed} --plant raw-error`);
      const again = await sim('--seed', String(last.seed), '--plant', 'raw-error');
      expect(again.seeds).toEqual([last]);
      expect(again.violations).toEqual(found.violations);
    },
  );

  it('knows the place of every point that a long run has to reach', () => {
    for (const point of POINTS) expect(placeOf(point)).toBeGreaterThan(0);
    expect(new Set(POINTS.map(({ name }) => name)).size).toBe(POINTS.length);
  });
});
