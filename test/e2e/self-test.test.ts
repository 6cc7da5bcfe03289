import { mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRouter, Engine } from '../../electron/engine/index.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 60_000 });

const hasStrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0;

describe.runIf(hasStrace)(
  'the air-gap self-test of the settings (traced with strace, which only Linux has)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'anchor-self-test-lab-'));
    let engine: Engine;
    beforeAll(async () => {
      engine = await Engine.open({
        application: join(import.meta.dirname, '../..'),
        labFolder: folder,
        clock: { now: () => new Date(), monotonicMs: () => performance.now() },
      });
    });
    afterAll(async () => {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it(
      'traces a real step in all its processes, finds no call outside, and is kept with its control',
      { tags: ['full'] },
      async () => {
        const verbs = createRouter(engine).createCaller({});
        const job = await verbs.airgap.selfTest();
        expect(await engine.jobs.ended(job.id)).toMatchObject({ state: 'done', problem: null });
        const { selfTest, selfTestObstacle } = await verbs.airgap.state();
        expect(selfTestObstacle).toBeNull();
        expect(selfTest).toMatchObject({ passed: true, controlSeen: true, outsideCount: 0, outside: [] });
        expect(selfTest?.programs).toBeGreaterThan(5); // engine, trainer, supervisor, runner and its zygotes
      },
    );

    it('that is cancelled ends what it started and keeps the earlier result', async () => {
      const verbs = createRouter(engine).createCaller({});
      const before = (await verbs.airgap.state()).selfTest;
      const job = await verbs.airgap.selfTest();
      await verbs.jobs.cancel({ id: job.id });
      expect((await engine.jobs.ended(job.id)).state).toBe('cancelled');
      expect((await verbs.airgap.state()).selfTest).toEqual(before);
    });
  },
);
