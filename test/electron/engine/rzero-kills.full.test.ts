// @module-tag full
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { everyPhase, MEMORY_PLANNED, runConfigSchema } from '../../../electron/contract/index.ts';
import { uniform } from '../../../electron/core/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { mergeConfigs } from '../../../electron/plan/index.ts';
import { anchor, makeLab, query, removeLab, saidBy, startAnchor } from '../../e2e/anchor-cli.ts';

const KILLS = 30;
const SEED = 20_261_127;

/** Two iterations of the embedded models in small: C and S of two steps, G and L of two parts each. */
const RUN = runConfigSchema.parse(
  mergeConfigs(PRESETS['rzero-demo'], {
    name: 'struck',
    steps: 16,
    framework: {
      name: 'rzero',
      challenge: { steps: 2, prompts: 2, samples: 4 },
      vote: { samples: 3 },
      pose: { questions: 32, perStep: 16 },
      label: { samples: 4, window: [0.2, 0.9], widenTimes: 3 },
      solve: { steps: 2, prompts: 4, samples: 3 },
    },
    supervision: { phases: everyPhase(0.5), minimumSupport: 1 },
    checkpoints: { keepEvery: 1 },
  }),
);

type Step = { step: number; stage: string; hash: string; ms: number };

/** Committed steps, by place; none while the lab is being made. */
function stepsOf(folder: string): Step[] {
  try {
    return query<Step>(
      folder,
      `SELECT step, stage, step_hash AS hash,
         (julianday(finished_at) - julianday(started_at)) * 86400000 AS ms FROM steps ORDER BY step`,
    );
  } catch {
    return [];
  }
}

/** How often weights were loaded for the run; 0 while the lab is being made. */
function livesOf(folder: string): number {
  try {
    return query<{ n: number }>(folder, 'SELECT count(*) AS n FROM events WHERE kind = ?', MEMORY_PLANNED)[0]!
      .n;
  } catch {
    return 0;
  }
}

const hashesOf = (folder: string): unknown[] =>
  stepsOf(folder).map(({ step, stage, hash }) => ({ step, stage, hash }));

it(`A supervised run of challenger and solver ends in the undisturbed hashes after kill -9 at ${KILLS} moments of C, G, L and S (seed ${SEED})`, async () => {
  const [folder, straight] = [makeLab(), makeLab()] as const;
  try {
    const file = join(straight, 'run.json');
    writeFileSync(file, JSON.stringify(RUN));
    const whole = anchor(straight, ['run', '--config', file], 1_200_000);
    expect(whole.code, whole.stderr).toBe(0);
    const undisturbed = stepsOf(straight);
    expect(undisturbed).toHaveLength(RUN.steps);
    const struck: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      // Each step in turn, at any moment from the commit before it until well after the time it takes.
      const before = Math.floor((kill * RUN.steps) / KILLS);
      const [run] = kill === 0 ? [] : query<{ id: string }>(folder, 'SELECT id FROM runs');
      const lives = livesOf(folder);
      const child = startAnchor(folder, run === undefined ? ['run', '--config', file] : ['resume', run.id]);
      const ended = new Promise((resolve) => child.once('close', resolve));
      // A life is at work once it has loaded weights; a fifth of the moments lies before that.
      await vi.waitFor(
        () => {
          expect(stepsOf(folder).length, saidBy(folder)).toBeGreaterThanOrEqual(before);
          if (kill % 5 !== 4) expect(livesOf(folder), saidBy(folder)).toBeGreaterThan(lives);
        },
        { timeout: 300_000, interval: 10 },
      );
      const moment = uniform(SEED, 'moment', kill, 0) * 1.2 * (undisturbed[before] as Step).ms;
      await new Promise((resolve) => {
        setTimeout(resolve, moment);
      });
      child.kill('SIGKILL');
      await ended;
      struck.push(undisturbed[stepsOf(folder).length]?.stage ?? 'end');
    }
    const [{ id }] = query<{ id: string }>(folder, 'SELECT id FROM runs') as [{ id: string }];
    const { code, stderr } = anchor(folder, ['resume', id], 1_200_000);
    expect(code === 0 || stderr.includes('is done'), stderr).toBe(true);
    const times = [...Map.groupBy(struck, (stage) => stage)].map(
      ([stage, all]) => `${all.length} in ${stage}`,
    );
    process.stderr.write(`kill -9 of R-Zero: ${times.join(', ')}\n`);
    expect(struck).toEqual(expect.arrayContaining(['challenge', 'pose', 'label', 'solve']));
    expect(hashesOf(folder)).toEqual(hashesOf(straight));
  } finally {
    [folder, straight].forEach(removeLab);
  }
}, 3_600_000);
