// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { everyPhase, runConfigSchema } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { fetchFolder, fetchGguf, missingModel } from '../../support/public-models.ts';
import { expectWork, soundly, take } from './sound-runs.ts';

vi.setConfig({ testTimeout: 3_600_000 });

const MODEL = 'smollm2-135m';
const scratch = mkdtempSync(join(tmpdir(), 'anchor-verified-real-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it(`the verifier finds nothing in a run of ${MODEL} that the same model reviews`, async (test) => {
  const [policy, judge] = [fetchFolder(MODEL), fetchGguf(MODEL)];
  if (policy === null || judge === null) return test.skip(missingModel(MODEL));
  const { supervision, ...preset } = PRESETS['small-real'];
  const config = runConfigSchema.parse({
    ...preset,
    name: 'real',
    steps: 2,
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
    checkpoints: { keepEvery: 1 },
    sandbox: { workers: 1 },
  });
  // All answers: of those that are not begun for the policy, whose probabilities can be computed again, six may hold any number.
  const report = await soundly(await take(scratch, config), 100);
  // So small a model rarely proposes a valid program in six answers, and its answers are read leniently.
  const rare = [
    'tasks.read',
    'estimates.verdict',
    'estimates.number',
    'tasks.solve_rate',
    'rewards.estimate',
  ];
  expectWork(report, {
    ...Object.fromEntries(rare.map((rule) => [rule, -1])),
    'records.times': 15,
    'responses.read': -1,
    'proposals.verdict': 2,
    'solutions.verdict': 4,
    'rewards.proposer': 4,
    'rewards.solver': 4,
    'rewards.advantage': 8,
    'reviews.gate': 15,
    'reviews.material': 4,
    'reviews.quarantine': 5,
    'prompts.context': 8,
    'prompts.system': 8,
    'prompts.sent': 8,
    'prompts.tokens': 8,
    'prompts.task': 4,
    'summaries.scope': 1,
    'summaries.points': 1,
    'summaries.lineage': 1,
    'contexts.lineage': 1,
    'contexts.leaks': 1,
  });
  expect(report.checked).toBeGreaterThan(200);
});
