import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { Engine, type ExportedRun } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { exported, findingsOf, resultOf } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { makeApplication } from '../../torture/engine/application.ts';
import { makeLab, openEngine, type Lab } from './in-engine.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** Turns one bit of a byte over; doing it again mends the file. */
function flip(file: string, at: number): void {
  const byte = Buffer.alloc(1);
  const open = openSync(file, 'r+');
  readSync(open, byte, 0, 1, at);
  byte[0] = (byte[0] as number) ^ 1;
  writeSync(open, byte, 0, 1, at);
  closeSync(open);
}

const config = runConfigSchema.parse({
  ...PRESETS.demo,
  name: 'hashed',
  steps: 1,
  framework: { name: 'azr', batchSize: 1, estimateSamples: 1, taskTypes: ['deduction'] },
  generation: { maxNewTokens: 24 },
  rewardedPrompts: { share: 0 },
  supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
});
const request = (runId: string, step: number) => ({
  policy: { runId, step },
  suites: ['toy-refusal'],
  limit: 2,
  seed: 1,
  contexts: [null],
});

describe('a checkpoint whose files are not those that were stored', () => {
  let lab: Lab;
  let run: string;
  beforeAll(async () => {
    lab = await makeLab();
    run = lab.engine.startRun(config).id;
    expect((await lab.engine.waitFor(run)).state).toBe('done');
  });
  afterAll(() => lab.remove());

  it('is exported once where two exports ask for one folder at the same time', async () => {
    const target = join(lab.scratch, 'exported-twice');
    const first = lab.engine.exportRun(run, target, ['safetensors']);
    expect(() => lab.engine.exportRun(run, target, ['safetensors'])).toThrow(
      `Another export is writing the folder ${target}; name a new one.`,
    );
    expect((await resultOf<ExportedRun>(lab.engine, first)).files).toContain('policy/');
    expect(existsSync(join(target, 'policy/model.safetensors'))).toBe(true);
  });

  it('is exported as a job that tells how far it is, and leaves nothing where it is cancelled', async () => {
    const target = join(lab.scratch, 'exported-in-part');
    const { jobs } = lab.engine;
    const job = lab.engine.exportRun(run, target, ['safetensors', 'gguf']);
    expect(job).toMatchObject({ kind: `export:${run}`, unit: 'byte' });
    expect(existsSync(`${target}.partial`)).toBe(true);
    jobs.cancel(job.id);
    expect((await jobs.ended(job.id)).state).toBe('cancelled');
    expect([target, `${target}.partial`].filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(join(lab.folder, 'unfinished'))).toBe(false);
    const again = await exported(lab.engine, run, target, ['safetensors', 'gguf']);
    expect(again.files).toEqual([
      'anchor/',
      'config.json',
      'metrics.csv',
      'rates.csv',
      'proposals.csv',
      'policy/',
      'policy.f16.gguf',
    ]);
    const [last] = lab.engine.jobs.list();
    expect(last).toMatchObject({ kind: `export:${run}`, state: 'done', done: last?.total });
    // Its hashes are taken of all of the model, and each of the two forms counts as much.
    const model = statSync(join(target, 'policy/model.safetensors')).size;
    expect(last?.total).toBeGreaterThan(3 * model);
    expect(last?.total).toBeLessThan(4 * model);
  });

  it('is exported by an engine opened later where an export of the one before never came to its end', async () => {
    const target = join(lab.scratch, 'exported-later');
    const asked = Promise.withResolvers<void>();
    lab.engine.children.withTrainer = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    lab.engine.exportRun(run, target, ['gguf']);
    await asked.promise;
    // Its program was killed: whoever opens the lab next finds what it left elsewhere, and what a trainer put aside.
    const { parked } = lab.engine.lab.run(lab.engine.store.requireRun(run).folder);
    lab.engine.store.close();
    mkdirSync(parked);
    writeFileSync(join(parked, 'solver-weights.safetensors'), '');
    expect(existsSync(`${target}.partial`)).toBe(true);
    lab.engine = await openEngine(lab.folder);
    expect([`${target}.partial`, parked].filter((path) => existsSync(path))).toEqual([]);
    // It is out of the way at once, and removed beside the work.
    await expect.poll(() => existsSync(join(lab.folder, 'unfinished'))).toBe(false);
    expect((await exported(lab.engine, run, target, ['safetensors'])).folder).toBe(target);
    expect(existsSync(join(target, 'policy/model.safetensors'))).toBe(true);
  });

  it.each([
    ['model.safetensors', 200_000, 1],
    ['model.safetensors', 200_000, 0],
    ['tokenizer.json', 300, 1],
  ] as const)('%s, a bit at %i, step %i: is neither scored nor handed out', async (name, at, step) => {
    const { engine } = lab;
    const file = join(engine.lab.run(engine.store.requireRun(run).folder).checkpoint(step), name);
    const target = join(lab.scratch, `exported-${name}`);
    flip(file, at);
    const asked = engine.evaluate(request(run, step));
    await expect(asked).rejects.toMatchObject({
      kind: 'modelChanged',
      message: `The file ${file} is not as it was stored: its SHA-256 is another one; put the files of this checkpoint back, or ask that of another step.`,
    });
    if (step === 1) {
      await expect(exported(engine, run, target, ['safetensors', 'gguf'])).rejects.toThrow(
        /is not as it was stored: its SHA-256 is another one/,
      );
      expect(existsSync(target)).toBe(false);
    }
    expect(engine.store.listStoredEvaluations({})).toEqual([]);
    flip(file, at);
  });

  it('as it was, it is scored and handed out', async () => {
    const outcomes = await lab.engine.evaluate(request(run, 1));
    expect(outcomes).toHaveLength(1);
    const target = join(lab.scratch, 'exported');
    await exported(lab.engine, run, target, ['safetensors']);
    expect(existsSync(join(target, 'policy/model.safetensors'))).toBe(true);
  });
});

describe('a model of the application that is not the one on its card', () => {
  let lab: Lab;
  let engine: Engine;
  let models: string;
  beforeAll(async () => {
    lab = await makeLab();
    const application = makeApplication(join(lab.scratch, 'application'));
    models = application.ownModels();
    engine = await Engine.open({
      application: application.folder,
      labFolder: join(lab.scratch, 'other'),
      clock: { now: () => new Date(), monotonicMs: () => performance.now() },
    });
  });
  afterAll(async () => {
    await engine.close();
    await lab.remove();
  });
  const sentence = (file: string): string =>
    `The file ${file} is not as it was stored: its SHA-256 is another one; it came with the application, so reinstall that.`;

  it.each(['policy/model.safetensors', 'supervisor/supervisor.f16.gguf', 'writer/writer.f16.gguf'])(
    '%s: no run begins with it',
    async (name) => {
      const file = join(models, name);
      flip(file, 200_000);
      const { id } = engine.startRun({
        ...config,
        supervision: { ...config.supervision, reviewer: 'llama', summary: 'model', merge: 'model' },
      });
      await expect(engine.waitFor(id)).rejects.toMatchObject({
        kind: 'modelChanged',
        message: sentence(file),
      });
      expect(engine.store.getRun(id)).toMatchObject({ state: 'failed', reason: sentence(file) });
      flip(file, 200_000);
    },
  );

  it('the doctor names each', { tags: ['full'] }, async () => {
    const files = ['writer/writer.f16.gguf', 'policy/model.safetensors'].map((name) => join(models, name));
    for (const file of files) flip(file, 200_000);
    const findings = await findingsOf(engine);
    expect(findings.filter(({ ok }) => !ok).map(({ detail }) => detail)).toEqual(files.map(sentence));
  });
});
