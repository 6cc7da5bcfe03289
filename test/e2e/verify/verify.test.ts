import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MadeLab } from '../../support/made-lab.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { TAMPERINGS } from './tampering.ts';
import { verified, verifiedTampered } from './tampered-lab.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-verify-'));
let lab: MadeLab;
beforeAll(async () => {
  lab = await copyPreparedLab(join(scratch, 'lab'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Rules that have nothing to say of the prepared runs: they have no questions, are no controls, and their contexts are merged by rule. */
const WITHOUT_WORK = [
  'questions.read',
  'votes.read',
  'votes.agreement',
  'votes.label',
  'questions.kept',
  'rewards.challenger',
  'reviews.control',
  'summaries.lineage',
];

describe('the verifier', () => {
  it('finds nothing in a run as it was stored, and every rule has something to compare', async () => {
    const { reports, differing } = await verified(lab.folder, [lab.supervised], 6);
    const [report] = reports;
    expect(report?.rules.filter(({ differing: count }) => count > 0)).toEqual([]);
    expect(differing).toBe(0);
    const idle = report?.rules.filter(({ checked }) => checked === 0).map(({ rule }) => rule);
    expect(idle).toEqual(WITHOUT_WORK);
  });

  it.for(['solutions.verdict', 'rewards.advantage', 'contexts.lineage', 'contexts.leaks'])(
    'finds a changed value by the rule %s though the hashes around it were computed again',
    async (rule) => {
      const tampering = TAMPERINGS.find((each) => each.rule === rule);
      if (tampering === undefined) throw new Error(`No change is found by ${rule}.`);
      const report = await verifiedTampered(lab.folder, lab.supervised, tampering);
      const found = report.rules.find((each) => each.rule === rule);
      expect(found?.first?.about).toEqual(
        typeof tampering.about === 'string' ? tampering.about : expect.stringMatching(tampering.about),
      );
    },
  );

  it('refuses a name that nothing in the lab has, in one sentence', async () => {
    await expect(verified(lab.folder, ['run-0'], 0)).rejects.toMatchObject({
      kind: 'usage',
      exitCode: 2,
      message: 'There is no run, experiment or evaluation "run-0" in this lab.',
    });
  });
});
