import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../electron/engine/index.ts';
import { serveLab, type Bundle, type LoopbackHost } from '../../../electron/hosts/index.ts';
import type { Trainer } from '../../../electron/models/index.ts';
import { openEngine } from '../../support/engine.ts';
import { trainerOf } from '../experiments/sample-trainer.ts';
import { callAnchor } from './call-anchor.ts';

vi.setConfig({ testTimeout: 120_000 });

let lab: string;
let engine: Engine;
let host: LoopbackHost | null;
beforeEach(async () => {
  lab = mkdtempSync(join(tmpdir(), 'anchor-beside-'));
  engine = await openEngine(lab);
  host = null;
});
afterEach(async () => {
  await host?.close();
  await engine.close();
  rmSync(lab, { recursive: true, force: true });
});

const page = { bytes: Buffer.from(''), type: 'text/html' };
const WINDOW: Bundle = { file: () => undefined, page: () => page };
const serve = async (bundle: Bundle | null): Promise<void> => {
  host = await serveLab(engine, { port: 0, bundle });
};
const anchor = (...args: string[]) => callAnchor('--lab', lab, ...args);

describe('anchor serve for a lab that another program has open', () => {
  it('names the way to its window where it has one', async () => {
    await serve(WINDOW);
    expect(await anchor('serve')).toEqual({
      code: 1,
      stdout: '',
      stderr: `anchor: Process ${process.pid} serves the window of the lab ${lab} already; "anchor open" prints an address for another tab of it.\n`,
    });
    expect((await anchor('open')).stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
  });

  it('says that it works without a window where a terminal opened it', async () => {
    await serve(null);
    const sentence = `anchor: Process ${process.pid} has the lab ${lab} open without a window; end it, or wait for its end, then serve the window.\n`;
    expect(await anchor('serve')).toEqual({ code: 1, stdout: '', stderr: sentence });
  });
});

describe('anchor sample checkpoints for a lab that another program has open', () => {
  const useTrainer = (trainer: Trainer) =>
    vi
      .spyOn(engine.children, 'withTrainer')
      .mockImplementation((_purpose, _threads, use) => use(trainer) as ReturnType<typeof use>);

  it('has them made there, and says when they are there already', async () => {
    await serve(null);
    const asked = useTrainer(trainerOf('as recorded'));
    const made = await anchor('sample', 'checkpoints');
    expect(made.stderr).toContain(`Process ${process.pid} has the lab open and does the work.\n`);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The checkpoints of the sample are there \([^)]+\): sample-alone@0, /),
    });
    expect(made.stdout).toContain('They have the recorded hashes, file by file.');
    expect(engine.sample.state().checkpoints).toMatchObject({ areMade: true, areOwn: false });
    const trainers = asked.mock.calls.length;
    expect((await anchor('sample', 'checkpoints')).stdout).toBe(made.stdout);
    expect(asked).toHaveBeenCalledTimes(trainers);
  });

  it('are not made twice at once', async () => {
    await serve(null);
    const { promise: asked, resolve: end } = Promise.withResolvers<void>();
    const load = async (): Promise<never> => {
      await asked;
      throw new Error('The trainer ended.');
    };
    useTrainer({ weights: () => ({ load }), unload: async () => {} } as unknown as Trainer);
    await engine.sample.open();
    const { id } = engine.sample.makeCheckpoints();
    expect(await anchor('sample', 'checkpoints')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/\nanchor: [^\n]+ wait for that job[^\n]*\n$/),
    });
    end();
    expect((await engine.jobs.ended(id)).state).toBe('failed');
  });
});
