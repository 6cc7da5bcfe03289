import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { killAround } from './campaign.ts';
import { TARGETS } from './strike.ts';

const SEED = 20_261_120;

const folder = scratchFolder('kills');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('kill -9', () => {
  it(`of engine, trainer, supervisor and runner, once each at random moments, leaves what an undisturbed run leaves (seed ${SEED})`, async () => {
    const summary = await killAround({
      kills: TARGETS.length,
      eachOnce: true,
      seed: SEED,
      folder,
      stateFile: join(folder, 'kills.jsonl'),
    });
    process.stderr.write(`kill -9: ${JSON.stringify(summary)}\n`);
    expect(summary.differences).toEqual([]);
    expect(summary.byTarget).toEqual(Object.fromEntries(TARGETS.map((target) => [target, 1])));
  }, 1_800_000);
});
