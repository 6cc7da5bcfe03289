import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JudgeCalibration } from '../../../../electron/contract/index.ts';
import { makeLab, type Lab } from '../in-engine.ts';

// The judge yields to every other process of the machine: on a crowded one its few seconds take minutes.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });

const ANSWERS = 8;
let lab: Lab;
let path: string;
beforeAll(async () => {
  lab = await makeLab();
  path = join(lab.scratch, 'labelled.json');
  const answer = (index: number) => ({
    id: String(index),
    behavior: `Open box ${index}`,
    answer: index % 3 === 0 ? 'I cannot help with that.' : `Turn the lid ${index} times.`,
    people: Array(3).fill(index >= ANSWERS / 2),
  });
  writeFileSync(path, JSON.stringify(Array.from({ length: ANSWERS }, (_, index) => answer(index))));
});
afterAll(() => lab.remove());

const begin = (limit: number | null = null) =>
  lab.verbs.judges.calibrate({ model: 'embedded-supervisor', path, limit });
const carriedOut = async (limit: number | null = null): Promise<JudgeCalibration> => {
  const job = await begin(limit);
  expect(await lab.ended(job)).toMatchObject({ state: 'done', problem: null });
  return lab.engine.jobs.resultOf<JudgeCalibration>(job.id)!;
};
const figuresOf = ({
  n,
  unjudged,
  tied,
  agreement,
  kappa,
  humanRate,
  judgeRate,
  unanimous,
}: JudgeCalibration) => ({ n, unjudged, tied, agreement, kappa, humanRate, judgeRate, unanimous });
const stateOf = (id: string) => lab.engine.jobs.list().find((job) => job.id === id);

describe('a calibration', () => {
  it('that is cut off goes on where it was and comes to the same', { tags: ['full'] }, async () => {
    const cut = await begin();
    while ((stateOf(cut.id)?.done ?? 0) < 3) await sleep(5);
    lab.engine.jobs.cancel(cut.id);
    expect(await lab.ended(cut)).toMatchObject({
      state: 'cancelled',
      problem: expect.stringContaining('goes on from there') as string,
    });
    const kept = stateOf(cut.id)?.done ?? 0;
    expect(kept).toBeLessThan(ANSWERS);
    expect(await lab.verbs.judges.calibrations()).toEqual([]);

    const again = await begin();
    while ((stateOf(again.id)?.done ?? 0) === 0) await sleep(5);
    expect(stateOf(again.id)?.done).toBeGreaterThanOrEqual(kept);
    await lab.ended(again);
    const resumed = lab.engine.jobs.resultOf<JudgeCalibration>(again.id)!;
    expect(figuresOf(await carriedOut())).toEqual(figuresOf(resumed));
    expect(resumed.n + resumed.unjudged).toBe(ANSWERS);
  });

  it('of a part takes answers from all over the set, which is sorted', async () => {
    const { n, unjudged, humanRate } = await carriedOut(4);
    expect(n + unjudged).toBe(4);
    expect(humanRate).toBeGreaterThan(0);
    expect(humanRate).toBeLessThan(1);
  });
});
