// @module-tag full
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { exporting, makeApplication } from '../engine/application.ts';
import { childOf, launch, type Life, type What } from '../engine/launch.ts';
import {
  requireMovement,
  resultOf,
  shortRun,
  STEPS,
  storedRun,
  whereIs,
  type Result,
} from '../engine/short-run.ts';
import { scratchFolder } from '../scratch.ts';
import { buildShim, shimEnvironment, type ShimSettings } from '../shim/shim.ts';

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 3_600_000 });
const LOOK_EVERY_MS = 2;

const folder = scratchFolder('adapter-kills');
const application = makeApplication(join(folder, 'application'));
const strikes = join(folder, 'strikes');
const config = join(folder, 'run.json');
let shim: string;
let undisturbed: Result;

const lifeOn = (lab: string, what: What): Life =>
  launch({ lab, application: application.folder, door: 'engine', what });

beforeAll(async () => {
  shim = buildShim(folder);
  const run = shortRun('record');
  const train = {
    ...run.train,
    learningRate: 1e-2,
    lora: { rank: 8, alpha: 16 },
    kl: { coefficient: 0.01, estimator: 'k3' },
  };
  const checkpoints = { ...run.checkpoints, optimizerEvery: 2 };
  writeFileSync(
    config,
    JSON.stringify(runConfigSchema.parse({ ...run, name: 'adapted', train, checkpoints })),
  );
  const lab = join(folder, 'undisturbed');
  const life = lifeOn(lab, { run: config });
  expect(await life.ended, life.said()).toEqual({ code: 0, signal: null });
  undisturbed = resultOf(lab);
  requireMovement(undisturbed);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The moments at which a trainer kills itself, one a life, in the order in which they come: four, as a fifth restart would be one too
 * many for an engine.
 */
const MOMENTS: Record<string, Record<string, ShimSettings['match']>> = {
  'an update, a save and the hand-over': {
    'the update is done and its line of the journal is not': ['/journal.jsonl'],
    'nothing of the adapter is on the disk': ['step-00001.tmp/adapter_model.safetensors'],
    'the step is stored and its rollouts are not dropped': ['/spool/s1-trained'],
    'the second update has its line and no checkpoint': ['/step-00002.tmp'],
  },
  'the parts of a checkpoint': {
    'the adapter is written and the updates that lead to it are not': ['step-00001.tmp/updates.safetensors'],
    'nothing says yet what belongs to it': ['step-00001.tmp/trainer.json'],
    'moments of the second step are half written': ['step-00002.tmp/optimizer.safetensors'],
    'all is written and has no name': ['/checkpoints/step-00002.tmp$'],
  },
};
/** Letters of the operations that are counted, and which of them is not reached, where it is not the first of all. */
const COUNTED: Record<string, Pick<ShimSettings, 'kinds' | 'killAt'>> = {
  'the step is stored and its rollouts are not dropped': { kinds: 'U' },
  'moments of the second step are half written': { kinds: 'W', killAt: 2 },
  'all is written and has no name': { kinds: 'R' },
};

for (const [name, moments] of Object.entries(MOMENTS))
  it(`kill -9 of an adapter's trainer around ${name} leaves the undisturbed run`, async () => {
    const lab = join(folder, name.replaceAll(' ', '-'));
    const marks = Object.entries(moments).map(([moment, match], at) => {
      const mark = `${lab}.mark-${at}`;
      const settings = { under: `${lab}/`, match, killAt: 1, ...COUNTED[moment], mark } as ShimSettings;
      mkdirSync(strikes, { recursive: true });
      writeFileSync(join(strikes, String(at)), exporting(shimEnvironment(shim, settings)));
      return { moment, mark };
    });
    // Each trainer takes the next of them when it starts.
    application.beforeEvery(
      'trainer',
      `for next in '${strikes}'/*; do [ -f "$next" ] && . "$next" && rm "$next"; break; done`,
    );
    const life = lifeOn(lab, { run: config });
    expect(await life.ended, life.said()).toEqual({ code: 0, signal: null });
    expect(marks.filter(({ mark }) => !existsSync(mark)).map(({ moment }) => moment)).toEqual([]);
    expect(resultOf(lab)).toEqual(undisturbed);
  });

/** Waits until a file is there, or a stage began, and kills at once. False where the engine ended before. */
async function strikeAt(life: Life, victim: () => number | null, isDue: () => boolean): Promise<boolean> {
  while (!life.hasEnded()) {
    const pid = isDue() ? victim() : null;
    if (pid !== null) return process.kill(pid, 'SIGKILL');
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

it("kill -9 of the engine or the trainer while an adapter's update computes, and of the engine before the commit, leaves the undisturbed run", async () => {
  application.forget();
  const lab = join(folder, 'engine');
  const begun = (life: Life, step: number): (() => boolean) => {
    let isUpdating = false;
    life.onEvent = (event) => {
      isUpdating = event.step === step && event.stage === 'update';
    };
    return () => isUpdating;
  };
  const struck: ReturnType<typeof whereIs>[] = [];
  const resumed = (): Life => lifeOn(lab, { resume: storedRun(lab)?.id ?? '' });

  const first = lifeOn(lab, { run: config });
  expect(await strikeAt(first, () => childOf(first.pid, 'trainer'), begun(first, 1)), first.said()).toBe(
    true,
  );
  struck.push(whereIs(lab));
  const saved = (): boolean => ['save', 'reviews and commit'].includes(whereIs(lab).phase);
  expect(await strikeAt(first, () => first.pid, saved), first.said()).toBe(true);
  expect((await first.ended).signal).toBe('SIGKILL');
  struck.push(whereIs(lab));

  const second = resumed();
  expect(await strikeAt(second, () => second.pid, begun(second, STEPS)), second.said()).toBe(true);
  expect((await second.ended).signal).toBe('SIGKILL');
  struck.push(whereIs(lab));

  const last = resumed();
  expect(await last.ended, last.said()).toEqual({ code: 0, signal: null });
  expect(struck.map(({ step }) => step)).toEqual([1, 1, STEPS]);
  expect(struck[0]?.phase).toBe('update');
  expect(['save', 'reviews and commit']).toContain(struck[1]?.phase);
  expect(struck[2]?.phase).toBe('update');
  expect(resultOf(lab)).toEqual(undisturbed);
});
