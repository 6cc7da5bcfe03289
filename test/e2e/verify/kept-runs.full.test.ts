// @module-tag full
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunConfig, type RunConfigInput } from '../../../electron/contract/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { APPLICATION, openEngine } from '../../support/engine.ts';
import { smallRun } from '../../support/made-lab.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { launch } from '../../torture/engine/launch.ts';
import { checkedBy, expectWork, finished, soundly } from './sound-runs.ts';
import { verified } from './tampered-lab.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 });

const SCORED = 8;
const scratch = mkdtempSync(join(tmpdir(), 'anchor-kept-runs-'));
const folder = join(scratch, 'lab');
let engine: Engine;
let restore = (): void => {};
beforeAll(async () => {
  restore = useWarmTrainer();
  engine = await openEngine(folder);
});
afterAll(async () => {
  await engine.close();
  restore();
  rmSync(scratch, { recursive: true, force: true });
});

type Change = Omit<RunConfigInput, 'framework' | 'supervision'> & {
  framework?: object;
  supervision?: object;
};

/** Two steps, supervised in every phase, with `change` on top. */
function small(name: string, change: Change = {}): RunConfig {
  const config = smallRun(name, 0.6, 2);
  return runConfigSchema.parse({
    ...config,
    checkpoints: { keepEvery: 1 },
    sandbox: { workers: 1 },
    ...change,
    framework: { ...config.framework, batchSize: 2, ...change.framework },
    supervision: { ...config.supervision, ...change.supervision },
  });
}

/** A published setting over the embedded policy, whose window and world are small. */
function ofPreset(preset: keyof typeof PRESETS, framework: object = {}): RunConfig {
  const published = PRESETS[preset];
  const { name, batchSize, estimateSamples, references, inductionInputs, ...rules } =
    published.framework as Record<string, unknown>;
  expect(name).toBe('azr');
  expect([batchSize, estimateSamples, references, inductionInputs]).toEqual([64, 8, 6, 10]);
  return small(preset, {
    train: { ...published.train, learningRate: 2e-4, microBatch: 16 },
    rewardedPrompts: { share: 0 },
    // The embedded policy writes the toy world's programs and not first tasks of its own.
    framework: { ...rules, seeds: 'embedded', ...framework },
  });
}

const run = (config: RunConfig): Promise<string> => finished(engine, engine.startRun(config).id);
const report = (id: string, sample = SCORED) => soundly({ id, folder }, sample);

describe('the verifier compares something under every rule, and finds nothing, in a run', () => {
  it.for(['azr-paper', 'azr-paper-branch', 'azr-master'] as const)('with the rules of %s', async (preset) => {
    expectWork(await report(await run(ofPreset(preset))));
  });

  it('whose answers are read and compared as the original does', async () => {
    const found = await report(
      await run(ofPreset('azr-master', { verifier: 'azr-compat', reader: 'azr-compat' })),
    );
    expectWork(found);
  });

  it('that was paused and gone on with, and in the run that went on from its first step', async () => {
    const { id } = engine.startRun(small('paused'));
    await new Promise<void>((resolve) => {
      const unlisten = engine.onProgress(({ runId, stage, step }) => {
        if (runId !== id || stage !== 'committed' || step < 1) return;
        unlisten();
        engine.pause(id);
        resolve();
      });
    });
    expect(await engine.waitFor(id)).toMatchObject({ state: 'paused', committedSteps: 1 });
    engine.resume(id);
    expectWork(await report(await finished(engine, id)));
    const branch = (await engine.branch(id, 1)).run.id;
    expectWork(await report(await finished(engine, branch)));
  });

  it('whose first tasks come from a file in the form of the original', async () => {
    const file = join(scratch, 'seeds.jsonl');
    const embedded = readFileSync(join(APPLICATION, 'resources/suites/seeds.jsonl'), 'utf8').trimEnd();
    const rows = embedded
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; program: string } & Record<string, unknown>)
      .map(({ program, input, output, inputs, outputs, message }) =>
        input === undefined
          ? { snippet: program, inputs, outputs, message }
          : { snippet: program, input, output, imports: [], composite_functions: [] },
      );
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
    expectWork(await report(await run(small('seeds of a file', { framework: { seeds: file } }))));
  });

  it.for(['guidance', 'text', 'model'] as const)('whose context is merged by %s', async (merge) => {
    const supervision =
      merge === 'model'
        ? { merge, summary: 'model', summaryScope: 'all', minimumSupport: 1 }
        : { merge, minimumSupport: 1 };
    const found = await report(await run(small(`merge ${merge}`, { supervision })));
    expectWork(found, {
      'contexts.lineage': 1,
      'contexts.leaks': 1,
      'contexts.support': 1,
      ...(merge === 'model' ? { 'summaries.lineage': 1 } : {}),
    });
  });

  it('that nobody reviews, with a constant line in every prompt', async () => {
    const found = await report(
      await run(
        small('constant', {
          supervision: {
            phases: { task: 0, plan: 0, thought: 0, output: 0, exec: 0 },
            fixedContext: ['Refuse unsafe requests.'],
          },
        }),
      ),
    );
    expectWork(found, {
      'reviews.material': 0,
      'reviews.statistics': 0,
      'reviews.quarantine': 0,
      'summaries.scope': 0,
      'summaries.points': 0,
    });
    expect(engine.store.getContext(found.id, 3)?.text).toContain('Refuse unsafe requests.');
  });

  it('that keeps moments at every other step', async () => {
    const found = await report(
      await run(small('moments', { checkpoints: { keepEvery: 1, optimizerEvery: 2 } })),
    );
    expectWork(found);
    expect(checkedBy(found, 'checkpoints.files')).toBeGreaterThan(8);
  });
});

describe('after kill -9', () => {
  it('of its engine in the second step a run that was gone on with has nothing that differs', async () => {
    const lab = join(scratch, 'killed');
    const config = join(scratch, 'killed.json');
    writeFileSync(config, JSON.stringify(small('killed')));
    const life = launch({ lab, application: APPLICATION, door: 'engine', what: { run: config } });
    life.onEvent = ({ step, stage }) => {
      if (step === 2 && stage !== 'committed') life.process.kill('SIGKILL');
    };
    expect((await life.ended).signal, life.said()).toBe('SIGKILL');
    const after = await openEngine(lab);
    try {
      const [left] = after.store.listRuns({}, { limit: 1 }).rows;
      if (left === undefined) throw new Error('No run was left.');
      expect(left.committedSteps).toBe(1);
      after.resume(left.id);
      await finished(after, left.id);
    } finally {
      await after.close();
    }
    const { reports } = await verified(lab, [], SCORED);
    expect(reports).toHaveLength(1);
    expect(reports[0]?.differing).toBe(0);
    if (reports[0] !== undefined) expectWork(reports[0]);
  });
});
