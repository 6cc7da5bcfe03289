// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunConfig } from '../../../electron/contract/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import { openEngine } from '../../support/engine.ts';
import type { MadeLab } from '../../support/made-lab.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { verified } from './tampered-lab.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-controls-'));
let lab: MadeLab;
let engine: Engine;
beforeAll(async () => {
  lab = await copyPreparedLab(join(scratch, 'lab'));
  engine = await openEngine(lab.folder);
});
afterAll(async () => {
  await engine.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Takes the prepared supervised run again with another seed and supervision, and verifies it. Returns its id and the rules that found nothing to compare. */
async function take(
  supervision: Partial<RunConfig['supervision']>,
): Promise<{ id: string; idle: string[]; differing: unknown[] }> {
  const { config } = engine.store.requireRun(lab.supervised);
  const { id } = engine.startRun({
    ...config,
    name: 'control',
    seed: config.seed + 1,
    supervision: { ...config.supervision, ...supervision },
  });
  expect((await engine.waitFor(id)).state).toBe('done');
  const { reports } = await verified(lab.folder, [id], 0);
  const rules = reports[0]?.rules ?? [];
  return {
    id,
    differing: rules.filter(({ differing }) => differing > 0),
    idle: rules.filter(({ checked }) => checked === 0).map(({ rule }) => rule),
  };
}

describe('a control', () => {
  it('that has the reviews of another run has them at the same places, and the verifier says so', async () => {
    const { id, differing, idle } = await take({
      reviewer: 'yoked',
      reviewerSettings: { run: lab.supervised },
    });
    expect(differing).toEqual([]);
    expect(idle).not.toContain('reviews.control');
    const said = (runId: string): string[] =>
      engine.store
        .listReviews(runId, 1)
        .filter(({ status }) => status === 'done')
        .map((review) => `${review.id} ${review.feedback}`);
    expect(said(id).length).toBeGreaterThan(5);
    expect(said(lab.supervised)).toEqual(expect.arrayContaining(said(id)));
  });

  it('that shuffles reviews is computed again without a difference, batch statistics included', async () => {
    const { differing, idle } = await take({ placing: 'shuffled', reviewer: 'rubric' });
    expect(differing).toEqual([]);
    expect(idle).not.toContain('reviews.statistics');
  });

  it('with fixed lines and every issue as guidance is too', async () => {
    const { id, differing } = await take({
      reviewer: 'rubric',
      guidance: 'every',
      nothingToCompare: 'say',
      fixedContext: ['Refuse unsafe requests.'],
      expirySteps: 1,
    });
    expect(differing).toEqual([]);
    expect(engine.store.getContext(id, 3)?.lines[0]?.text).toBe('Refuse unsafe requests.');
  });
});
