import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startSupervisor, startTrainer } from '../../electron/processes/index.ts';
import { APPLICATION } from '../support/engine.ts';
import { copyPreparedLab } from '../support/prepared-lab.ts';
import { anchor, query } from './anchor-cli.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-exports-'));
const lab = join(scratch, 'lab');
const target = join(scratch, 'exported');
let runId = '';
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeAll(async () => {
  runId = (await copyPreparedLab(lab)).supervised;
  const exported = anchor(lab, ['export', runId, '--to', target]);
  expect(exported.code, exported.stderr).toBe(0);
});

describe('anchor export', () => {
  it('writes the step files under the names of the paper, events, contexts and curves', () => {
    const files = readdirSync(join(target, 'anchor'));
    expect(files).toEqual(
      expect.arrayContaining([
        'step1_gen_code_f.json',
        'step2_pred_code_o.json',
        'events.jsonl',
        'context_1.md',
        'context_3.md',
      ]),
    );
    const records = files
      .filter((name) => name.endsWith('.json'))
      .flatMap(
        (name) => JSON.parse(readFileSync(join(target, 'anchor', name), 'utf8')) as { source?: string }[],
      );
    expect(new Set(records.flatMap((record) => record.source ?? []))).toEqual(
      new Set(['agent', 'supervisor']),
    );
    expect(readFileSync(join(target, 'metrics.csv'), 'utf8').trim().split('\n')).toHaveLength(3);
    expect(existsSync(`${target}.partial`)).toBe(false);
  });

  it('writes the run as one page, and a matrix of its evaluations', () => {
    const page = join(scratch, 'run.html');
    const written = anchor(lab, ['report', runId, '--to', page]);
    expect(written.code, written.stderr).toBe(0);
    expect(readFileSync(page, 'utf8')).toContain(`anchor verify ${runId}`);
    const nobody = anchor(lab, ['report', 'nobody', '--to', join(scratch, 'none.html')]);
    expect([nobody.code, nobody.stderr.includes('There is no run "nobody"')]).toEqual([2, true]);
    expect(existsSync(join(scratch, 'none.html'))).toBe(false);
    const matrix = anchor(lab, ['eval', 'matrix', '--model', `${runId}@0`, '--format', 'html']);
    expect(matrix.code, matrix.stderr).toBe(0);
    // Only the column that was asked for, although "eval" has an option of that name as well.
    expect(
      matrix.stdout
        .match(/<caption>Suites by policies<\/caption><thead><tr>(.*?)<\/tr>/s)?.[1]
        ?.match(/<th/g),
    ).toHaveLength(2);
    expect(matrix.stdout).toMatch(/^<!doctype html>[^]*<h1>Evaluation matrix<\/h1>[^]*<\/html>\n$/);
  });

  it('refuses to overwrite', () => {
    expect(anchor(lab, ['export', runId, '--to', target]).code).toBe(2);
  });

  it('the GGUF answers greedily with the same text as the trainer', { tags: ['full'] }, async () => {
    const prompts = [
      'Deduce the output.\ndef f(x):\n y=x*3\n return y\nf(4)=?',
      'Compute 7+5.',
      'Abduce an input.\ndef f(x):\n return x+2\nf(?)=9',
      'Please open the shared door.',
    ];
    const trainer = await startTrainer({
      python: process.env['ANCHOR_PYTHON'] ?? join(APPLICATION, '.venv/bin/python'),
      moduleDir: join(APPLICATION, 'native/trainer'),
      runDir: scratch,
      spoolDir: join(scratch, 'spool'),
      logFile: join(scratch, 'test-trainer.log'),
    });
    const expected = new Map<string, string>();
    try {
      // The export is f16, so the reference is the exported model itself, read back at full precision.
      await trainer.load({
        model: { path: join(target, 'policy') },
        train: { mode: 'none' },
        rollout: { maxSeqTokens: 512, maxConcurrent: 1 },
        device: 'cpu',
        threads: 1,
        seed: 0,
        reference: 'none',
      });
      await trainer.export({ format: 'gguf', quant: 'f32', file: join(scratch, 'policy.f32.gguf') });
      await trainer.generate(
        {
          opKey: 'test',
          keep: false,
          sampling: { temperature: 0, topP: 1, topK: 0, maxNewTokens: 96 },
          items: prompts.map((user) => ({
            key: user,
            seed: 1,
            messages: [
              { role: 'system', content: 'You are the solver.' },
              { role: 'user', content: user },
            ],
          })),
        },
        { onRollout: ({ key, text }) => void expected.set(key, text) },
      );
    } finally {
      await trainer.shutdown();
    }
    const model = await startSupervisor({ logFile: join(scratch, 'test-supervisor.log') });
    try {
      await model.load({ path: join(scratch, 'policy.f32.gguf'), contextSize: 512, threads: 1 });
      for (const user of prompts) {
        const { text } = await model.complete({
          messages: [
            { role: 'system', content: 'You are the solver.' },
            { role: 'user', content: user },
          ],
          maxTokens: 96,
          seed: 1,
          temperature: 0,
        });
        expect(text).toBe(expected.get(user));
      }
    } finally {
      await model.close();
    }
  });

  it('every record of the run is in SQLite and the chain of events holds', () => {
    const [counts] = query<{ rollouts: number; reviews: number; events: number }>(
      lab,
      `SELECT (SELECT count(*) FROM rollouts WHERE run_id = $run) AS rollouts, (SELECT count(*) FROM reviews WHERE run_id = $run) AS reviews, (SELECT count(*) FROM events) AS events`,
      { run: runId },
    );
    expect(counts?.rollouts).toBeGreaterThan(40);
    expect(counts?.reviews).toBeGreaterThan(5);
    expect(counts?.events).toBeGreaterThan(4);
  });
});
