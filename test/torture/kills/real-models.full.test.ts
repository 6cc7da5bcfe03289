// @module-tag full
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { everyPhase, runConfigSchema } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { fetchFolder, fetchGguf, missingModel } from '../../support/public-models.ts';
import { makeApplication } from '../engine/application.ts';
import { childOf, launch, type What } from '../engine/launch.ts';
import { query, resultOf, storedRun, STEPS, type StoredStep } from '../engine/short-run.ts';

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 3_600_000 });
const folder = mkdtempSync(join(tmpdir(), 'anchor-real-kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Policy and judge: the smallest public model, so that fourteen lives of a run take minutes. */
const MODEL = 'smollm2-135m';
const LOOK_EVERY_MS = 20;

const application = makeApplication(join(folder, 'application')).folder;
const config = join(folder, 'run.json');
const lifeOn = (name: string, what: What) =>
  launch({ lab: join(folder, name), application, door: 'engine', what });

/** Where the judge is struck at work, in the first step: it alone, or the engine that asks it. */
const STRIKES = (['update', 'summaries', 'merge'] as const).flatMap((during) =>
  (['engine', 'supervisor'] as const).map((victim) => ({ during, victim })),
);
type Strike = (typeof STRIKES)[number];

async function undisturbed(name: string): Promise<StoredStep[]> {
  const life = lifeOn(name, { run: config });
  expect(await life.ended, life.said()).toEqual({ code: 0, signal: null });
  return resultOf(join(folder, name)).steps;
}

async function struck(name: string, { during, victim }: Strike): Promise<StoredStep[]> {
  const life = lifeOn(name, { run: config });
  let stage = '';
  life.onEvent = (event) => {
    stage = event.step === 1 ? event.stage : '';
  };
  let hit = false;
  while (!hit && !life.hasEnded()) {
    const judge = stage === during ? childOf(life.pid, 'supervisor') : null;
    if (judge === null || !(await isComputing(judge)) || stage !== during) await sleep(LOOK_EVERY_MS);
    else hit = process.kill(victim === 'engine' ? life.pid : judge, 'SIGKILL');
  }
  const { code, signal } = await life.ended;
  expect(hit, `nothing was under way in ${during}: ${life.said()}`).toBe(true);
  if (victim === 'supervisor') expect(code, life.said()).toBe(0);
  else {
    expect(signal).toBe('SIGKILL');
    const resumed = lifeOn(name, { resume: storedRun(join(folder, name))?.id ?? '' });
    expect((await resumed.ended).code, resumed.said()).toBe(0);
  }
  return resultOf(join(folder, name)).steps;
}

/** Whether a process takes a core, or a good part of one: a judge that waits for questions takes none. */
async function isComputing(pid: number): Promise<boolean> {
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  try {
    const before = ticks();
    await sleep(200);
    return ticks() - before >= 4; // of the 20 that a whole core makes
  } catch {
    return false; // it ended meanwhile
  }
}

const missing = fetchFolder(MODEL) === null || fetchGguf(MODEL) === null ? missingModel(MODEL) : null;
let straight: StoredStep[] = [];

beforeAll(async () => {
  const [policy, judge] = [fetchFolder(MODEL), fetchGguf(MODEL)];
  if (policy === null || judge === null) return;
  const { supervision, ...preset } = PRESETS['small-real'];
  const run = runConfigSchema.parse({
    ...preset,
    name: 'real',
    steps: STEPS,
    policy: { ...preset.policy, model: policy },
    framework: {
      ...preset.framework,
      taskTypes: ['deduction', 'abduction'],
      batchSize: 2,
      estimateSamples: 1,
    },
    generation: { ...preset.generation, maxNewTokens: 96 },
    // Its answers are worth little and all the same, so the entropy moves the weights.
    train: { ...preset.train, entropyCoefficient: 0.01 },
    supervision: { ...supervision, model: judge, phases: everyPhase(0.5), minimumSupport: 1 },
    sandbox: { workers: 1 },
  });
  writeFileSync(config, JSON.stringify(run));
  straight = await undisturbed('straight');
});

describe(`a run of ${MODEL} under itself`, () => {
  it('moves the weights in each step and asks both equations of the judge', (test) => {
    if (missing !== null) return test.skip(missing);
    expect(new Set(straight.map((step) => step.weights_sha256)).size).toBe(STEPS);
    // Both of the paper's equations were asked of the judge, and the lines that it chose stand in what the second step is shown.
    const lab = join(folder, 'straight');
    const kinds = query<{ kind: string }>(
      lab,
      'SELECT DISTINCT kind FROM wordings WHERE step = 1 ORDER BY kind',
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['merge', 'summary']);
    const chosen = query<{ lines: string }>(
      lab,
      "SELECT lines FROM wordings WHERE step = 1 AND kind = 'merge'",
    ).flatMap(({ lines }) => JSON.parse(lines) as { text: string }[]);
    const shown = query<{ text: string }>(lab, 'SELECT text FROM contexts WHERE step = 2')[0]?.text ?? '';
    expect(chosen.filter(({ text }) => shown.includes(text)).length).toBeGreaterThan(0);
  });

  it('repeats to the bit', async (test) => {
    if (missing !== null) return test.skip(missing);
    expect(await undisturbed('again')).toEqual(straight);
  });

  // Reviews are written beside the update of the weights. Each strike is a test of its own, so that what held is known whatever the machine's speed.
  it.for(STRIKES)('ends in the same steps after kill -9 of the $victim in $during', async (strike, test) => {
    if (missing !== null) return test.skip(missing);
    expect(await struck(`${strike.during}-${strike.victim}`, strike)).toEqual(straight);
  });
});
