import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type LiveEvent } from '../../../electron/contract/index.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { openEngine } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const lab = mkdtempSync(join(tmpdir(), 'anchor-watching-'));
const STEPS = 4;
let engine: Engine;
let runId: string;
const events: LiveEvent[] = [];
const call = () => createRouter(engine).createCaller({});

beforeAll(async () => {
  engine = await openEngine(lab);
  const stop = new AbortController();
  void (async () => {
    for await (const batch of engine.live.follow(null, stop.signal))
      events.push(...batch.events.map(({ event }) => event));
  })();
  runId = engine.startRun(
    runConfigSchema.parse({
      ...PRESETS.demo,
      name: 'watched',
      steps: STEPS,
      framework: { name: 'azr', batchSize: 2, estimateSamples: 2 },
      generation: { maxNewTokens: 64 },
      checkpoints: { keepEvery: 0 },
      rewardedPrompts: { share: 0.2, samplesPerPrompt: 2 },
      supervision: {
        ...PRESETS.demo.supervision,
        reviewer: 'rubric',
        phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 },
        minimumSupport: 1,
        expirySteps: 1,
      },
    }),
  ).id;
  const unsubscribe = engine.onProgress((progress) => {
    if (progress.stage === 'committed' && progress.step === 1) void call().live.keepCheckpoint({ runId });
  });
  await engine.waitFor(runId);
  unsubscribe();
  await vi.waitFor(
    () => expect(events.some((event) => event.kind === 'run' && event.state === 'done')).toBe(true),
    { timeout: 20_000 },
  );
  stop.abort();
});
afterAll(async () => {
  await engine.close();
  rmSync(lab, { recursive: true, force: true });
});

describe('a run that is watched', () => {
  it('has a timeline: seconds by sub-phase, reviews and retries of every step', async () => {
    const { steps, timings, reviews, retries } = await call().live.timeline({ runId });
    expect(steps).toEqual([1, 2, 3, 4]);
    for (const name of ['step', 'gen', 'update_actor', 'save_checkpoint'])
      expect(
        timings[name]?.every((seconds) => seconds !== null && seconds > 0),
        name,
      ).toBe(true);
    const stored = steps.map((step) => engine.store.listReviews(runId, step));
    expect(reviews).toEqual(
      stored.map((each) => each.filter(({ status }) => status === 'done' || status === 'quarantined').length),
    );
    expect(retries).toEqual(stored.map((each) => each.filter(({ decision }) => decision === 'retry').length));
    expect(retries.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0);
  });

  it('counts the tasks of each step by how often they were solved', async () => {
    const found = await call().live.difficulties({ runId, committedSteps: STEPS });
    const expected = Array.from({ length: STEPS }, (_, at) => engine.store.tasksOfStep(runId, at + 1)).flat();
    const measured = expected.filter(({ solveRate }) => solveRate !== null);
    expect(measured.length).toBeGreaterThan(0);
    expect(found.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(measured.length);
    for (const { step, taskType, tenth, tasks, meanRate } of found) {
      const rates = measured.flatMap((task) =>
        task.step === step && task.taskType === taskType && Math.round((task.solveRate ?? 0) * 10) === tenth
          ? [task.solveRate ?? 0]
          : [],
      );
      expect(rates).toHaveLength(tasks);
      expect(meanRate).toBeCloseTo(rates.reduce((sum, rate) => sum + rate, 0) / tasks, 12);
    }
  });

  it('reports with each step as many retries as its timeline has', async () => {
    const { retries } = await call().live.timeline({ runId });
    expect(
      events.flatMap((event) => (event.kind === 'step' ? [event.metrics['supervision/retries']] : [])),
    ).toEqual(retries);
  });

  it('has the same lines in its feed, whether they are heard as they come or read when it is opened', async () => {
    const { records, reviews } = await call().live.heads({ runId, fromStep: 1, toStep: STEPS });
    const heard = (kind: 'record' | 'review'): string[] =>
      events.flatMap((event) => {
        if (event.kind === 'record' && kind === 'record') return [event.record.id];
        return event.kind === 'review' && kind === 'review' ? [event.review.id] : [];
      });
    expect(records.map(({ record }) => record.id).sort()).toEqual(heard('record').sort());
    expect(reviews.map(({ review }) => review.id).sort()).toEqual(heard('review').sort());
    for (const { at } of [...records, ...reviews]) expect(Date.parse(at ?? '')).toBeGreaterThan(0);
  });

  it('stores what each step took of the machine', async () => {
    const names = [
      'resources/memory_bytes',
      'resources/trainer/memory_bytes',
      'resources/disk_free_bytes',
      'no/such',
    ];
    const { steps, values } = await call().live.metrics({ runId, names });
    expect(values['resources/memory_bytes']?.every((bytes) => (bytes ?? 0) > 0)).toBe(true);
    expect(values['resources/disk_free_bytes']?.every((bytes) => (bytes ?? 0) > 0)).toBe(true);
    if (process.platform === 'linux')
      expect(values['resources/trainer/memory_bytes']?.every((bytes) => (bytes ?? 0) > 50e6)).toBe(true);
    expect(values['no/such']).toEqual(steps.map(() => null));
    expect((await call().live.resources()).length).toBeGreaterThanOrEqual(STEPS);
  });

  it('keeps the checkpoint that a person asked for, and prunes the others', async () => {
    expect(await call().live.keptCheckpoints({ runId })).toEqual([1]);
    const kept = engine.store.listCheckpoints(runId).map(({ step }) => step);
    expect(kept).toEqual([0, 1, 3, 4]);
    const { folder } = engine.store.getRun(runId) ?? { folder: '' };
    for (const step of kept)
      expect(existsSync(engine.lab.run(folder).checkpoint(step)), `step ${step}`).toBe(true);
  });

  it('refuses to keep a checkpoint where no step is stored', async () => {
    const queued = engine.store.createRun({
      id: 'empty',
      config: runConfigSchema.parse({ name: 'empty' }),
      folder: 'runs/empty',
    });
    await expect(call().live.keepCheckpoint({ runId: queued.id })).rejects.toThrow(/no step stored yet/);
    expect(await call().live.redo({ runId: queued.id })).toMatch(/begins with step 1/);
  });

  it('tells how many items wait for the reviewer, down to none', () => {
    const waiting = events.flatMap((event) => (event.kind === 'queue' ? [event.waiting] : []));
    expect(Math.max(...waiting)).toBeGreaterThan(0);
    expect(waiting.at(-1)).toBe(0);
  });

  it('says of each context line when it was spoken for, when it left and why', async () => {
    const { newestContext, lines } = await call().contexts.lives({ runId });
    expect(newestContext).toBe(STEPS + 1);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line.supports[0]?.context).toBe(line.firstContext);
      expect(line.supports.reduce((sum, { reviews }) => sum + reviews, 0)).toBe(line.sources);
      expect(line.left === null).toBe(line.lastContext === newestContext);
      if (line.left !== null)
        expect(line.left).toEqual({
          context: line.lastContext + 1,
          reason: engine.store
            .getContext(runId, line.lastContext + 1)
            ?.removed.find(({ id }) => id === line.id)?.reason,
        });
    }
  });

  it('counts what came before and after a change of the context, by role', async () => {
    const around = await call().contexts.around({ runId, at: 3, window: 2 });
    const solver = around.find(({ role }) => role === 'solver');
    expect([
      solver?.before?.fromStep,
      solver?.before?.toStep,
      solver?.after?.fromStep,
      solver?.after?.toStep,
    ]).toEqual([1, 2, 3, 4]);
    const trained = engine.store
      .pageRollouts(runId, { fromStep: 1, toStep: 2, role: 'solver' }, { limit: 500 })
      .rows.filter(({ reward }) => reward !== null);
    expect(solver?.before?.n).toBe(trained.length);
    expect((await call().contexts.around({ runId, at: 1, window: 2 }))[0]?.before).toBeNull();
  });
});

describe('a run that is resumed at the very moment it says that it is paused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-hasty-'));
  let own: Engine;
  beforeAll(async () => {
    useWarmTrainer();
    own = await openEngine(folder);
  });
  afterAll(async () => {
    await own.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('waits for its own end and goes on', async () => {
    const { id } = own.startRun(
      runConfigSchema.parse({
        ...PRESETS.demo,
        name: 'hasty',
        steps: 2,
        framework: { name: 'azr', batchSize: 2, estimateSamples: 2 },
        generation: { maxNewTokens: 24 },
        supervision: {
          ...PRESETS.demo.supervision,
          phases: { task: 0, plan: 0, thought: 0, output: 0, exec: 0 },
        },
      }),
    );
    const resumed = Promise.withResolvers<{ wasEnding: boolean; redo: string }>();
    const tell = own.live.emit.bind(own.live);
    const heard = vi.spyOn(own.live, 'emit').mockImplementation((event) => {
      tell(event);
      if (event.kind !== 'run' || event.runId !== id || event.state !== 'paused') return;
      // Told in this turn; in the next one the run is still ending its trainer.
      queueMicrotask(() => resumed.resolve({ wasEnding: own.isActive(id), redo: own.resume(id).redo }));
    });
    own.pause(id);
    expect(await own.waitFor(id)).toMatchObject({ state: 'paused', committedSteps: 1 });
    expect(await resumed.promise).toEqual({
      wasEnding: true,
      redo: 'Continuing with step 2 of 2; nothing is repeated.',
    });
    heard.mockRestore();
    expect(await own.waitFor(id)).toMatchObject({ state: 'done', committedSteps: 2 });
    expect(own.isActive(id)).toBe(false);
  });
});
