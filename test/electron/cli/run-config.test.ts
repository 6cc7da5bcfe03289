import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildRunConfig } from '../../../electron/cli/commands/run.ts';
import { formatBytes, formatDuration, renderTable } from '../../../electron/cli/table.ts';
import { PRESET_NAMES, PRESETS } from '../../../electron/evolution/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-config-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('run configuration', () => {
  it.each(PRESET_NAMES)('the preset %s is complete and valid as it stands', (name) => {
    expect(buildRunConfig(PRESETS[name], null, []).preset).toBe(name);
  });

  it('only the presets of demos have rewarded prompts', () => {
    expect(
      PRESET_NAMES.filter((name) => buildRunConfig(PRESETS[name], null, []).rewardedPrompts.share > 0),
    ).toEqual(['demo', 'rzero-demo']);
  });

  it('--set overrides the file, the file overrides the preset, and the rest stays', () => {
    const file = join(scratch, 'run.yaml');
    writeFileSync(file, 'steps: 7\nsupervision:\n  phases:\n    exec: 0.9\n');
    const config = buildRunConfig(PRESETS.demo, file, [
      'steps=9',
      'train.kl={coefficient: 0.1, estimator: k3}',
    ]);
    expect(config).toMatchObject({
      steps: 9,
      train: { kl: { coefficient: 0.1, estimator: 'k3' }, learningRate: 2e-4 },
    });
    expect(config.supervision.phases).toEqual({ task: 0.3, plan: 0.3, thought: 0.3, output: 0.3, exec: 0.9 });
  });

  it('--set names a value of an adapter alone, or all of it', () => {
    const adapter = (...settings: string[]) => buildRunConfig(PRESETS.demo, null, settings).train.lora;
    expect(adapter()).toBeUndefined();
    expect(adapter('train.lora={}')).toEqual({ rank: 64, alpha: 128, targets: 'all-linear' });
    expect(adapter('train.lora.rank=16', 'train.lora.targets=attention')).toEqual({
      rank: 16,
      alpha: 128,
      targets: 'attention',
    });
  });

  it.each([
    ['seed=1.5', /"seed"/],
    ['train.lora.rank=0', /"train\.lora\.rank"/],
    ['train.lora.layers=all', /unknown key "train\.lora\.layers"/],
    ['framework.taskTypes=[]', /"framework\.taskTypes"/],
    ['framework.verifier=sloppy', /"framework\.verifier"/],
    ['train.clipLow=-1', /"train\.clipLow"/],
    ['supervision.phases.plan=-0.1', /"supervision\.phases\.plan"/],
    ['sandbox.level=L1', /"sandbox\.level"/],
    ['nonsense=1', /unknown key "nonsense"/],
    ['seed=9007199254740993', /"seed"/],
    ['policy.model=""', /"policy\.model"/],
  ])('%s is refused by its name', (setting, sentence) => {
    expect(() => buildRunConfig(PRESETS.demo, null, [setting])).toThrow(sentence);
  });

  it('a task type named twice is had once, since its rollouts would share their names', () => {
    const { framework } = buildRunConfig(PRESETS.demo, null, [
      'framework.taskTypes=[deduction, error, deduction]',
    ]);
    expect(framework).toMatchObject({ taskTypes: ['deduction', 'error'] });
  });
});

describe('text output', () => {
  it('aligns the first column left and the others right', () => {
    expect(
      renderTable(
        ['a', 'n'],
        [
          ['long', '1'],
          ['b', '100'],
        ],
      ).split('\n'),
    ).toEqual(['a       n', '────  ───', 'long    1', 'b     100']);
  });

  it('writes sizes and times as people do', () => {
    expect([
      formatBytes(999),
      formatBytes(12_345_678),
      formatDuration(59.4),
      formatDuration(185),
      formatDuration(7800),
    ]).toEqual(['999 B', '12.3 MB', '59 s', '3 min 05 s', '2 h 10 min']);
  });
});
