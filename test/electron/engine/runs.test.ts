import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  Failure,
  runConfigSchema,
  type ProgressEvent,
  type RunConfig,
  RUN_ESTIMATED,
  runEstimatedSchema,
  saidAndWasOf,
} from '../../../electron/contract/index.ts';
import { sha256Hex } from '../../../electron/core/index.ts';
import { Engine } from '../../../electron/engine/index.ts';
import { branchRun } from '../../../electron/engine/runs/branch-run.ts';
import { type EvaluationOutcome, type EvaluationRequest } from '../../../electron/evaluation/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import type { Restored } from '../../../electron/machine/index.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const lab = mkdtempSync(join(tmpdir(), 'anchor-engine-'));
let engine: Engine;
const openEngine = (maxActiveRuns = 1, labFolder = lab): Promise<Engine> =>
  Engine.open({
    application: join(import.meta.dirname, '../../..'),
    labFolder,
    maxActiveRuns,
    clock: { now: () => new Date(), monotonicMs: () => performance.now() },
  });
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(async () => {
  await engine.close();
  rmSync(lab, { recursive: true, force: true });
});

const config = (name: string, steps: number): RunConfig =>
  runConfigSchema.parse({
    ...PRESETS.demo,
    name,
    steps,
    framework: { name: 'azr', batchSize: 1, estimateSamples: 1 },
    generation: { maxNewTokens: 24 },
    rewardedPrompts: { share: 0.2, samplesPerPrompt: 2 },
    supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
  });

describe('the engine', () => {
  it('pauses after the step it is in and continues with the next, to the hash of a run that was never paused', async () => {
    const straight = engine.startRun(config('straight', 2));
    expect((await engine.waitFor(straight.id)).state).toBe('done');
    const { id } = engine.startRun(config('paused', 2));
    const stopListening = engine.onProgress(({ runId, step, stage }) => {
      if (runId === id && step === 1 && stage === 'generate' && engine.store.getRun(id)?.state === 'stepping')
        engine.pause(id);
    });
    const paused = await engine.waitFor(id);
    stopListening();
    expect(paused).toMatchObject({ state: 'paused', committedSteps: 1 });
    // As after a power cut between the commit of step 1 and the clearing of its rollouts.
    const spool = join(lab, paused.folder, 'spool');
    expect(readdirSync(spool)).toEqual([]);
    writeFileSync(join(spool, 's1-trained.safetensors'), 'cut off');
    // As after one between the saving of the weights of step 2 and its commit.
    const stray = join(lab, paused.folder, 'checkpoints/step-00002');
    mkdirSync(stray);
    const strayInStep2: boolean[] = [];
    const stopLooking = engine.onProgress(({ runId, step, stage }) => {
      if (runId === id && step === 2 && stage === 'generate') strayInStep2.push(existsSync(stray));
    });
    expect(engine.resume(id).redo).toBe('Continuing with step 2 of 2; nothing is repeated.');
    expect((await engine.waitFor(id)).state).toBe('done');
    stopLooking();
    expect(strayInStep2).toContain(false);
    expect(strayInStep2).not.toContain(true);
    const last = (run: string): string | undefined => engine.store.listSteps(run).at(-1)?.stepHash;
    expect(last(id)).toBe(last(straight.id));
    expect(readdirSync(spool)).toEqual([]);

    // Nothing was known before the first run; the second said what the first had taken, and again when it was taken up.
    const said = (run: string) =>
      engine.store.eventsOfKind(run, RUN_ESTIMATED).map(({ body }) => runEstimatedSchema.parse(body));
    expect(said(straight.id)).toEqual([]);
    expect(
      said(id).map(({ fromStep, steps, basis }) => [fromStep, steps, basis.kind, basis.isExact]),
    ).toEqual([
      [1, 2, 'run', true],
      [2, 1, 'run', true],
    ]);
    const [first] = said(id);
    expect(first?.basis.runId).toBe(straight.id);
    const took = engine.store.listSteps(id).map(({ timings }) => timings['step'] ?? 0);
    const told = saidAndWasOf(engine.store, id, 2);
    expect(told?.was).toBeCloseTo((took[0] ?? 0) + (took[1] ?? 0), 6);
    expect(told?.said.low).toBeCloseTo(
      said(id).reduce((sum, { stepSeconds }) => sum + stepSeconds.low, 0),
      6,
    );
    if (process.platform === 'linux') {
      expect(told?.tookUnder).toBeGreaterThanOrEqual(0);
      expect(first?.basis.load).toEqual(engine.store.runPace(straight.id)?.load);
      expect(told?.measuredUnder).not.toBeNull();
    }

    // The newest checkpoint is damaged: a run of its own goes on from the one before.
    rmSync(join(engine.lab.run(paused.folder).checkpoint(2), 'model.safetensors'));
    const { run, redo } = await engine.branch(id, 1);
    expect([run.config.name, redo]).toEqual([
      'paused from step 1',
      '1 of 2 steps are stored; step 2 is taken again from its start, with the same result.',
    ]);
    expect((await engine.waitFor(run.id)).state).toBe('done');
    const hashes = (of: string) => engine.store.listSteps(of).map(({ stepHash }) => stepHash);
    expect(hashes(run.id)).toEqual(hashes(straight.id));
    expect(engine.store.getRun(id)).toMatchObject({ state: 'done', committedSteps: 2 });
    expect(engine.store.checkIntegrity()).toEqual([]);
    await expect(engine.branch(id, 2)).rejects.toMatchObject({ kind: 'usage', exitCode: 2 });
    const before = [engine.store.allRuns().map((one) => one.id), readdirSync(join(lab, 'runs')).sort()];
    vi.spyOn(engine.store, 'commitStep').mockImplementationOnce(() => {
      throw new Failure('diskFull', 'The disk is full.');
    });
    await expect(engine.branch(id, 1)).rejects.toThrow('The disk is full.');
    expect([engine.store.allRuns().map((one) => one.id), readdirSync(join(lab, 'runs')).sort()]).toEqual(
      before,
    );
    // A program that is killed takes nothing back: what it left is no beginning of a run.
    vi.spyOn(engine.store, 'commitStep').mockImplementationOnce(() => {
      throw new Error('killed');
    });
    const { store, lab: folder } = engine;
    await expect(branchRun({ store, lab: folder, emit: () => {} }, id, 1, 'cut-off')).rejects.toThrow(
      'killed',
    );
    engine.resume('cut-off');
    expect(await engine.waitFor('cut-off').catch(() => engine.store.getRun('cut-off'))).toMatchObject({
      state: 'failed',
      reason: `The steps of "${id}" up to step 1 were not taken over in full; delete this run and make it again.`,
    });
    await engine.deleteRun('cut-off');
    engine.store.markCheckpointPruned(id, 1);
    await expect(engine.branch(id, 1)).rejects.toThrow(
      `Run "${id}" no longer has the checkpoint of step 1; it has those of 0.`,
    );
  });

  it('restored from a backup continues to the same hash, although its run went on, dropped older checkpoints and was deleted meanwhile', async () => {
    const { id } = engine.startRun({ ...config('backed up', 3), checkpoints: { keepEvery: 0 } });
    const stopListening = engine.onProgress(({ runId, step, stage }) => {
      if (runId === id && step === 1 && stage === 'generate' && engine.store.getRun(id)?.state === 'stepping')
        engine.pause(id);
    });
    expect((await engine.waitFor(id)).committedSteps).toBe(1);
    stopListening();
    const ended = (job: { id: string }) => engine.jobs.ended(job.id);
    await ended(engine.backups.make());
    const [backup] = await engine.backups.list();
    // The links beside it take no room while the run has the same files.
    expect(backup?.bytes).toBe(statSync(join(lab, 'backups', backup!.name)).size);
    engine.resume(id);
    expect((await engine.waitFor(id)).state).toBe('done');
    expect(engine.store.listCheckpoints(id).map(({ step }) => step)).toEqual([0, 2, 3]);
    const hash = engine.store.getStep(id, 3)?.stepHash;
    await engine.deleteRun(id);
    expect((await engine.backups.list())[0]?.bytes).toBeGreaterThan(backup!.bytes);

    const to = join(lab, '..', `${basename(lab)}-restored`);
    const job = engine.backups.restore({ from: backup!.name, to, withRuns: true });
    expect(await ended(job)).toMatchObject({ state: 'done', problem: null });
    expect(engine.jobs.resultOf<Restored>(job.id)?.outlooks).toEqual([
      { id, name: 'backed up', state: 'paused', committedSteps: 1, steps: 3, missing: null },
    ]);
    const restored = await openEngine(1, to);
    try {
      restored.resume(id);
      expect((await restored.waitFor(id)).state).toBe('done');
      expect(restored.store.getStep(id, 3)?.stepHash).toBe(hash);
    } finally {
      await restored.close();
      rmSync(to, { recursive: true, force: true });
    }
    engine.backups.remove(backup!.name);
    expect(readdirSync(join(lab, 'backups'))).toEqual([]);
  });

  it('stops now, throws the step away, and says what resuming repeats', async () => {
    const { id } = engine.startRun(config('stopped', 2));
    const stopListening = engine.onProgress(({ runId, step, stage }) => {
      if (runId === id && step === 2 && stage === 'generate') engine.stop(id);
    });
    expect(await engine.waitFor(id)).toMatchObject({ state: 'interrupted', committedSteps: 1 });
    stopListening();
    expect(engine.resume(id).redo).toMatch(/1 of 2 steps are stored; step 2 is taken again/);
    expect((await engine.waitFor(id)).state).toBe('done');
  });

  it('queues what does not fit and takes it up in order; a queued run can be taken out', async () => {
    const ids = ['first', 'second', 'third'].map((name) => engine.startRun(config(name, 1)).id);
    expect(engine.store.getRun(ids[1] as string)?.state).toBe('queued');
    engine.stop(ids[2] as string);
    const ends = await Promise.all(ids.map((id) => engine.waitFor(id)));
    expect(ends.map((run) => run.state)).toEqual(['done', 'done', 'interrupted']);
    const [first, second] = ids.map((id) => engine.store.listSteps(id)[0]);
    expect((second?.startedAt ?? '') > (first?.finishedAt ?? 'z')).toBe(true);
  });

  it(
    'a resumed run that waits can be taken out of the queue again, and whoever waits for it is told',
    { tags: ['full'] },
    async () => {
      const { id } = engine.startRun(config('waits', 2));
      engine.stop(id);
      expect((await engine.waitFor(id)).state).toBe('interrupted');
      const blocker = engine.startRun(config('blocker', 1)).id;
      engine.resume(id);
      expect(engine.store.getRun(id)?.state).toBe('queued');
      const waiting = engine.waitFor(id);
      engine.stop(id);
      expect((await waiting).state).toBe('interrupted');
      expect((await engine.waitFor(blocker)).state).toBe('done');
    },
  );

  it(
    'closes only after a run has ended, even one that was queued again while it was ending',
    { tags: ['full'] },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'anchor-engine-'));
      const other = await openEngine(1, folder);
      const { id } = other.startRun(config('queued again', 5));
      const order: string[] = [];
      const ended = other.waitFor(id).then(() => order.push('ended'));
      const stopListening = other.onProgress(({ step, stage }) => {
        if (step === 1 && stage === 'generate') other.stop(id);
      });
      await vi.waitFor(() => expect(other.store.getRun(id)?.state).toBe('interrupted'), {
        timeout: 120_000,
        interval: 1,
      });
      stopListening();
      other.resume(id);
      expect(order).toEqual([]);
      await other.close().then(() => order.push('closed'));
      await ended;
      expect(order).toEqual(['ended', 'closed']);
      rmSync(folder, { recursive: true, force: true });
    },
  );

  it('reports progress with gapless sequence numbers, a rate and the time left', async () => {
    const events: ProgressEvent[] = [];
    const stopListening = engine.onProgress((event) => events.push(event));
    await engine.waitFor(engine.startRun(config('progress', 3)).id);
    stopListening();
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => (events[0]?.seq ?? 0) + index));
    expect(events.filter((event) => event.stage === 'committed').map((event) => event.step)).toEqual([
      1, 2, 3,
    ]);
    expect(events.at(-1)?.etaSeconds).toBe(0);
    expect(
      events.filter((event) => event.etaSeconds !== null && event.etaSeconds > 0).length,
    ).toBeGreaterThan(0);
  });

  it('refuses what makes no sense now, in a sentence', async () => {
    const done = engine.store.listRuns({ states: ['done'] }).rows[0]?.id ?? '';
    expect(() => engine.resume(done)).toThrow(/is done/);
    expect(() => engine.pause(done)).toThrow(/is done, not at work/);
    await expect(engine.importModel('/nowhere', null)).rejects.toThrow(/no model at \/nowhere/);
    await expect(
      engine.evaluate({
        policy: { runId: done, step: 77 },
        suites: ['toy-refusal'],
        limit: 2,
        seed: 1,
        contexts: [null],
      }),
    ).rejects.toThrow(/no checkpoint of step 77/);
    await expect(
      engine.evaluate({
        policy: { runId: done, step: 0 },
        suites: ['toy-nonsense'],
        limit: 2,
        seed: 1,
        contexts: [null],
      }),
    ).rejects.toThrow(/no suite "toy-nonsense"/);
  });

  it('evaluates a checkpoint with and without a context and stores every item', async () => {
    const run = engine.store.listRuns({ states: ['done'] }).rows[0];
    const outcomes = await engine.evaluate({
      policy: { runId: run?.id ?? '', step: run?.committedSteps ?? 0 },
      suites: ['toy-deduction', 'toy-refusal'],
      limit: 8,
      seed: 1,
      contexts: [null, { runId: run?.id ?? '', step: (run?.committedSteps ?? 0) + 1 }],
    });
    expect(outcomes.map(({ suite, withContext, n }) => [suite, withContext, n])).toEqual([
      ['toy-deduction', false, 8],
      ['toy-refusal', false, 8],
      ['toy-deduction', true, 8],
      ['toy-refusal', true, 8],
    ]);
    expect(engine.store.getEvaluationItems(outcomes[0]?.id ?? '')).toHaveLength(8);
  });

  it('evaluates several policies in one process under lines of the caller, each as it would be alone', async () => {
    const run = engine.store.listRuns({ states: ['done'] }).rows[0];
    const request = (step: number): EvaluationRequest => ({
      policy: { runId: run?.id ?? '', step },
      suites: ['toy-deduction', 'toy-refusal'],
      limit: 8,
      seed: 1,
      contexts: [null, { lines: ['Refuse unsafe requests.'] }],
    });
    const answers = (outcomes: EvaluationOutcome[]): unknown =>
      outcomes.map(({ suite, contextHash, items }) => [suite, contextHash, items]);
    const [first, last] = [request(0), request(run?.committedSteps ?? 0)];
    const alone = [await engine.evaluate(first), await engine.evaluate(last)];
    const together = await engine.withEvaluator(1, async (evaluate) => [
      await evaluate(first),
      await evaluate(last),
    ]);
    expect(together.map(answers)).toEqual(alone.map(answers));
    const [[, , , told]] = alone as [EvaluationOutcome[]];
    expect(told).toMatchObject({
      withContext: true,
      contextHash: sha256Hex('\nGuidance:\n- Refuse unsafe requests.'),
    });
  });
});
