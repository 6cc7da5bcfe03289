import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runConfigSchema, type RunRecord } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { openEngine } from '../../support/engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';
import { callAnchor } from './call-anchor.ts';

useWarmTrainer();
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const lab = mkdtempSync(join(tmpdir(), 'anchor-unreadable-'));
let run: RunRecord;
let short: RunRecord;
beforeAll(async () => {
  const engine = await openEngine(lab);
  const take = (steps: number): Promise<RunRecord> => {
    const { id } = engine.startRun(
      runConfigSchema.parse({
        ...PRESETS.demo,
        steps,
        framework: { name: 'azr', batchSize: 2, estimateSamples: 1, reader: 'strict' },
        // So hot that no answer is left in what is written.
        generation: { maxNewTokens: 24, temperature: 50 },
        rewardedPrompts: { share: 0 },
        supervision: { reviewer: 'rubric' },
      }),
    );
    return engine.waitFor(id);
  };
  run = await take(2);
  short = await take(1);
  await engine.close();
});
afterAll(() => rmSync(lab, { recursive: true, force: true }));

describe('a run whose first batch is of no use', () => {
  it('pauses with reasons, examples and what to change, a line each', () => {
    expect(run).toMatchObject({ state: 'paused', committedSteps: 1 });
    const lines = (run.reason ?? '').split('\n');
    expect(lines.map((line) => line.split(/[\d(:]/)[0]?.trim())).toEqual([
      'Only',
      'Reasons',
      'Examples',
      'What to change in a new run',
      'Resuming goes on with step',
    ]);
    expect(lines[0]).toContain('Only 0 of 12 answers of step 1 were usable');
    expect(lines[3]).toContain('generation.temperature, now 50');
  });

  it('that is its last ends and says the same', () => {
    expect(short).toMatchObject({ state: 'done', committedSteps: 1 });
    expect(short.reason?.split('\n')).toEqual(run.reason?.split('\n').slice(0, -1));
  });

  it('is shown in the terminal with the same lines, and how many answers could be read', async () => {
    const { stdout } = await callAnchor('--lab', lab, 'show', run.id);
    expect(stdout).toContain(`is paused: 1 of 2 steps. ${run.reason}`);
    expect(stdout).toContain('0/12');
    const { stdout: step } = await callAnchor('--lab', lab, 'show', run.id, '--step', '1');
    expect(step).toContain('Readable answers: 0/12.');
    expect(step).toMatch(/\n {2}\d+ × The response /);
  });
});
