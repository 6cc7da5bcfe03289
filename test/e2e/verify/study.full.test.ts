// @module-tag full
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { APPLICATION } from '../../support/engine.ts';
import { checkedBy, expectWork } from './sound-runs.ts';
import { verified } from './tampered-lab.ts';

vi.setConfig({ testTimeout: 1_800_000 });

const folder = mkdtempSync(join(tmpdir(), 'anchor-verified-study-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ARMS = ['alone', 'supervised'];
const SEEDS = 2;
const STEPS = 2;

it('the verifier finds the runs of a study by its name, and nothing that differs in them', async () => {
  const settings = { seeds: SEEDS, steps: STEPS, every: STEPS, items: 4, only: ARMS.join(','), jobs: 1 };
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      join(APPLICATION, 'test/study/run.ts'),
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      '--rewarded-share',
      '0.25',
      '--folder',
      folder,
    ],
    { encoding: 'utf8', timeout: 1_500_000 },
  );
  expect(status, stderr).toBe(0);
  const { reports, differing } = await verified(join(folder, 'lab'), ['study'], 8);
  expect(differing).toBe(0);
  const runs = reports.filter(({ kind }) => kind === 'run');
  expect(runs).toHaveLength(ARMS.length * SEEDS);
  for (const run of runs) {
    // A study takes its checkpoints away once they are evaluated, and their tokenizer with them.
    const gone = { 'prompts.tokens': 0, 'rollouts.logp': 0, 'checkpoints.files': 0 };
    const idle = ['statistics', 'quarantine', 'material'].map((rule) => [`reviews.${rule}`, 0]);
    const isReviewed = run.title.includes('supervised');
    expectWork(
      run,
      isReviewed
        ? gone
        : { ...gone, ...Object.fromEntries(idle), 'summaries.scope': 0, 'summaries.points': 0 },
    );
  }
  const evaluations = reports.filter(({ kind }) => kind === 'evaluation');
  expect(evaluations.length).toBeGreaterThanOrEqual(runs.length * 7);
  for (const each of evaluations)
    expect(checkedBy(each, 'evaluations.verdicts'), each.title).toBeGreaterThan(3);
});
