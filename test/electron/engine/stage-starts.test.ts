import { afterAll, beforeAll, expect, it } from 'vitest';
import { runConfigSchema, stageStartOf, type RunConfig } from '../../../electron/contract/index.ts';
import { pruneCheckpoints } from '../../../electron/engine/runs/run-weights.ts';
import { frameworkOf, PRESETS } from '../../../electron/evolution/index.ts';
import { makeCheckpoint, makeCommit, makeInitial } from '../store/support/make-records.ts';
import { makeLab, type Lab } from './in-engine.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

/** A run of the preset for so many steps as it is stored, its checkpoints pruned after each, as in the loop. */
function takeSteps(id: string, config: RunConfig, steps: number) {
  const { store } = lab.engine;
  const framework = frameworkOf(config.framework);
  store.createRun({ id, config, folder: `runs/${id}` });
  const roles = framework.roles(config.framework);
  store.putInitial(id, { ...makeInitial(), checkpoints: roles.map((role) => makeCheckpoint(0, role)) });
  for (let step = 1; step <= steps; step += 1) {
    const { stage, iteration } = framework.stageAt(config, step);
    const checkpoint = stage.trains === null ? null : makeCheckpoint(step, stage.trains);
    const commit = makeCommit(step);
    store.commitStep(id, {
      ...commit,
      checkpoint,
      step: {
        ...commit.step,
        stage: stage.name,
        iteration,
        role: stage.trains,
        weightsSha256: checkpoint?.weightsSha256 ?? null,
      },
    });
    pruneCheckpoints(store, id, config, lab.engine.lab.run(`runs/${id}`));
  }
  const kept = store.listCheckpoints(id);
  const trained = store
    .listSteps(id)
    .flatMap((one) => (one.role === null ? [] : [{ ...one, role: one.role }]));
  const starts = roles.map((role) => {
    const newest = kept.findLast((one) => one.role === role);
    return newest === undefined ? undefined : stageStartOf(kept, newest, trained)?.step;
  });
  return { kept: kept.map(({ step, role }) => `${step} ${role}`), starts };
}

it.each([
  [
    'a role each',
    'separate',
    [
      '0 challenger',
      '0 solver',
      '16 challenger',
      '26 solver',
      '28 challenger',
      '29 challenger',
      '36 solver',
      '37 solver',
    ],
    [16, 26],
  ],
  ['one for both roles', 'shared', ['0 policy', '29 policy', '36 policy', '37 policy'], [29]],
] as const)(
  'what a stage began from stays as long as the weights that it trains, with %s',
  (_what, roles, kept, starts) => {
    const { framework, ...preset } = PRESETS['rzero-demo'];
    const config = runConfigSchema.parse({
      ...preset,
      steps: 39,
      framework: { ...framework, roles },
      checkpoints: { keepEvery: 0 },
    });
    expect(takeSteps(roles, config, 37)).toEqual({ kept: [...kept], starts: [...starts] });
  },
);
