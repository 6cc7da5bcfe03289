import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunConfigInput } from '../../../electron/contract/index.ts';
import { Engine } from '../../../electron/engine/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { type LoopbackHost, serveLab } from '../../../electron/hosts/index.ts';
import { startAnchor, anchor as anchorProcess } from '../../e2e/anchor-cli.ts';
import { APPLICATION } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { storedRun } from '../../torture/engine/short-run.ts';
import { callAnchor } from './call-anchor.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
useWarmTrainer();

const folder = mkdtempSync(join(tmpdir(), 'anchor-elsewhere-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configFile = (name: string, changes: Partial<RunConfigInput> = {}): string => {
  const file = join(folder, `${name}.json`);
  writeFileSync(
    file,
    JSON.stringify(
      runConfigSchema.parse({
        ...PRESETS.demo,
        name,
        steps: 1,
        framework: { name: 'azr', batchSize: 1, estimateSamples: 1, taskTypes: ['deduction'] },
        generation: { maxNewTokens: 24 },
        supervision: { ...PRESETS.demo.supervision, reviewer: 'rubric' },
        ...changes,
      }),
    ),
  );
  return file;
};

describe('a lab that another program serves', () => {
  const lab = join(folder, 'served');
  let engine: Engine;
  let host: LoopbackHost;
  beforeAll(async () => {
    engine = await Engine.open({
      application: APPLICATION,
      labFolder: lab,
      clock: { now: () => new Date(), monotonicMs: () => performance.now() },
    });
    host = await serveLab(engine, { port: 0, bundle: null });
  });
  afterAll(async () => {
    await host?.close();
    await engine?.close();
  });
  const anchor = (...args: string[]) => callAnchor('--lab', lab, ...args);

  it('runs what a terminal starts, and shows it there', async () => {
    const { code, stdout, stderr } = await anchor('run', '--config', configFile('started'));
    expect(stderr).toContain(`Process ${process.pid} has the lab open and does the work.`);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Run run-\S+ is done: 1 of 1 steps stored\.\n$/),
    ]);
    const [run] = engine.store.listRuns({}, { limit: 1 }).rows;
    expect(run).toMatchObject({ state: 'done', config: { name: 'started' } });
    expect((await anchor('runs')).stdout).toContain('started');
    expect((await anchor('show', run?.id ?? '')).stdout).toContain('is done: 1 of 1 steps');
  });

  it('refuses what it would refuse itself, in the same words', async () => {
    const elsewhere = await anchor('resume', 'run-none');
    await expect(async () => engine.resume('run-none')).rejects.toThrow(
      expect.objectContaining({
        message: elsewhere.stderr.trim().split('\n').at(-1)?.replace('anchor: ', ''),
      }),
    );
    expect(elsewhere.code).toBe(2);
  });

  it('evaluates, imports and lists', async () => {
    const evaluated = await anchor('eval', '--model', 'embedded', '--suites', 'toy-refusal', '--limit', '4');
    expect([evaluated.code, evaluated.stdout]).toEqual([0, expect.stringContaining('toy-refusal')]);
    expect((await anchor('eval', 'list')).stdout).toContain('toy-refusal');
    // Only read, beside the program that writes, so nobody is asked to do it.
    const matrix = await anchor('eval', 'matrix', '--format', 'csv');
    expect([matrix.code, matrix.stderr]).toEqual([0, '']);
    expect(matrix.stdout).toMatch(/^.*embedded-policy.*\n(?:.*\n)*.*toy-refusal,/);
    const model = join(APPLICATION, 'resources/models/policy');
    expect((await anchor('import', model, '--name', 'mine')).stdout).toContain('Imported policy "mine"');
    expect(engine.store.getModel('mine')?.path).toBe(model);
    const gguf = join(APPLICATION, 'resources/models/supervisor/supervisor.f16.gguf');
    const made = join(folder, 'made');
    expect((await anchor('import', gguf, '--policy', made)).stdout).toContain('Imported policy "made"');
    expect(engine.store.getModel('made')).toMatchObject({ kind: 'policy', path: made });
  });

  it('writes a run into a folder that the terminal names, and over nothing that is there', async () => {
    const [run] = engine.store.listRuns({}, { limit: 1 }).rows;
    const target = join(folder, 'exported');
    const order = ['export', run?.id ?? '', '--to', target, '--no-safetensors', '--no-gguf'];
    const { code, stdout, stderr } = await anchor(...order);
    expect(stderr).toContain(`Process ${process.pid} has the lab open and does the work.`);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Exported 1 steps to ${target}: `)]);
    expect(JSON.parse(readFileSync(join(target, 'config.json'), 'utf8'))).toMatchObject({ name: 'started' });
    expect(existsSync(join(target, 'policy'))).toBe(false);
    expect(await anchor(...order)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/anchor: .*exported.*exists/),
    });
  });

  it('asks for test sets and judges there', async () => {
    const says = `Process ${process.pid} has the lab open and does the work.`;
    const listed = await anchor('dataset', 'list');
    expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining(says)]);
    expect((await anchor('dataset', 'kinds')).stdout).toContain('HumanEval');
    const refused = await anchor('dataset', 'remove', 'none');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('has no test set "none"') });
    const nothing = await anchor('dataset', 'import', join(folder, 'nothing-here'));
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('nothing-here')]);
    const judged = await anchor('judge', 'probe', 'embedded', '--items', '10', '--phases', 'output');
    expect([judged.code, judged.stdout]).toEqual([0, expect.stringContaining('Verdict:')]);
    expect((await anchor('judge', 'list')).stdout).toBe('No judge was calibrated in this lab yet.\n');
  });

  it(
    'starts a demo there, stops it when it is interrupted, and goes on with it',
    { tags: ['full'] },
    async () => {
      const options = ['--steps', '2', '--items', '4'];
      const running = anchor('demo', ...options);
      await vi.waitFor(() => expect(engine.activity().atWork).toHaveLength(2), 60_000);
      process.emit('SIGINT');
      expect(await running).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('go on with it in the Demo, or with "anchor demo --continue".'),
      });
      // Neither run is still ending, so it is taken up at once.
      const whole = await anchor('demo', '--continue', '--items', '4');
      expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining('Supervised minus alone')]);
    },
  );

  it('stops a run whose terminal is interrupted', async () => {
    const running = anchor('run', '--config', configFile('long', { steps: 400 }));
    await vi.waitFor(() => expect(engine.activity().atWork).toHaveLength(1), 60_000);
    process.emit('SIGINT');
    const { code, stdout } = await running;
    expect([code, stdout]).toEqual([1, expect.stringContaining('is interrupted')]);
    // The state is told before the run's processes have ended, and the next test waits for a run of its own.
    await vi.waitFor(() => expect(engine.activity().atWork).toEqual([]), 60_000);
  });

  it('says so when that program goes away meanwhile', async () => {
    const running = anchor('run', '--config', configFile('left', { steps: 400 }));
    await vi.waitFor(() => expect(engine.activity().atWork).toHaveLength(1), 60_000);
    await host.close();
    const { code, stderr } = await running;
    expect(code).toBe(1);
    expect(stderr).toMatch(/anchor: Process \d+, which had the lab .* open, ended or closed the connection/);
    // Nobody serves it now, so it can be read beside that program and not be worked in.
    expect((await anchor('runs')).stdout).toContain('left');
    expect(await anchor('run', '--config', configFile('refused'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^anchor: Process \d+ .* has the lab .* open;/),
    });
  });
});

it(
  'a terminal that watches its run does the work of a second one too, and stays until that has ended',
  { tags: ['full'] },
  async () => {
    const lab = join(folder, 'terminal');
    const first = startAnchor(lab, ['run', '--config', configFile('first')]);
    const firstEnded = new Promise((resolve) => first.once('exit', resolve));
    await vi.waitFor(() => expect(storedRun(lab)?.state).toBe('stepping'), {
      timeout: 120_000,
      interval: 20,
    });
    const second = anchorProcess(lab, ['run', '--config', configFile('second', { steps: 3 })]);
    expect([second.code, second.stdout]).toEqual([
      0,
      expect.stringContaining('is done: 3 of 3 steps stored'),
    ]);
    expect(second.stderr).toContain(`Process ${first.pid} has the lab open and does the work.`);
    expect(await firstEnded).toBe(0);
  },
);
