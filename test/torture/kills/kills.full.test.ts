// @module-tag full
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { killAround } from './campaign.ts';
import { TARGETS } from './strike.ts';

/** `npm run torture` goes on to 1,000. */
const KILLS = 50;
const SEED = 20_261_120;

const folder = scratchFolder('kills');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('kill -9', () => {
  it(`at ${KILLS} random moments of engine, trainer, supervisor and runner leaves what an undisturbed run leaves (seed ${SEED})`, async () => {
    const summary = await killAround({
      kills: KILLS,
      seed: SEED,
      folder,
      stateFile: join(folder, 'kills.jsonl'),
    });
    process.stderr.write(`kill -9: ${JSON.stringify(summary)}\n`);
    expect(summary.differences).toEqual([]);
    expect(summary.kills).toBe(KILLS);
    expect(Object.keys(summary.byTarget).sort()).toEqual([...TARGETS].sort());
    expect(Object.keys(summary.byPhase).length).toBeGreaterThanOrEqual(5);
    expect(Object.keys(summary.byClock).sort()).toEqual(['event', 'operation', 'time']);
  }, 3_600_000);
});
