import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runConfigSchema, runRecordSchema, upcastRunConfig } from '../../../electron/contract/index.ts';
import { buildRunConfig } from '../../../electron/cli/commands/run.ts';
import { checkedConfig, mergeConfigs } from '../../../electron/plan/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';

describe('a configuration of an earlier version', () => {
  it('is read with its settings where they belong today', () => {
    const older = {
      framework: 'azr',
      azr: { batchSize: 3, estimateSamples: 5, temperature: 0.7, maxNewTokens: 64 },
    };
    expect(runConfigSchema.parse(older)).toMatchObject({
      framework: { name: 'azr', batchSize: 3, estimateSamples: 5, references: 1 },
      generation: { temperature: 0.7, maxNewTokens: 64, maxPromptTokens: 768 },
    });
  });

  it('of fixed tasks keeps what they use and loses what only a proposer had', () => {
    const older = {
      framework: 'fixed-tasks',
      frameworkSettings: { tasks: '/data/tasks.jsonl' },
      azr: { batchSize: 3, references: 4, intrinsic: {} },
    };
    const { framework } = runConfigSchema.parse(older);
    expect(framework).toMatchObject({ name: 'fixed-tasks', tasks: '/data/tasks.jsonl', batchSize: 3 });
    expect(framework).not.toHaveProperty('references');
  });

  it('is refused where a key was never known', () => {
    expect(() => checkedConfig({ azr: { batchsize: 3 } })).toThrow('unknown key "framework.batchsize"');
    expect(() => checkedConfig({ framework: 'fixed-tasks', azr: { batchsize: 3 } })).toThrow(
      'unknown key "framework.batchsize"',
    );
    expect(() => checkedConfig({ azr: 3 })).toThrow('unknown key "azr"');
  });

  it('single keys of it can be laid over a configuration of today', () => {
    const merged = checkedConfig(
      mergeConfigs(mergeConfigs(PRESETS.demo, { azr: { batchSize: 2 } }), { azr: { topP: 0.9 } }),
    );
    expect(merged.framework).toMatchObject({ name: 'azr', batchSize: 2, estimateSamples: 4 });
    expect(merged.generation.topP).toBe(0.9);
  });

  it('has its section `pressure` read as rewarded prompts', () => {
    const older = runConfigSchema.parse({ pressure: { share: 0.25, samplesPerPrompt: 2 } });
    expect(older.rewardedPrompts).toEqual({ share: 0.25, baseline: 'prompt', samplesPerPrompt: 2 });
    expect(older).not.toHaveProperty('pressure');
    expect(() => checkedConfig({ pressure: { part: 0.25 } })).toThrow('unknown key "rewardedPrompts.part"');
    expect(() => checkedConfig({ pressure: 0.25 })).toThrow('unknown key "pressure"');
  });

  it('of a stored run, with the section `pressure`, is read in the spelling of today', () => {
    const { rewardedPrompts, ...today } = runConfigSchema.parse(PRESETS.demo);
    expect(runRecordSchema.shape.config.parse({ ...today, pressure: rewardedPrompts })).toEqual(
      runConfigSchema.parse(PRESETS.demo),
    );
  });

  it('reads rewarded prompts key by key from a file and from --set, in the older spelling and today’s', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'older-config-')), 'run.yaml');
    writeFileSync(file, 'pressure:\n  share: 0.5\n');
    const config = buildRunConfig(PRESETS.demo, file, [
      'pressure.samplesPerPrompt=2',
      'rewardedPrompts.baseline=batch',
    ]);
    expect(config.rewardedPrompts).toEqual({ share: 0.5, baseline: 'batch', samplesPerPrompt: 2 });
    rmSync(dirname(file), { recursive: true });
  });

  it('may call the merge by rule a rule, as summaries do, and means the one that holds by itself', () => {
    const { supervision } = buildRunConfig(PRESETS['anchor-coder-3b'], null, [
      'supervision.merge=rule',
      'supervision.summary=rule',
    ]);
    expect([supervision.merge, supervision.summary]).toEqual(['guidance', 'rule']);
    expect(runConfigSchema.parse({ supervision: { merge: 'rule' } })).toEqual(runConfigSchema.parse({}));
    expect(() => checkedConfig({ supervision: { merge: 'rules' } })).toThrow('supervision.merge');
  });

  it('leaves a configuration of today as it is', () => {
    const today = { framework: { name: 'azr', batchSize: 2 }, generation: { topP: 0.9 } };
    expect(upcastRunConfig(today)).toBe(today);
  });
});

describe('another framework laid over a configuration', () => {
  it('keeps the settings that both know and no others', () => {
    const merged = checkedConfig(mergeConfigs(PRESETS.demo, { framework: { name: 'fixed-tasks' } }));
    expect(merged.framework).toMatchObject({ name: 'fixed-tasks', batchSize: 8 });
    expect(merged.framework).not.toHaveProperty('estimateSamples');
  });

  it('refuses a setting of the framework that was left', () => {
    const over = { framework: { name: 'fixed-tasks', references: 3 } };
    expect(() => checkedConfig(mergeConfigs(PRESETS.demo, over))).toThrow(
      'unknown key "framework.references"',
    );
  });
});
