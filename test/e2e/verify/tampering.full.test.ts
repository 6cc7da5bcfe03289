// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MadeLab } from '../../support/made-lab.ts';
import { copyPreparedLab } from '../../support/prepared-lab.ts';
import { TAMPERINGS } from './tampering.ts';
import { verifiedTampered } from './tampered-lab.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-tampering-'));
let lab: MadeLab;
beforeAll(async () => {
  lab = await copyPreparedLab(join(scratch, 'lab'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What hashes say; computed again around a change, they say nothing of it. */
const OF_HASHES = ['events.chain', 'records.attested', 'steps.chain'];

describe('the verifier', () => {
  it.for(TAMPERINGS.map((tampering) => [tampering.what, tampering] as const))(
    'names %s as the first difference',
    async ([, tampering]) => {
      const report = await verifiedTampered(lab.folder, lab.supervised, tampering);
      const found = report.rules.find(({ rule }) => rule === tampering.rule);
      expect(found?.differing).toBeGreaterThan(0);
      expect(found?.first?.about).toEqual(
        typeof tampering.about === 'string' ? tampering.about : expect.stringMatching(tampering.about),
      );
      expect(found?.first?.stored).not.toBe(found?.first?.recomputed);
      if (tampering.attested !== false)
        for (const { rule, first } of report.rules) if (OF_HASHES.includes(rule)) expect(first).toBeNull();
    },
  );
});
