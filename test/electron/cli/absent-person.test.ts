import { afterAll, expect, it, vi } from 'vitest';
import { makeLab, query, removeLab } from '../../e2e/anchor-cli.ts';
import { callAnchor } from './call-anchor.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 600_000 });

const lab = makeLab();
afterAll(() => removeLab(lab));

it('a run that asks a person says in the terminal that nobody can answer there, and goes on by its fallback', async () => {
  const settings = [
    'steps=1',
    'framework.batchSize=2',
    'framework.estimateSamples=2',
    'generation.maxNewTokens=96',
    'rewardedPrompts.share=0',
    'supervision.reviewer=rubric',
    'supervision.human.share=0.5',
    'supervision.human.timeoutSeconds=0.3',
  ];
  const { code, stderr } = await callAnchor(
    '--lab',
    lab,
    'run',
    '--preset',
    'demo',
    ...settings.flatMap((setting) => ['--set', setting]),
  );
  expect(stderr).toContain(
    'A person is asked for 50 % of the reviews and cannot answer from a terminal: each waits 0.3 s, then the reviewer answers.',
  );
  expect(code).toBe(0);
  expect(query<{ reviewer: string }>(lab, 'SELECT DISTINCT reviewer FROM reviews')).toEqual([
    { reviewer: 'rubric' },
  ]);
});
