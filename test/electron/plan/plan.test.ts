import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  everyPhase,
  PHASES,
  runConfigSchema,
  TRAIN_METHODS,
  type AzrConfig,
  type RunConfig,
} from '../../../electron/contract/index.ts';
import { createRouter, type Engine } from '../../../electron/engine/index.ts';
import { estimateRun, keptCheckpoints } from '../../../electron/plan/estimate.ts';
import { planMethods } from '../../../electron/plan/methods.ts';
import { planMemory } from '../../../electron/plan/probe.ts';
import { planChoices } from '../../../electron/plan/choices.ts';
import { planProblems } from '../../../electron/plan/check.ts';
import { expectedItems, frameworkOf, PRESETS } from '../../../electron/evolution/index.ts';
import { listLibrary } from '../../../electron/inventory/index.ts';
import { openEngine } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const lab = mkdtempSync(join(tmpdir(), 'anchor-plan-'));
let engine: Engine;
const coolDown = useWarmTrainer();
beforeAll(async () => {
  engine = await openEngine(lab, 1);
});
afterAll(async () => {
  await engine.close();
  rmSync(lab, { recursive: true, force: true });
});

const small = (change: Partial<AzrConfig> = {}, p = 1, steps = 2): RunConfig =>
  runConfigSchema.parse({
    ...PRESETS.demo,
    name: 'small',
    steps,
    framework: { name: 'azr', batchSize: 2, estimateSamples: 2, ...change },
    generation: { maxNewTokens: 96 },
    rewardedPrompts: { share: 0.25, samplesPerPrompt: 2 },
    supervision: { ...PRESETS.demo.supervision, phases: everyPhase(p), reviewer: 'rubric' },
  });

describe('what a plan chooses from', () => {
  it('knows parameters and window of the models that come with the application, also where an entry was kept without them', async () => {
    const sizes = async (): Promise<unknown> => {
      const { policies, supervisors } = await planChoices(engine);
      return [...policies, ...supervisors].map(({ name, parameters, contextLength }) => ({
        name,
        parameters,
        contextLength,
      }));
    };
    const known = [
      'embedded-policy',
      'embedded-questions',
      'embedded-questions-supervisor',
      'embedded-supervisor',
    ].map((name) => ({ name, parameters: expect.any(Number), contextLength: expect.any(Number) }));
    expect(await sizes()).toEqual(known);
    engine.store.putModel({
      ...engine.store.getModel('embedded-supervisor')!,
      parameters: null,
      contextLength: null,
    });
    expect(await sizes()).toEqual(known);
  });
});

describe('the items of a step, counted before it runs', () => {
  it('are those a real run brings to its gates when every coin falls for a review', async () => {
    const config = small();
    const expected = expectedItems(frameworkOf(config.framework), config, engine.rewardedPrompts());
    const { id } = engine.startRun(config);
    expect((await engine.waitFor(id)).state).toBe('done');
    const steps = [1, 2].map((step) => ({
      rollouts: engine.store.listRollouts(id, step).filter(({ purpose }) => purpose !== 'estimate'),
      reviews: engine.store.listReviews(id, step),
    }));
    const reviews = steps.flatMap((step) => step.reviews);
    const rollouts = steps.flatMap((step) => step.rollouts);
    const counted = (phase: string): number =>
      reviews.filter((review) => review.phase === phase).length / steps.length;
    expect(rollouts.length / steps.length).toBe(expected.trained);
    for (const phase of ['task', 'output', 'exec'] as const)
      expect([phase, counted(phase)]).toEqual([phase, expected.items[phase]]);
    // A response that wrote no plan or thought brings no such item: the count is of responses, the reviews are of what was written.
    for (const phase of ['plan', 'thought'] as const) {
      const missing =
        rollouts.filter((rollout) => (rollout[phase] ?? '').trim() === '').length / steps.length;
      expect([phase, counted(phase) + missing]).toEqual([phase, expected.items[phase]]);
    }
  });

  it.each([
    ['azr', 6],
    ['fixed-tasks', 3],
  ] as const)('follow the batches of the framework %s', (name, batches) => {
    const config = runConfigSchema.parse({ framework: { name, batchSize: 5 } });
    const { items, trained, proposals } = expectedItems(frameworkOf({ name }), config, []);
    expect(trained).toBe(5 * batches);
    expect(items).toEqual({
      task: proposals,
      plan: trained,
      thought: trained,
      output: trained - proposals,
      exec: batches,
    });
  });
});

describe('the plan of memory', () => {
  it('is the trainer’s own, phase by phase, with the rows that a load would take and a model that is not there told by its name', async () => {
    const plan = await planMemory(engine, small());
    expect(plan).toMatchObject({ fits: true, device: 'cpu', rows: 48, gradCheckpoint: false });
    expect(Object.keys(plan.phases).sort()).toEqual(['load', 'optimizer', 'rollout', 'save', 'update']);
    const sums = Object.values(plan.phases).map((uses) => Object.values(uses).reduce((a, b) => a + b, 0));
    expect(Math.max(...sums)).toBe(plan.neededBytes);
    const again = await planMemory(
      engine,
      runConfigSchema.parse({ ...small(), train: { gradCheckpoint: 'on' } }),
    );
    expect(again.gradCheckpoint).toBe(true);
    expect(again.phases['update']?.['activations']).toBeLessThan(plan.phases['update']?.['activations'] ?? 0);
    const gone = runConfigSchema.parse({ ...small(), policy: { model: '/nowhere/model' } });
    await expect(planMemory(engine, gone)).rejects.toThrow('/nowhere/model');
  });
});

describe('the plan of a run of two roles', () => {
  const bothOf = (roles: 'separate' | 'shared', train: object): RunConfig => {
    const { framework, ...preset } = PRESETS['rzero-demo'];
    return runConfigSchema.parse({
      ...preset,
      framework: { ...framework, roles },
      train: { ...preset.train, ...train },
    });
  };
  const ADAPTER = { lora: { rank: 8, alpha: 16 } };

  it('counts what the other role keeps: an adapter beside the same base, or all of it again', async () => {
    const [adapters, oneAdapter, whole, one] = await Promise.all([
      planMemory(engine, bothOf('separate', ADAPTER)),
      planMemory(engine, bothOf('shared', ADAPTER)),
      planMemory(engine, bothOf('separate', {})),
      planMemory(engine, bothOf('shared', {})),
    ]);
    const kept = ({ phases }: typeof whole, ...uses: string[]): number =>
      uses.reduce((sum, use) => sum + (phases['save']?.[use] ?? NaN), 0);
    // The KL term is measured against the weights with which a stage began: an adapter, or a whole copy.
    expect(kept(adapters, 'reference')).toBe(kept(adapters, 'adapter'));
    expect(kept(whole, 'reference')).toBe(kept(whole, 'weights'));
    expect(kept(adapters, 'resident')).toBe(kept(adapters, 'adapter', 'optimizer', 'reference'));
    expect(kept(whole, 'resident')).toBe(kept(whole, 'weights', 'optimizer', 'reference'));
    for (const [both, alone] of [
      [adapters, oneAdapter],
      [whole, one],
    ] as const) {
      expect(Object.values(alone.phases).some((uses) => 'resident' in uses)).toBe(false);
      expect(both.neededBytes - alone.neededBytes).toBe(kept(both, 'resident'));
    }
    const methods = await planMethods(engine, bothOf('separate', {}));
    expect(methods[0]?.plan.phases).toEqual(whole.phases);
    expect(methods.every(({ plan }) => (plan.phases['update']?.['resident'] ?? 0) > 0)).toBe(true);
  });

  it('is more than that of one also by the rule of thumb, before a trainer is asked', async () => {
    await createRouter(engine).createCaller({}).plan.choices(); // takes the embedded models into the library
    const trainer = (roles: 'separate' | 'shared', train: object): number => {
      const config = bothOf(roles, { ...train, kl: null });
      const { value } = estimateRun(engine, config).memory.trainer!;
      return value;
    };
    const parameters = engine.store.getModel('embedded-questions')!.parameters!;
    // Weights and two moments, in float32.
    const more = trainer('separate', {}) - trainer('shared', {});
    expect(more).toBeGreaterThanOrEqual(12 * parameters);
    expect(more).toBeLessThan(1.5 * 12 * parameters);
    expect(trainer('separate', ADAPTER) - trainer('shared', ADAPTER)).toBeLessThan(0.1 * more);
  });
});

describe('the ways to train', () => {
  it('are planned by the trainer one by one, and only what ran here has a time', async () => {
    const found = await planMethods(engine, small());
    expect(found.map(({ method }) => method)).toEqual(TRAIN_METHODS);
    expect(found.map(({ isSuggested }) => isSuggested)).toEqual([
      true,
      ...TRAIN_METHODS.slice(1).map(() => false),
    ]);
    const [plain, bf16, eight, both, adapter, beside16, beside4] = found.map(({ plan }) => plan);
    expect(plain).toMatchObject({ fits: true, device: 'cpu', rows: 48 });
    expect(bf16?.phases['rollout']?.['weights']).toBe((plain?.phases['rollout']?.['weights'] ?? 0) / 2);
    expect(eight?.phases['save']?.['optimizer']).toBe(both?.phases['save']?.['optimizer']);
    expect(both?.disk.each).toBeLessThan((plain?.disk.each ?? 0) / 2);
    expect(adapter?.phases['save']?.['adapter']).toBeGreaterThan(0);
    const [sixteen, four] = [beside16, beside4].map((plan) => plan?.phases['save']?.['weights'] ?? 0);
    expect(four).toBeLessThan((sixteen ?? 0) / 2);
    // Whether the kernels are installed is no matter of this test.
    expect(found.flatMap(({ plan }) => plan.obstacle ?? []).join()).toMatch(
      /^(train\.precision nf4 needs .*)?$/,
    );
    // The run of an earlier test trained every parameter in float32.
    const ran = { source: 'measured', from: { kind: 'run', name: 'small' } };
    expect(found.map(({ stepSeconds }) => stepSeconds)).toMatchObject([
      ran,
      ...TRAIN_METHODS.slice(1).map(() => null),
    ]);
  });
});

describe('the estimate', () => {
  it('calls a step time measured after a run of just these sizes, estimated for others, and says which run it was', async () => {
    const like = small();
    const [run] = engine.store.listRuns({ text: 'small' }).rows;
    const measured = estimateRun(engine, like);
    expect(measured.stepSeconds).toMatchObject({ source: 'measured', from: { kind: 'run', runId: run?.id } });
    const times = engine.store
      .listSteps(run?.id ?? '')
      .map(({ timings }) => (timings['step'] ?? 0) - (timings['supervise_wait'] ?? 0));
    expect(measured.stepSeconds?.value).toBeCloseTo(times.reduce((sum, value) => sum + value, 0) / 2, 6);
    const larger = estimateRun(engine, small({ batchSize: 4 }));
    expect(larger.stepSeconds?.source).toBe('estimated');
    expect(larger.stepSeconds?.value).toBeGreaterThan(measured.stepSeconds?.value ?? Infinity);
    for (const phase of PHASES) expect(measured.reviewSeconds[phase]).toMatchObject({ source: 'measured' });
    expect(measured.checkpointBytes?.value).toBe(engine.store.listCheckpoints(run?.id ?? '').at(-1)?.bytes);
    expect(measured.plans?.value).toBeGreaterThan(0.5);
  });

  it('knows nothing of a policy that was never at work here, and does not pretend to', () => {
    const config = runConfigSchema.parse({
      ...PRESETS.workstation,
      policy: { model: '/nowhere/model', promptPack: 'full' },
    });
    const { stepSeconds, plans, checkpointBytes, memory } = estimateRun(engine, config);
    expect([stepSeconds, plans, checkpointBytes, memory.trainer]).toEqual([null, null, null, null]);
  });

  it('of an adapter goes by sizes and by no step that trained every parameter, and counts the whole model that is kept first', async () => {
    await planChoices(engine); // takes the embedded models into the library
    const parameters = engine.store.getModel('embedded-policy')?.parameters ?? Number.NaN;
    const adapter = runConfigSchema.parse({ ...small(), train: { lora: { rank: 32 } } });
    const { stepSeconds, checkpointBytes, firstCheckpointBytes, memory } = estimateRun(engine, adapter);
    expect([stepSeconds, firstCheckpointBytes]).toEqual([null, 4 * parameters]);
    expect(checkpointBytes).toMatchObject({ source: 'estimated', from: { kind: 'rule' } });
    expect(checkpointBytes?.value).toBeCloseTo(12 * 0.04 * parameters, 3);
    expect(memory.trainer?.value).toBeCloseTo(1.25 * (4 + 16 * 0.04) * parameters + 0.4e9, 3);
    const whole = estimateRun(engine, small());
    expect(whole.firstCheckpointBytes).toBe(whole.checkpointBytes?.value);
  });

  it('of memory is what the library says of the same models, trained and reviewing', async () => {
    await planChoices(engine); // takes the embedded models into the library
    const { models } = await listLibrary(engine);
    const needed = (name: string) => models.find((model) => model.name === name)?.fit.needBytes;
    const { trainer, supervisor } = estimateRun(engine, runConfigSchema.parse(PRESETS.demo)).memory;
    expect([Math.round(trainer?.value ?? 0), Math.round(supervisor?.value ?? 0)]).toEqual([
      needed('embedded-policy'),
      needed('embedded-supervisor'),
    ]);
    // A model that only words lines is in memory too.
    const bytesUnderRules = (supervision: object): number | undefined =>
      estimateRun(
        engine,
        runConfigSchema.parse({ ...PRESETS.demo, supervision: { reviewer: 'rubric', ...supervision } }),
      ).memory.supervisor?.value;
    expect(bytesUnderRules({})).toBe(0);
    expect(bytesUnderRules({ summary: 'model' })).toBe(supervisor?.value);
    expect(bytesUnderRules({ merge: 'model' })).toBe(supervisor?.value);
  });

  it('counts the checkpoints that a run keeps', () => {
    expect(
      [
        [24, 10, undefined],
        [24, 0, undefined],
        [1, 10, undefined],
        [20, 10, undefined],
        // 22 has the moments that 23 goes on from, 24 those of its own; in the second 20 has those of 23 and 24.
        [24, 0, 2],
        [24, 0, 20],
        [24, 10, 7],
      ].map(([steps, keepEvery, optimizerEvery]) =>
        keptCheckpoints({
          steps: steps as number,
          checkpoints: { keepEvery: keepEvery as number, optimizerEvery },
        }),
      ),
    ).toEqual([
      { all: 5, withMoments: 5 },
      { all: 3, withMoments: 3 },
      { all: 2, withMoments: 2 },
      { all: 4, withMoments: 4 },
      { all: 4, withMoments: 3 },
      { all: 4, withMoments: 2 },
      { all: 8, withMoments: 4 },
    ]);
  });
});

describe('problems of a plan', () => {
  it('name the key and what to do, before anything is started', async () => {
    await createRouter(engine).createCaller({}).plan.choices(); // takes the embedded models into the library
    const wrong = runConfigSchema.parse({
      policy: { model: 'nobody-knows' },
      generation: { maxPromptTokens: 90_000 },
      supervision: { phases: everyPhase(0.5), model: 'neither', reviewerSettings: { a: 1 } },
    });
    expect(planProblems(engine, wrong).map(({ path }) => path)).toEqual([
      'supervision.reviewer',
      'policy.model',
      'framework.seeds',
      'supervision.model',
    ]);
    // The sentence stands at a field of the window as well as in a terminal.
    expect(planProblems(engine, wrong)[1]?.sentence).toMatch(
      /^There is no model "nobody-knows": .*; import it in the Library, or with "anchor import"\.$/,
    );
    const long = runConfigSchema.parse({ generation: { maxPromptTokens: 90_000 } });
    expect(planProblems(engine, long)).toMatchObject([
      {
        path: 'generation.maxPromptTokens',
        sentence: expect.stringMatching(/lower generation.maxPromptTokens/),
      },
    ]);
    const judged = runConfigSchema.parse({
      ...PRESETS.demo,
      evaluation: { every: 1, items: 5, suites: ['toy-refusal'], judge: 'no-such-judge' },
    });
    expect(planProblems(engine, judged).map(({ path }) => path)).toEqual(['evaluation.judge']);
    expect(planProblems(engine, runConfigSchema.parse(PRESETS.demo))).toEqual([]);
    const policy = engine.resources.embeddedPolicy;
    const begun = (seeds?: string): string[] =>
      planProblems(
        engine,
        runConfigSchema.parse({ policy: { model: policy }, framework: { name: 'azr', seeds } }),
      ).map(({ path }) => path);
    // Only the embedded policy begins with the toy world's programs unasked.
    expect([undefined, 'own', 'embedded'].map(begun)).toEqual([['framework.seeds'], [], []]);
    const worded = runConfigSchema.parse({
      supervision: {
        phases: everyPhase(0.5),
        reviewer: 'rubric',
        merge: 'model',
        model: 'nobody-knows',
        wordingPrompts: { merge: 'Join the lines.' },
      },
    });
    expect(planProblems(engine, worded).map(({ path }) => path)).toEqual([
      'supervision.wordingPrompts',
      'supervision.model',
    ]);
  });
});

describe('a timed step', () => {
  // It measures the memory of its trainer, which has to be a whole one.
  beforeAll(async () => {
    coolDown();
    await engine.close();
    engine = await openEngine(lab, 1);
  });

  it('takes one real small step with real reviews of every phase and leaves nothing but its numbers', async () => {
    const caller = createRouter(engine).createCaller({});
    const config = runConfigSchema.parse({
      ...PRESETS.demo,
      name: 'timed',
      framework: { name: 'azr', batchSize: 4, estimateSamples: 2 },
      generation: { maxNewTokens: 48 },
      policy: { maxConcurrent: 16 },
    });
    const before = engine.store.listRuns().rows.length;
    const job = await caller.plan.probe(config);
    await expect(caller.plan.probe(config)).rejects.toThrow(/being timed already/);
    expect(await engine.jobs.ended(job.id)).toMatchObject({ state: 'done', problem: null });
    const estimate = await caller.plan.estimate(config);
    for (const phase of PHASES) {
      expect(estimate.reviewSeconds[phase]).toMatchObject({ source: 'measured', from: { kind: 'probe' } });
      expect(estimate.reviewSeconds[phase]?.value).toBeGreaterThan(0);
    }
    expect(estimate.memory.trainer).toMatchObject({ source: 'measured', from: { kind: 'probe' } });
    expect(estimate.memory.trainer?.value).toBeGreaterThan(50e6);
    expect(engine.store.listRuns().rows).toHaveLength(before);
    expect(engine.store.checkIntegrity()).toEqual([]);
  });

  it('that is cancelled leaves no numbers', async () => {
    const caller = createRouter(engine).createCaller({});
    const config = runConfigSchema.parse({ ...PRESETS.demo, policy: { threads: 2 } });
    const job = await caller.plan.probe(config);
    await caller.jobs.cancel({ id: job.id });
    expect((await engine.jobs.ended(job.id)).state).toBe('cancelled');
    expect((await caller.plan.estimate(config)).stepSeconds).toBeNull();
  });
});
