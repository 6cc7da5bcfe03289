import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunRecord } from '../../../electron/contract/index.ts';
import type { Engine } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { serveLab, type LoopbackHost } from '../../../electron/hosts/index.ts';
import { filesOfRun } from '../../../electron/library/index.ts';
import { openLab } from '../../../electron/store/index.ts';
import { anchor as anchorProcess, type CliResult } from '../../e2e/anchor-cli.ts';
import { openEngine } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { makeConfig, steadyClock } from '../store/support/make-records.ts';
import { callAnchor } from './call-anchor.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
useWarmTrainer();

const lab = mkdtempSync(join(tmpdir(), 'anchor-resume-from-'));
afterAll(() => rmSync(lab, { recursive: true, force: true }));

const config = runConfigSchema.parse({
  ...PRESETS.demo,
  name: 'two steps',
  steps: 2,
  framework: { name: 'azr', batchSize: 1, estimateSamples: 1, taskTypes: ['deduction'] },
  generation: { maxNewTokens: 24 },
  supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
  checkpoints: { keepEvery: 1 },
});

/** A run of two steps, and one that ended before it had anything. */
let done: string;
beforeAll(async () => {
  const engine = await openEngine(lab);
  done = engine.startRun(config).id;
  expect((await engine.waitFor(done)).state).toBe('done');
  await engine.close();
  const store = await openLab(lab, { now: steadyClock(Date.now()) });
  store.createRun({ id: 'never-began', config: makeConfig('never began'), folder: 'runs/never-began' });
  store.setRunState('never-began', 'setting-up', null);
  store.setRunState('never-began', 'failed', 'Its model was gone.');
  store.close();
});

const runs = async (): Promise<RunRecord[]> =>
  JSON.parse((await callAnchor('--lab', lab, '--json', 'runs')).stdout);
const hashes = async (id: string): Promise<string[]> => {
  const store = await openLab(lab, { now: steadyClock(), readonly: true });
  try {
    return store.listSteps(id).map(({ stepHash }) => stepHash);
  } finally {
    store.close();
  }
};

/** What is asked for, and the one sentence that refuses it. */
const REFUSED: readonly [what: string, order: () => string[], sentence: RegExp][] = [
  [
    'a run that is not there',
    () => ['run-none', '--from', '1'],
    /anchor: There is no run "run-none"[^\n]*\n$/,
  ],
  [
    'a step that the run does not have',
    () => [done, '--from', '7'],
    /anchor: Run "\S+" has 2 of 2 steps stored, so nothing can go on from step 7; choose a step before 2\.\n$/,
  ],
  [
    'its last step, after which there is nothing to do',
    () => [done, '--from', '2'],
    /anchor: Run "\S+" has 2 of 2 steps stored, so nothing can go on from step 2; choose a step before 2\.\n$/,
  ],
  [
    'a number beyond any run',
    () => [done, '--from', '9007199254740991'],
    /anchor: Run "\S+" has 2 of 2 steps stored, so nothing can go on from step 9007199254740991; choose a step before 2\.\n$/,
  ],
  [
    'a run that never began',
    () => ['never-began', '--from', '0'],
    /anchor: Run "never-began" has nothing stored yet to go on from; resume the run itself\.\n$/,
  ],
  ...['-1', '1.5', 'two', '', '1e2', '99999999999999999999'].map((text): (typeof REFUSED)[number] => [
    `"${text}" for a step`,
    () => [done, '--from', text],
    /^error: option '--from <step>' argument '[^']*' is invalid\. It must be a whole number\.\n\(anchor --help lists the commands\)\n$/,
  ]),
  ['no step at all', () => [done, '--from'], /^error: option '--from <step>' argument missing\n/],
  [
    'the recorded sample',
    () => ['sample-supervised', '--from', '1'],
    /anchor: The recorded sample [^\n]*\n$/,
  ],
];

const refuses = async (order: readonly string[], sentence: RegExp, exitCode = 2): Promise<string> => {
  const before = [await runs(), readdirSync(join(lab, 'runs'))];
  const { code, stdout, stderr } = await callAnchor('--lab', lab, 'resume', ...order);
  expect(stderr).toMatch(sentence);
  expect([code, stdout]).toEqual([exitCode, '']);
  expect([await runs(), readdirSync(join(lab, 'runs'))]).toEqual(before);
  return stderr;
};

/** What a terminal was shown of a run made of the first step of the other, which has to come to the hashes of that one. */
async function expectBranched({ code, stdout, stderr }: CliResult): Promise<void> {
  const [, made = ''] = /^Run (run-\S+) is done: 2 of 2 steps stored\.\n$/.exec(stdout) ?? [];
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      `Run ${made} has the steps of ${done} up to 1. 1 of 2 steps are stored; step 2 is taken again from its start, with the same result.`,
    ),
  ]);
  expect(made).not.toBe(done);
  expect(await hashes(made)).toEqual(await hashes(done));
  expect((await runs()).find(({ id }) => id === made)?.config.name).toBe('two steps from step 1');
}

describe('anchor resume --from', () => {
  it('goes on from an earlier step in a run of its own, to the same hashes', () =>
    expectBranched(anchorProcess(lab, ['resume', done, '--from', '1'])));

  it.each(REFUSED)('refuses %s in one sentence, and makes no run', async (_, order, sentence) => {
    expect(await refuses(order(), sentence)).toMatch(/^[^\n]+\n(?:\(anchor --help lists the commands\)\n)?$/);
  });
});

describe('anchor resume --from, while another program has the lab open', () => {
  let engine: Engine;
  let host: LoopbackHost;
  beforeAll(async () => {
    engine = await openEngine(lab);
    host = await serveLab(engine, { port: 0, bundle: null });
  });
  afterAll(async () => {
    await host?.close();
    await engine?.close();
  });

  it('has that one take the steps, and shows them to their end', async () => {
    const shown = await callAnchor('--lab', lab, 'resume', done, '--from', '1');
    expect(shown.stderr).toContain(`Process ${process.pid} has the lab open and does the work.`);
    expect(shown.stderr).toMatch(/^two steps from step 1 1\/2 steps /m);
    await expectBranched(shown);
  });

  it.each(REFUSED)('refuses %s in the same sentence, and makes no run', async (_, order, sentence) => {
    await refuses(order(), sentence);
  });
});

it('anchor resume --from says that the checkpoint of a step is gone, and which there are', async () => {
  const weights = join(filesOfRun(join(lab, 'runs', done)).checkpoint(1), 'model.safetensors');
  renameSync(weights, `${weights}.away`);
  await refuses([done, '--from', '1'], /^anchor: [^\n]*model\.safetensors[^\n]*\n$/, 1);
  renameSync(`${weights}.away`, weights);
  const store = await openLab(lab, { now: steadyClock(Date.now()) });
  store.markCheckpointPruned(done, 1);
  store.close();
  await refuses(
    [done, '--from', '1'],
    /^anchor: Run "\S+" no longer has the checkpoint of step 1; it has those of 0\.\n$/,
  );
});
