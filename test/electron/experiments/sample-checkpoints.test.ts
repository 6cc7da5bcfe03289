import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LiveEvent } from '../../../electron/contract/index.ts';
import { sha256Hex } from '../../../electron/core/index.ts';
import { Jobs } from '../../../electron/engine/index.ts';
import { SampleRun } from '../../../electron/experiments/index.ts';
import { recordedRun, stepsToMake } from '../../../electron/experiments/sample/weights.ts';
import type { Trainer } from '../../../electron/models/index.ts';
import { makeLab } from '../engine/in-engine.ts';
import { POLICY, recording, SHIPPED, trainerOf, type OnSave } from './sample-trainer.ts';

vi.setConfig({ testTimeout: 120_000 });

const RUNS = ['sample-alone', 'sample-supervised'];
const KEPT = [0, 6, 12, 18, 24];
const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

describe('the checkpoints of the sample', () => {
  let close: (() => Promise<void>) | null = null;
  afterEach(async () => {
    await close?.();
    close = null;
  });

  function sampleIn(labRoot: string, trainer: Trainer) {
    const events: LiveEvent[] = [];
    const jobs = new Jobs((event) => events.push(event), clock);
    const settings = new Map<string, unknown>();
    const sample = new SampleRun({
      labRoot,
      resources: SHIPPED,
      clock,
      emit: (event) => events.push(event),
      settings: {
        getSetting: (name) => settings.get(name) ?? null,
        setSetting: (name, value) => void settings.set(name, value),
      },
      embeddedPolicy: POLICY,
      jobs,
      withTrainer: (_purpose, _threads, use) => use(trainer),
    });
    close = async () => {
      await jobs.close();
      sample.close();
    };
    return { sample, jobs, events };
  }
  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'anchor-sample-checkpoints-'));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  }
  const runsOf = (lab: string): string[] => {
    const runs = join(lab, 'sample/runs');
    return existsSync(runs) ? readdirSync(runs).sort() : [];
  };

  it('are made with the recorded hashes, after the rest of the replay; then the records say that they are there', async () => {
    const lab = folder();
    const { sample, jobs } = sampleIn(lab, trainerOf('as recorded'));
    await sample.open();
    expect(sample.state().checkpoints).toMatchObject({ steps: KEPT, areMade: false, areOwn: false });
    const { id } = sample.makeCheckpoints();
    expect(() => sample.makeCheckpoints()).toThrow(/being made; wait for that job/);
    expect(() => sample.remove()).toThrow(/being made; wait for that job/);
    expect(await jobs.ended(id)).toMatchObject({ state: 'done', done: 50, total: 50, problem: null });
    expect(sample.state().checkpoints).toMatchObject({ areMade: true, areOwn: false });
    for (const runId of RUNS) {
      const { checkpoints } = recordedRun(recording, runId);
      expect(sample.storeOf(runId).listCheckpoints(runId)).toEqual(KEPT.map((step) => checkpoints.get(step)));
      expect(existsSync(sample.filesOf(runId).checkpoint(12))).toBe(true);
      expect(existsSync(join(sample.filesOf(runId).root, 'updates'))).toBe(false);
    }
    expect(sample.storeOf(RUNS[0]!).checkIntegrity()).toEqual([]);
    sample.remove();
    expect(existsSync(join(lab, 'sample'))).toBe(false);
  });

  it('that a processor rounds otherwise are subjects of their own, and no record claims the recorded weights', async () => {
    const lab = await makeLab();
    onTestFinished(() => lab.remove());
    const { sample, jobs } = sampleIn(lab.folder, trainerOf('otherwise'));
    await sample.open();
    expect((await jobs.ended(sample.makeCheckpoints().id)).state).toBe('done');
    expect(sample.state().checkpoints).toMatchObject({ areMade: true, areOwn: true });
    expect(sample.storeOf(RUNS[0]!).listCheckpoints(RUNS[0]!)).toEqual([]);
    expect(sample.storeOf(RUNS[0]!).checkIntegrity()).toEqual([]);
    sample.close();

    await lab.verbs.tour.open();
    const own = sha256Hex('sample-alone 24');
    const choices = await lab.verbs.evaluations.subjects();
    expect(choices.find(({ id }) => id === 'sample-alone@24')).toMatchObject({ kept: false });
    expect(choices.find(({ id }) => id === 'sample-alone-remade@24')).toMatchObject({
      kept: true,
      sample: true,
      sha256: own,
      runId: 'sample-alone',
      label: 'demo: alone, step 24, made again here with other weights',
    });
    const estimate = (subject: string) =>
      lab.verbs.evaluations.estimate({
        subjects: [subject],
        suites: ['toy-memory'],
        seed: 1,
        limit: 3,
        context: null,
        judge: null,
      });
    await expect(estimate('sample-alone@24')).rejects.toThrow(
      /cannot be made on this processor, which rounds otherwise; ask those it came to, "sample-alone-remade@24"/,
    );
    expect((await estimate('sample-alone-remade@last')).items).toBeGreaterThan(0);
    await expect(estimate('sample-alone-remade@7')).rejects.toThrow(/keeps those of steps 0, 6, 12, 18, 24/);
    const request = { seed: null, limit: null, context: null, judge: null };
    const { rows } = await lab.verbs.evaluations.matrix({
      ...request,
      subjects: ['sample-alone@24', 'sample-alone-remade@24'],
    });
    const cells = rows.find(({ suite }) => suite === 'toy-refusal')?.cells ?? [];
    expect(cells.map((cell) => cell === null)).toEqual([false, true]);
  });

  it.each([
    ['was cancelled', /^It was cancelled; what was made of a run that was not finished is deleted\.$/],
    ['met a full disk', /disk|space/i],
  ])('leave nothing half made when the making %s', async (how, sentence) => {
    const lab = folder();
    let cancel = (): void => {};
    const onSave: OnSave = (runId, step) => {
      if (runId !== RUNS[1] || step !== 12) return;
      if (how === 'was cancelled') cancel();
      else throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const { sample, jobs } = sampleIn(lab, trainerOf('as recorded', onSave));
    await sample.open();
    const { id } = sample.makeCheckpoints();
    cancel = () => jobs.cancel(id);
    const { state, problem } = await jobs.ended(id);
    expect(state).toBe(how === 'was cancelled' ? 'cancelled' : 'failed');
    expect(problem).toMatch(sentence);
    // The first run was whole; it stays, and is not made again.
    expect(runsOf(lab)).toEqual([RUNS[0]]);
    expect(sample.state().checkpoints?.areMade).toBe(false);
    expect(() => sample.filesOf(RUNS[1]!)).toThrow(/not on this disk yet/);
    cancel = () => {};
    if (how === 'was cancelled') {
      expect((await jobs.ended(sample.makeCheckpoints().id)).done).toBe(25);
      expect(sample.state().checkpoints?.areMade).toBe(true);
    }
  });

  it('that a killed program left unfinished, or whole but unrecorded, are deleted when the sample is opened', async () => {
    const lab = folder();
    const { sample } = sampleIn(lab, trainerOf('as recorded'));
    await sample.open();
    sample.close();
    for (const name of ['sample-alone', 'sample-supervised.unfinished'])
      mkdirSync(join(lab, 'sample/runs', name, 'checkpoints/step-00000'), { recursive: true });
    await sample.open();
    expect(runsOf(lab)).toEqual([]);
    expect(sample.state().checkpoints?.areMade).toBe(false);
  });

  it('are those of the first, the last and the kept steps, all of which were evaluated', () => {
    for (const runId of RUNS) {
      expect(stepsToMake(recordedRun(recording, runId))).toEqual(KEPT);
      const asked = recording.evaluations.filter(({ plan }) => plan.subject.runId === runId);
      expect(new Set(asked.map(({ plan }) => plan.subject.step))).toEqual(
        new Set([...KEPT, ...asked.map(({ plan }) => plan.subject.step)]),
      );
    }
  });
});
