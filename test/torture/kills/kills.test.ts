import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../scratch.ts';
import { warmPython } from '../../support/warm-trainer.ts';
import { killAround } from './campaign.ts';

/**
 * `runner-client.test.ts` kills the runner, `supervisor-client.test.ts` the supervisor, `samplers.test.ts` the trainer alone;
 * `kills.full.test.ts` strikes all four in the middle of runs, again and again.
 */
const STRUCK = ['engine'] as const;
const SEED = 20_261_122;

const folder = scratchFolder('kills');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('kill -9', () => {
  it(`of the engine at a random moment leaves what an undisturbed run leaves (seed ${SEED})`, async () => {
    const summary = await killAround({
      kills: STRUCK.length,
      once: STRUCK,
      python: warmPython() ?? undefined,
      seed: SEED,
      folder,
      stateFile: join(folder, 'kills.jsonl'),
    });
    process.stderr.write(`kill -9: ${JSON.stringify(summary)}\n`);
    expect(summary.differences).toEqual([]);
    expect(summary.byTarget).toEqual(Object.fromEntries(STRUCK.map((target) => [target, 1])));
  }, 1_800_000);
});
