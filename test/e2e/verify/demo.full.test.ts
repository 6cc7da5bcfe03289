// @module-tag full
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Verifications } from '../../../electron/contract/index.ts';
import { APPLICATION } from '../../support/engine.ts';
import { checkedBy, expectWork } from './sound-runs.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 1_800_000 });

/** The most that a verification may take of the processor time of what it verifies. */
const MOST = 1 / 5;
const STEPS = 6;

const lab = mkdtempSync(join(tmpdir(), 'anchor-verified-demo-'));
afterAll(() => rmSync(lab, { recursive: true, force: true }));

/** A command line with all that it starts: what it prints, and the processor seconds of all of it. */
function measured(...args: string[]): { code: number; stdout: string; seconds: number } {
  const result = `${lab}.seconds`;
  const command = [join(APPLICATION, 'electron/cli/anchor.ts'), '--lab', lab, ...args];
  const { stdout, stderr } = spawnSync(
    join(APPLICATION, '.venv/bin/python'),
    [join(import.meta.dirname, 'processor_time.py'), result, process.execPath, ...command],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  try {
    const said = JSON.parse(readFileSync(result, 'utf8')) as { code: number; seconds: number };
    return { ...said, stdout };
  } catch (cause) {
    throw new Error(`Nothing was measured of "${args.join(' ')}": ${stderr}`, { cause });
  } finally {
    rmSync(result, { force: true });
  }
}

type Measured = ReturnType<typeof measured>;
let demo: Measured;
let verification: Measured;
beforeAll(() => {
  demo = measured('demo', '--steps', String(STEPS), '--items', '10');
  verification = measured('verify', '--json');
});

describe('a demo of both arms with their evaluations', () => {
  it('is verified without a difference, and every rule has something to compare', () => {
    expect(demo.code).toBe(0);
    expect(verification.code).toBe(0);
    const { reports, differing } = JSON.parse(verification.stdout) as Verifications;
    expect(differing).toBe(0);
    const runs = reports.filter(({ kind }) => kind === 'run');
    expect(runs).toHaveLength(2);
    for (const run of runs) {
      const isSupervised = checkedBy(run, 'reviews.quarantine') > 0;
      const ofReviews = isSupervised ? 10 * STEPS : 0;
      expectWork(run, {
        'steps.chain': STEPS,
        'rewards.rating': STEPS,
        'rollouts.logp': 12,
        'reviews.quarantine': ofReviews,
        'reviews.material': 2 * ofReviews,
        'reviews.statistics': isSupervised ? STEPS : 0,
        'summaries.scope': isSupervised ? STEPS : 0,
        'summaries.points': isSupervised ? STEPS : 0,
        'contexts.lineage': isSupervised ? 1 : 0,
        'contexts.leaks': isSupervised ? 1 : 0,
        'summaries.lineage': isSupervised ? 1 : 0,
      });
    }
    expect(runs.filter((run) => checkedBy(run, 'reviews.quarantine') > 0)).toHaveLength(1);
    const evaluations = reports.filter(({ kind }) => kind === 'evaluation');
    expect(evaluations.length).toBeGreaterThan(8);
    for (const evaluation of evaluations) {
      expect(checkedBy(evaluation, 'evaluations.verdicts'), evaluation.title).toBeGreaterThanOrEqual(10);
      expect(checkedBy(evaluation, 'evaluations.scores'), evaluation.title).toBeGreaterThan(0);
      expect(checkedBy(evaluation, 'evaluations.weights'), evaluation.title).toBeGreaterThan(0);
    }
  });

  it('takes at least five times the processor time of its verification, programs in the sandbox included', () => {
    const share = verification.seconds / demo.seconds;
    process.stderr.write(
      `processor seconds: demo ${demo.seconds.toFixed(1)}, verification ${verification.seconds.toFixed(1)}, ${(100 * share).toFixed(1)} %\n`,
    );
    expect(verification.seconds).toBeGreaterThan(1);
    expect(share).toBeLessThan(MOST);
  });
});
