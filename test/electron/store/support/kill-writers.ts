import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openLab } from '../../../../electron/store/index.ts';
import { startChild } from './children.ts';
import { inTempFolder, makeCommit, seededRandom, steadyClock } from './make-records.ts';

const SEED = 20260101;
/** A step takes about 10 ms, so a kill falls anywhere in the first dozens of steps. */
const LATEST_KILL_MS = 200;

/** Lanes of labs that are killed beside each other; each lab is killed several times in a row. */
export type Strikes = { lanes: number; labs: number; killsPerLab: number };

async function killOnce(
  folder: string,
  compileCache: string,
  delay: number,
): Promise<{ acknowledged: number; stored: number; unclean: boolean }> {
  const child = startChild('commit-steps.ts', [folder], { compileCache });
  await child.line(/^ack /);
  await pause(delay);
  child.process.kill('SIGKILL');
  await child.ended;
  const acknowledged = Number(child.lines.findLast((line) => line.startsWith('ack '))?.slice(4));
  const lab = await openLab(folder, { now: steadyClock() });
  try {
    expect(lab.checkIntegrity()).toEqual([]);
    const stored = lab.getRun('k')?.committedSteps ?? 0;
    for (const step of [stored - 1, stored]) {
      if (step < 1) continue;
      const { tasks, ...rest } = makeCommit(step);
      const found = {
        step: lab.getStep('k', step),
        rollouts: lab.listRollouts('k', step),
        reviews: lab.listReviews('k', step),
        summaries: lab.listSummaries('k', step),
        wordings: lab.listWordings('k', step),
        nextContext: lab.getContext('k', step + 1),
        checkpoint: lab.getCheckpoint('k', step),
        generations: lab.listGenerations('k', step),
      };
      expect(found).toEqual(rest);
      expect(lab.getTask('k', tasks[0]?.id ?? '')).toEqual(tasks[0]);
    }
    expect(lab.getStep('k', stored + 1)).toBeNull();
    expect(
      lab.listEvents('k', { limit: 100_000 }).filter((event) => event.kind === 'step.committed'),
    ).toHaveLength(stored);
    return { acknowledged, stored, unclean: lab.opened.uncleanExit };
  } finally {
    lab.close();
  }
}

async function killLane(
  number: number,
  { labs, killsPerLab }: Strikes,
  compileCache: string,
): Promise<number> {
  const random = seededRandom(SEED + number);
  let kills = 0;
  for (let round = 0; round < labs; round += 1) {
    await inTempFolder(async (folder) => {
      for (let kill = 0; kill < killsPerLab; kill += 1) {
        const { acknowledged, stored, unclean } = await killOnce(
          folder,
          compileCache,
          random() * LATEST_KILL_MS,
        );
        expect(unclean).toBe(true);
        // A step may be stored whose acknowledgement was cut off, never the other way round.
        expect(stored - acknowledged).toBeGreaterThanOrEqual(0);
        expect(stored - acknowledged).toBeLessThanOrEqual(1);
        kills += 1;
      }
    });
  }
  return kills;
}

/** A writer that is killed at any moment loses no acknowledged step and leaves none half-written. */
export function killWriters(strikes: Strikes): void {
  const wanted = strikes.lanes * strikes.labs * strikes.killsPerLab;
  describe('a writer killed at any moment', () => {
    it(`loses no acknowledged step and leaves none half-written (${wanted} kills, seed ${SEED})`, async () => {
      await inTempFolder(async (compileCache) => {
        // Node writes its cache when a program ends by itself, so one does before the others are killed.
        await inTempFolder((folder) => startChild('commit-steps.ts', [folder, '1'], { compileCache }).ended);
        const kills = await Promise.all(
          Array.from({ length: strikes.lanes }, (_, number) => killLane(number, strikes, compileCache)),
        );
        expect(kills.reduce((sum, each) => sum + each, 0)).toBe(wanted);
      });
    }, 600_000);
  });
}
