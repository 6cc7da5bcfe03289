// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  everyPhase,
  runConfigSchema,
  type RunConfig,
  type RunConfigInput,
} from '../../../electron/contract/index.ts';
import { smallRun } from '../../support/made-lab.ts';
import { useScriptedPolicy } from '../../support/scripted-policy/index.ts';
import { questionsRun } from '../../support/scripted-policy/questions-run.ts';
import { checkedBy, soundly, take } from './sound-runs.ts';

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 600_000 });

const scratch = mkdtempSync(join(tmpdir(), 'anchor-verified-runs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const small = (name: string, framework: object, more: RunConfigInput = {}): RunConfig => {
  const config = smallRun(name, 0.6, 2);
  return runConfigSchema.parse({
    ...config,
    checkpoints: { keepEvery: 1 },
    ...more,
    framework: { ...config.framework, batchSize: 2, estimateSamples: 2, ...framework },
  });
};

describe('the verifier finds nothing in a run', () => {
  it('whose responses are read leniently', async () => {
    const report = await soundly(await take(scratch, small('lenient', { reader: 'lenient' })), 4);
    expect(checkedBy(report, 'solutions.verdict')).toBeGreaterThan(5);
  });

  it('that trains an adapter, whose answers are scored under it', async () => {
    const { train } = smallRun('adapter', 0, 2);
    const lora = { rank: 8, alpha: 16, targets: 'all-linear' as const };
    const taken = await take(
      scratch,
      small('adapter', {}, { train: { ...train, learningRate: 5e-2, lora } }),
    );
    const report = await soundly(taken, 60);
    expect(checkedBy(report, 'rollouts.logp')).toBeGreaterThan(20);
    expect(checkedBy(report, 'checkpoints.weights')).toBeGreaterThan(5);
  });

  it('of challenger and solver, from questions to labels and rewards', async () => {
    const restore = useScriptedPolicy();
    try {
      const taken = await take(
        scratch,
        questionsRun('questions', {
          supervision: {
            phases: everyPhase(0.7),
            reviewer: 'rubric',
            minimumSupport: 1,
            merge: 'text',
            contextLines: 4,
          },
        }),
      );
      // What the policy says is scripted, so no weights would say it again.
      const report = await soundly(taken, 0);
      for (const rule of [
        'steps.place',
        'questions.read',
        'votes.agreement',
        'votes.label',
        'questions.kept',
        'rewards.challenger',
        'rewards.solver',
        'rewards.advantage',
        'reviews.gate',
        'prompts.task',
      ])
        expect(checkedBy(report, rule), rule).toBeGreaterThan(0);
    } finally {
      restore();
    }
  });
});
