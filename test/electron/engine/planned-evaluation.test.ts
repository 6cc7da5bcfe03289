import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunConfig } from '../../../electron/contract/index.ts';
import { Engine } from '../../../electron/engine/index.ts';
import { isDue } from '../../../electron/engine/runs/planned-evaluation.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const lab = mkdtempSync(join(tmpdir(), 'anchor-planned-'));
let engine: Engine;
const openEngine = (): Promise<Engine> =>
  Engine.open({
    application: join(import.meta.dirname, '../../..'),
    labFolder: lab,
    maxActiveRuns: 1,
    clock: { now: () => new Date(), monotonicMs: () => performance.now() },
  });
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(async () => {
  await engine.close();
  rmSync(lab, { recursive: true, force: true });
});

const suites = ['toy-deduction', 'toy-refusal'];
const config = (name: string, evaluation: RunConfig['evaluation'], steps = 3): RunConfig =>
  runConfigSchema.parse({
    ...PRESETS.demo,
    name,
    steps,
    framework: { name: 'azr', batchSize: 1, estimateSamples: 1 },
    generation: { maxNewTokens: 24 },
    rewardedPrompts: { share: 0 },
    supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
    ...(evaluation === undefined ? {} : { evaluation }),
  });
const evaluated = (id: string): string[] =>
  engine.store
    .listEvaluations({ runId: id })
    .map(({ step, suite, n }) => `${step} ${suite} ${n}`)
    .sort();

describe('evaluation while a run is at work', () => {
  it('is due before the first step, after every k-th, and after the last', () => {
    const due = (every: number, steps: number): number[] =>
      Array.from({ length: steps + 1 }, (_, step) => step).filter((step) =>
        isDue({ steps, evaluation: { every, suites, items: 4 } }, step),
      );
    expect([due(2, 5), due(10, 3), due(1, 2)]).toEqual([
      [0, 2, 4, 5],
      [0, 3],
      [0, 1, 2],
    ]);
    expect(isDue({ steps: 3 }, 3)).toBe(false);
  });

  it('asks what was planned of the weights at those steps, and changes nothing that the run becomes', async () => {
    const plain = engine.startRun(config('plain', undefined));
    const asked = engine.startRun(config('asked', { every: 2, suites, items: 4 }));
    for (const { id } of [plain, asked]) expect((await engine.waitFor(id)).state).toBe('done');
    expect(evaluated(asked.id)).toEqual([
      '0 toy-deduction 4',
      '0 toy-refusal 4',
      '2 toy-deduction 4',
      '2 toy-refusal 4',
      '3 toy-deduction 4',
      '3 toy-refusal 4',
    ]);
    expect(evaluated(plain.id)).toEqual([]);
    const hashes = (id: string): string[] => engine.store.listSteps(id).map(({ stepHash }) => stepHash);
    expect(hashes(asked.id)).toEqual(hashes(plain.id));
    const row = engine.store.getRunRow(asked.id);
    expect(row?.scores.map(({ suite, step, base }) => [suite, step, base?.n])).toEqual([
      ['toy-deduction', 3, 4],
      ['toy-refusal', 3, 4],
    ]);
  });

  it('is not asked twice under a context without a line, which leaves every prompt as it is', async () => {
    const alone = config('alone', { every: 5, suites, items: 4, contexts: ['none', 'run'] }, 1);
    const { id } = engine.startRun({
      ...alone,
      supervision: { ...alone.supervision, phases: { task: 0, plan: 0, thought: 0, output: 0, exec: 0 } },
    });
    expect((await engine.waitFor(id)).state).toBe('done');
    expect(evaluated(id)).toEqual([
      '0 toy-deduction 4',
      '0 toy-refusal 4',
      '1 toy-deduction 4',
      '1 toy-refusal 4',
    ]);
    const order = {
      subjects: [`${id}@last`, `${id}@0`],
      suites: ['toy-refusal'],
      limit: 4,
      seed: 1,
      context: 'run' as const,
      judge: null,
      protocols: {},
      again: false,
    };
    expect((await engine.evaluations.estimate(order)).skipped.map(({ why }) => why)).toEqual(
      [1, 0].map(() => expect.stringMatching(/has no line, so with it the answers are those of the weights/)),
    );
  });

  it('that is stopped is taken up on resume, and nothing is asked twice', { tags: ['full'] }, async () => {
    const { id } = engine.startRun(config('stopped', { every: 5, suites, items: 4 }));
    const stopListening = engine.onProgress(({ runId, step, stage }) => {
      if (runId === id && stage === 'evaluate' && step === 3) engine.stop(id);
    });
    const stopped = await engine.waitFor(id);
    stopListening();
    expect(stopped).toMatchObject({
      state: 'interrupted',
      committedSteps: 3,
      reason: 'Stopped after the last step, before its checkpoint was evaluated; resuming evaluates it.',
    });
    expect(engine.resume(id).redo).toBe(
      'All 3 steps are stored; only the evaluation of the last checkpoint is taken up again.',
    );
    expect((await engine.waitFor(id)).state).toBe('done');
    expect(evaluated(id)).toEqual([
      '0 toy-deduction 4',
      '0 toy-refusal 4',
      '3 toy-deduction 4',
      '3 toy-refusal 4',
    ]);
  });

  it('of a suite there is none of does not end the run, and the reason is kept', async () => {
    const wanted = config('unknown suite', { every: 5, suites: ['nobody-wrote-it'], items: 4 }, 1);
    expect(() => engine.startRun(wanted)).toThrow(/There is no suite "nobody-wrote-it"/);
    // A queued run of another version of the program, which had that suite.
    const { id } = engine.store.createRun({ id: 'elsewhere', config: wanted, folder: 'runs/elsewhere' });
    engine.startQueued();
    expect((await engine.waitFor(id)).state).toBe('done');
    const failed = engine.store.listEvents(id).filter(({ kind }) => kind === 'evaluation.failed');
    const told = expect.stringMatching(/There is no suite "nobody-wrote-it"/);
    expect(failed.map(({ body }) => body)).toEqual(
      [0, 1].map((step) => ({ step, suites: ['nobody-wrote-it'], reason: told })),
    );
  });

  it('pauses the run when a tripwire is touched, says why, and goes on when a person says so', async () => {
    const wire = { suite: 'toy-refusal', when: 'below', by: 1.01, action: 'pause', certain: false } as const;
    const { id } = engine.startRun(
      config('wired', {
        every: 5,
        suites,
        items: 4,
        tripwires: [wire, { ...wire, when: 'above', action: 'mark' }],
      }),
    );
    const paused = await engine.waitFor(id);
    expect(paused).toMatchObject({
      state: 'paused',
      committedSteps: 0,
      reason: expect.stringMatching(
        /^Tripwire after step 0: toy-refusal is [\d.]+ %, below 101\.0 %\.$/,
      ) as string,
    });
    engine.resume(id);
    expect((await engine.waitFor(id)).state).toBe('done');
    const touched = engine.store
      .listEvents(id)
      .filter(({ kind }) => kind === 'tripwire.tripped')
      .map(({ body }) => body as { step: number; wire: { when: string } });
    expect(touched.map(({ step, wire: { when } }) => [step, when])).toEqual([
      [0, 'below'],
      [3, 'below'],
    ]);
    const plain = engine.store.listRuns({ text: 'plain' }, { limit: 1 }).rows[0];
    expect(engine.store.listSteps(id).map(({ stepHash }) => stepHash)).toEqual(
      engine.store.listSteps(plain?.id ?? '').map(({ stepHash }) => stepHash),
    );
  });

  it('asks under the supervision context too where that is planned', { tags: ['full'] }, async () => {
    const { id } = engine.startRun(
      config('both', { every: 5, suites: ['toy-refusal'], items: 2, contexts: ['none', 'run'] }, 1),
    );
    expect((await engine.waitFor(id)).state).toBe('done');
    expect(
      engine.store
        .listEvaluations({ runId: id })
        .map(({ step, contextHash }) => `${step} ${contextHash === null ? 'alone' : 'told'}`)
        .sort(),
    ).toEqual(['0 alone', '0 told', '1 alone', '1 told']);
  });
});
