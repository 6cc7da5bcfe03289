// @module-tag full
import { afterAll, expect, it, vi } from 'vitest';
import type { Verifications } from '../../../electron/contract/index.ts';
import { anchor, makeLab, removeLab } from '../anchor-cli.ts';
import { expectWork } from './sound-runs.ts';

vi.setConfig({ testTimeout: 3_600_000 });

const RUNS = ['sample-alone', 'sample-supervised'];
const STEPS = 24;
const lab = makeLab();
afterAll(() => removeLab(lab));

it('the verifier finds nothing in the recorded sample whose checkpoints were made again', () => {
  const made = anchor(lab, ['sample', 'checkpoints'], 3_000_000);
  expect(made.code, made.stderr).toBe(0);
  const { code, stdout, stderr } = anchor(lab, ['verify', '--json', ...RUNS], 1_800_000);
  expect(code, stderr).toBe(0);
  const { reports, differing } = JSON.parse(stdout) as Verifications;
  expect(differing).toBe(0);
  const runs = reports.filter(({ kind }) => kind === 'run');
  expect(runs.map(({ id }) => id).toSorted()).toEqual(RUNS);
  for (const run of runs) {
    const ofReviews = run.id === 'sample-supervised' ? 10 * STEPS : 0;
    expectWork(run, {
      'steps.chain': STEPS,
      'rewards.rating': 2 * STEPS,
      'rollouts.logp': 12,
      'reviews.quarantine': ofReviews,
      'reviews.material': 2 * ofReviews,
      'reviews.statistics': ofReviews / 10,
      'summaries.scope': ofReviews / 10,
      'summaries.points': ofReviews / 10,
      'contexts.lineage': ofReviews / 10,
      'contexts.leaks': ofReviews / 30,
    });
  }
  const evaluations = reports.filter(({ kind }) => kind === 'evaluation');
  expect(evaluations.length).toBeGreaterThan(20);
  for (const { title, checked } of evaluations) expect(checked, title).toBeGreaterThan(20);
});
