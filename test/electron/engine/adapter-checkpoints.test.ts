import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type CheckpointRecord } from '../../../electron/contract/index.ts';
import { sha256Hex } from '../../../electron/core/index.ts';
import { resolveSubject } from '../../../electron/evaluation/plan/subjects.ts';
import { branchRun } from '../../../electron/engine/runs/branch-run.ts';
import { pruneCheckpoints } from '../../../electron/engine/runs/run-weights.ts';
import { neededFiles } from '../../../electron/machine/backup-files.ts';
import type { ExportForm } from '../../../electron/processes/index.ts';
import type { ExportSource } from '../../../electron/models/index.ts';
import { DATABASE_FILE } from '../../../electron/store/index.ts';
import { exported } from '../../support/engine.ts';
import { makeCheckpoint, makeCommit, makeInitial } from '../store/support/make-records.ts';
import { makeLab, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const config = runConfigSchema.parse({
  name: 'adapted',
  steps: 9,
  checkpoints: { keepEvery: 0 },
  train: { lora: { rank: 8 } },
});
const BASE = ['config.json', 'model.safetensors', 'tokenizer.json'];
const ADAPTER = ['adapter_config.json', 'adapter_model.safetensors', 'config.json', 'tokenizer.json'];
const STATE = ['optimizer.safetensors', 'trainer.json'];
const REPEATED = ['updates.safetensors', 'trainer.json'];
/** The shortest file of safetensors there is. */
const NO_TENSORS = Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{}')]);

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
  makeRun('adapted', config, 4);
  makeRun('whole', { ...config, train: runConfigSchema.parse({}).train }, 1);
  makeRun('begun', config, 0);
  makeRun('sparse', { ...config, checkpoints: { keepEvery: 0, optimizerEvery: 3 } }, 8);
});
afterAll(() => lab.remove());

/** A run of so many steps as it is stored, with files of its checkpoints in their places. */
function makeRun(id: string, of: typeof config, steps: number): void {
  const { store } = lab.engine;
  store.createRun({ id, config: of, folder: `runs/${id}` });
  for (const state of ['setting-up', 'stepping', 'interrupted'] as const) store.setRunState(id, state, null);
  const isAdapter = of.train.lora !== undefined;
  store.putInitial(id, { ...makeInitial(), checkpoints: [filesOf(id, 0, BASE)] });
  for (let step = 1; step <= steps; step += 1)
    store.commitStep(id, {
      ...makeCommit(step),
      checkpoint: filesOf(id, step, [
        ...(isAdapter ? ADAPTER : BASE),
        ...(step % (of.checkpoints.optimizerEvery ?? 1) === 0 ? STATE : REPEATED),
      ]),
    });
}

function filesOf(id: string, step: number, names: readonly string[]): CheckpointRecord {
  const folder = lab.engine.lab.run(`runs/${id}`).checkpoint(step);
  mkdirSync(folder, { recursive: true });
  const files = names.map((name) => {
    const content = name.endsWith('.safetensors')
      ? NO_TENSORS
      : Buffer.from(name === 'config.json' ? '{"max_position_embeddings": 512}' : `{"${step}": "${name}"}`);
    writeFileSync(join(folder, name), content);
    return { path: join(folder, name), bytes: content.length, sha256: sha256Hex(content) };
  });
  return { ...makeCheckpoint(step), files };
}

const place = (id: string, step: number): string => lab.engine.lab.run(`runs/${id}`).checkpoint(step);

/** Exports with a trainer that only says what it was asked for. */
async function exportedBy(id: string, formats: ('safetensors' | 'gguf' | 'peft')[]) {
  const asked: [ExportSource, ExportForm][] = [];
  const spy = vi.spyOn(lab.engine.children, 'withTrainer').mockImplementation((_purpose, _threads, use) =>
    use({
      export: async (...order: [ExportSource, ExportForm]) => void asked.push(order),
    } as never),
  );
  const target = join(lab.scratch, `${id}-${formats.join('-')}`);
  const { files } = await exported(lab.engine, id, target, formats).finally(() => spy.mockRestore());
  return { asked, files: files.filter((name) => /^(policy|adapter)/.test(name)), target };
}

describe('a checkpoint that is an adapter', () => {
  it('is merged into its base by the trainer wherever a model is asked for', async () => {
    const { asked, files, target } = await exportedBy('adapted', ['gguf', 'safetensors']);
    const model = { model: { path: place('adapted', 4) } };
    expect(asked).toEqual([
      [model, { format: 'safetensors', quant: 'f32', dir: join(`${target}.partial`, 'policy') }],
      [model, { format: 'gguf', quant: 'f16', file: join(`${target}.partial`, 'policy.f16.gguf') }],
    ]);
    expect(files).toEqual(['policy/', 'policy.f16.gguf']);
    expect(existsSync(join(target, 'policy'))).toBe(false);
  });

  it('is handed out alone', async () => {
    const { asked, files, target } = await exportedBy('adapted', ['peft']);
    expect(asked).toEqual([
      [
        { model: { path: place('adapted', 4) } },
        { format: 'peft', dir: join(`${target}.partial`, 'adapter') },
      ],
    ]);
    expect(files).toEqual(['adapter/']);
  });

  it('is not had of a run that trains every parameter, whose checkpoints are copied, nor of one without a step', async () => {
    const alone = (id: string) => () => lab.engine.exportRun(id, join(lab.scratch, 'never'), ['peft']);
    expect(alone('whole')).toThrow(
      'Run "whole" trains every parameter, so there is no adapter of it; export it as safetensors or GGUF.',
    );
    expect(alone('begun')).toThrow(
      'Run "begun" has no step stored yet, so there is no adapter of it; export it after its first step.',
    );
    const { asked, target } = await exportedBy('whole', ['safetensors']);
    expect(asked).toEqual([]);
    expect(readdirSync(join(target, 'policy')).sort()).toEqual(BASE);
  });

  it('is asked and handed out only with the base that it was trained beside', async () => {
    const { subject, path, stored, contextTokens } = await resolveSubject(lab.engine, 'adapted@3');
    expect([subject.step, path, contextTokens]).toEqual([3, place('adapted', 3), 512]);
    expect(stored.map(({ path: file }) => file)).toEqual([
      ...ADAPTER.map((name) => join(place('adapted', 3), name)),
      ...BASE.map((name) => join(place('adapted', 0), name)),
    ]);
    const weights = join(place('adapted', 0), 'model.safetensors');
    writeFileSync(weights, 'other weights');
    const sentence = `The file ${weights} is not as it was stored: its SHA-256 is another one`;
    await expect(exportedBy('adapted', ['gguf'])).rejects.toThrow(sentence);
    writeFileSync(weights, NO_TENSORS);
  });

  it('keeps its base when older checkpoints go, in a backup and in a run that goes on from it', async () => {
    const { store, lab: folder } = lab.engine;
    const bases = BASE.map((name) => join('checkpoints', 'step-00000', name));
    const held = neededFiles(join(lab.folder, DATABASE_FILE), lab.folder).map(({ name }) => name);
    expect(held).toEqual(expect.arrayContaining(bases.map((name) => join('runs', 'adapted', name))));
    const branch = await branchRun(lab.engine, 'adapted', 2, 'branched');
    for (const name of bases) expect(existsSync(join(folder.run(branch.folder).root, name))).toBe(true);
    pruneCheckpoints(store, 'adapted', config, folder.run('runs/adapted'));
    expect(store.listCheckpoints('adapted').map(({ step }) => step)).toEqual([0, 3, 4]);
    expect(readdirSync(place('adapted', 0)).sort()).toEqual(BASE);
  });
});

describe('a checkpoint that leaves the moments of the optimizer to an earlier one', () => {
  const kept = (id: string): number[] => lab.engine.store.listCheckpoints(id).map(({ step }) => step);

  it('takes that one with it into a backup and into a run that goes on from it', async () => {
    const held = neededFiles(join(lab.folder, DATABASE_FILE), lab.folder)
      .map(({ name }) => name)
      .filter((name) => name.startsWith(join('runs', 'sparse')));
    const steps = held.map((name) => name.split('/')[3]);
    expect([...new Set(steps)]).toEqual(['step-00000', 'step-00006', 'step-00008']);
    expect(held).toContain(join('runs', 'sparse', 'checkpoints', 'step-00008', 'updates.safetensors'));
    const branch = await branchRun(lab.engine, 'sparse', 5, 'sparse-branch');
    expect(kept(branch.id)).toEqual([0, 3, 5]);
    const files = readdirSync(lab.engine.lab.run(branch.folder).checkpoint(5)).sort();
    expect(files).toEqual([...ADAPTER, ...REPEATED].sort());
  });

  it('keeps that one as long as it is kept itself', async () => {
    const { store, lab: folder } = lab.engine;
    store.appendEvent('sparse', 'checkpoint.kept', { step: 4 });
    const sparse = { ...config, checkpoints: { keepEvery: 0, optimizerEvery: 3 } };
    pruneCheckpoints(store, 'sparse', sparse, folder.run('runs/sparse'));
    // 4 was asked for and needs 3; 7 and 8 are the newest and need 6.
    expect(kept('sparse')).toEqual([0, 3, 4, 6, 7, 8]);
    await lab.verbs.lab.dropCheckpoints({ runId: 'sparse' });
    expect(kept('sparse')).toEqual([0, 3, 4, 6, 8]);
  });
});
