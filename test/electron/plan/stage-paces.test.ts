import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConfigSchema, type RunConfig, type RzeroConfig } from '../../../electron/contract/index.ts';
import { meanStage, plannedStages } from '../../../electron/plan/stage-paces.ts';
import { policyKey, type Probe } from '../../../electron/plan/probes.ts';
import { openLab, type Lab } from '../../../electron/store/index.ts';
import { initialContext } from '../../../electron/supervision/index.ts';
import { SMALL, takeSteps } from '../evolution/rzero/scripted-run.ts';
import { makeCheckpoint, steadyClock } from '../store/support/make-records.ts';

/** Seconds of a step of each stage, as if a run had taken them. */
const TIMINGS: Record<string, Record<string, number>> = {
  challenge: { step: 11, supervise_wait: 1, gen: 4, estimate: 4, update_actor: 2 },
  pose: { step: 3, gen: 3 },
  label: { step: 6, estimate: 6 },
  solve: { step: 8, gen: 5, update_actor: 2, save_checkpoint: 1 },
};
const config = (change: Partial<RzeroConfig> = {}, model = 'm', steps = 16): RunConfig =>
  runConfigSchema.parse({
    ...SMALL,
    steps,
    policy: { promptPack: 'instruct', model },
    framework: { ...(SMALL.framework as RzeroConfig), ...change },
  });

const folder = mkdtempSync(join(tmpdir(), 'anchor-stages-'));
let lab: Lab;
const put = async (id: string, of: RunConfig, steps: number): Promise<void> => {
  const { commits } = await takeSteps(of, steps);
  lab.createRun({ id, config: of, folder: `runs/${id}` });
  lab.putInitial(id, {
    context: initialContext(),
    tasks: [],
    checkpoints: ['challenger', 'solver'].map((role) => makeCheckpoint(0, role)),
  });
  for (const commit of commits)
    lab.commitStep(id, {
      ...commit,
      step: { ...commit.step, timings: TIMINGS[commit.step.stage] ?? {} },
    });
};
beforeAll(async () => {
  lab = await openLab(folder, { now: steadyClock() });
  await put('whole', config(), 8);
  await put('begun', config({}, 'other'), 1);
});
afterAll(() => {
  lab.close();
  rmSync(folder, { recursive: true });
});
const planned = (of: RunConfig) => plannedStages({ store: lab, rewardedPrompts: () => [] }, of);

describe('the stages of a planned run', () => {
  it('cost what a run of these sizes took for each of them, and none what another one costs', () => {
    const stages = planned(config());
    expect(
      stages.map(({ stage, steps, seconds }) => [stage, steps, seconds?.value, seconds?.source]),
    ).toEqual([
      ['challenge', 4, 10, 'measured'],
      ['pose', 4, 3, 'measured'],
      ['label', 4, 6, 'measured'],
      ['solve', 4, 8, 'measured'],
    ]);
    expect(meanStage(stages)).toMatchObject({ value: (10 + 3 + 6 + 8) / 4, source: 'measured' });
  });

  it('are scaled by their own responses where they are larger', () => {
    const twice = planned(config({ label: { samples: 10 } as RzeroConfig['label'] }));
    expect(twice.map(({ stage, seconds }) => [stage, seconds?.value, seconds?.source])).toEqual([
      ['challenge', 10, 'estimated'],
      ['pose', 3, 'estimated'],
      ['label', 12, 'estimated'],
      ['solve', 8, 'estimated'],
    ]);
  });

  it('that no run reached cost what writing, measuring and updating took in the others', () => {
    const [challenge, pose, label, solve] = planned(config({}, 'other'));
    expect(challenge?.seconds).toMatchObject({ value: 10, source: 'measured' });
    // 8 questions in 4 s, 32 votes in 4 s, 8 trained in 2 s.
    expect(pose?.seconds).toMatchObject({ value: 12 * (4 / 8), source: 'estimated' });
    expect(label?.seconds?.value).toBeCloseTo(12 * 5 * (4 / 32), 9);
    expect(solve?.seconds?.value).toBeCloseTo(12 * (4 / 8 + 2 / 8), 9);
  });

  it('are priced by the parts of a timed step, and by none where its parts were not kept', () => {
    const of = config({}, 'timed');
    const probe = (parts: Probe['parts']): Probe => ({
      at: '2026-01-01T00:00:00.000Z',
      policy: policyKey(of),
      supervisor: { reviewer: 'rubric', model: '', threads: 1, device: 'cpu' },
      seconds: 10,
      trained: 8,
      estimates: 32,
      ...(parts === undefined ? {} : { parts }),
      newTokens: 1,
      plans: 0,
      thoughts: 0,
      validity: 1,
      reviews: {},
      checkpointBytes: null,
      parameters: 1,
      memoryBytes: null,
      besides: 0,
    });
    lab.setSetting('app.plan.probes', [probe({ gen: 4, estimate: 8, update: 2 })]);
    expect(planned(of).map(({ seconds }) => seconds?.value)).toEqual([4 + 8 + 2, 6, 15, 6 + 3]);
    lab.setSetting('app.plan.probes', [probe(undefined)]);
    const unknown = planned(of);
    expect(unknown.map(({ seconds }) => seconds)).toEqual([null, null, null, null]);
    expect(meanStage(unknown)).toBeNull();
  });

  it('are none of a run whose steps are all alike', () => {
    expect(planned(runConfigSchema.parse({ steps: 3 }))).toEqual([]);
  });
});
