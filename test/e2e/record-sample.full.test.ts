// @module-tag full
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { recordingLabelSchema, unpackRecording } from '../../electron/experiments/sample/recording.ts';
import { Jobs } from '../../electron/engine/index.ts';
import { SampleRun } from '../../electron/experiments/index.ts';
import { openEngine } from '../support/engine.ts';
import { anchor, makeLab, removeLab } from './anchor-cli.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 900_000 });

describe('the recipe of the sample run', () => {
  const out = mkdtempSync(join(tmpdir(), 'anchor-recording-'));
  const lab = makeLab();
  afterAll(() => {
    rmSync(out, { recursive: true, force: true });
    removeLab(lab);
  });

  it('is one command: it runs the demo in a lab of its own and writes a recording that can be played', () => {
    const { code, stdout, stderr } = anchor(
      lab,
      ['record-sample', '--out', out, '--steps', '1', '--items', '2'],
      840_000,
    );
    expect(code, stderr.split('\n').slice(-5).join('\n')).toBe(0);
    expect(stdout).toMatch(
      /sample-alone: 1 steps, \d+ records, 0 reviews; sample-supervised: 1 steps, \d+ records, \d+ reviews/,
    );
    const label = recordingLabelSchema.parse(JSON.parse(readFileSync(join(out, 'label.json'), 'utf8')));
    const recording = unpackRecording(readFileSync(join(out, 'recording.json.br')), label);
    expect(recording.runs.map(({ id }) => id)).toEqual(['sample-alone', 'sample-supervised']);
    expect(recording.steps.map(({ commit }) => commit.step.step)).toEqual([1, 1]);
    expect(
      recording.evaluations.every(
        ({ items, plan: { subject } }) => items.length === 2 && subject.id.startsWith('sample-'),
      ),
    ).toBe(true);
    expect(JSON.stringify(recording)).not.toContain(tmpdir() === '/tmp' ? '"/tmp/' : tmpdir());
  });

  it('ships what trained the weights: they are made again with the recorded hashes, and answer as they did', async () => {
    const label = recordingLabelSchema.parse(JSON.parse(readFileSync(join(out, 'label.json'), 'utf8')));
    const recording = unpackRecording(readFileSync(join(out, 'recording.json.br')), label);
    const folder = mkdtempSync(join(tmpdir(), 'anchor-remade-'));
    const engine = await openEngine(folder);
    try {
      const jobs = new Jobs(() => {}, engine.clock);
      const sample = new SampleRun({
        labRoot: folder,
        resources: out,
        clock: engine.clock,
        emit: () => {},
        settings: engine.store,
        embeddedPolicy: engine.resources.embeddedPolicy,
        jobs,
        withTrainer: (purpose, threads, use) => engine.children.withTrainer(purpose, threads, use),
      });
      Object.assign(engine, { sample });
      await sample.open();
      expect(await jobs.ended(sample.makeCheckpoints().id)).toMatchObject({ state: 'done', problem: null });
      expect(sample.state().checkpoints).toMatchObject({ steps: [0, 1], areMade: true, areOwn: false });
      const recorded = recording.evaluations.find(
        ({ plan }) => plan.subject.id === 'sample-supervised@1' && plan.context === null,
      );
      const { suite, seed } = recorded!.plan;
      const [outcome] = await engine.evaluate({
        policy: { runId: 'sample-supervised', step: 1 },
        suites: [suite],
        limit: 2,
        seed,
        contexts: [null],
      });
      const { id } = engine.store.listEvaluations({ runId: 'sample-supervised' })[0]!;
      expect(outcome?.suite).toBe(suite);
      expect([...engine.store.eachEvaluationItem(id)].map(({ itemId, text }) => [itemId, text])).toEqual(
        recorded!.items.map(({ itemId, text }) => [itemId, text]),
      );
      sample.close();
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
