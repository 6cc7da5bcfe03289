import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  runConfigSchema,
  type ReviewRecord,
  type RolloutRecord,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { initialHash, stepHash, type NamedFiles } from '../../../electron/evolution/stages/step-hash.ts';

const HASH = 'a'.repeat(64);
const FILES: NamedFiles = {
  weightsSha256: HASH,
  supervisorSha256: HASH,
  tasks: [{ id: 'seed/deduction/0' } as TaskRecord],
};
const rollout: RolloutRecord = {
  id: '1/pred_code_o/0',
  step: 1,
  batch: 'pred_code_o',
  index: 0,
  sample: null,
  purpose: 'solve',
  role: 'solver',
  taskType: 'deduction',
  taskId: 't',
  contextHash: HASH,
  user: 'u',
  text: 't',
  plan: null,
  thought: null,
  answer: '1',
  formatOk: true,
  finish: 'stop',
  promptTokens: 3,
  newTokens: 2,
  logpMean: -0.5,
  verdict: { outcome: 'passed', reason: null, accuracy: 1, sandboxLevel: 'L3' },
  reward: 1,
  advantage: 0.3,
};
const review: ReviewRecord = {
  id: '1/pred_code_o/0#output',
  step: 1,
  batch: 'pred_code_o',
  phase: 'output',
  rolloutId: rollout.id,
  status: 'done',
  gateProbability: 0.3,
  decision: 'continue',
  issues: [],
  feedback: 'No problem found.',
  reviewer: 'rubric',
  model: null,
  prompt: 'p',
  leaks: [],
  tokensIn: 1,
  tokensOut: 1,
  milliseconds: 12,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const commit = (
  changes: { rollout?: Partial<RolloutRecord>; review?: Partial<ReviewRecord>; weights?: string } = {},
): Parameters<typeof stepHash>[1] => ({
  tasks: [],
  rollouts: [{ ...rollout, ...changes.rollout }],
  reviews: [{ ...review, ...changes.review }],
  summaries: [],
  nextContext: { step: 2, hash: HASH, text: '', tokens: 0, lines: [], removed: [] },
  checkpoint: {
    step: 1,
    role: 'policy',
    version: 1,
    folder: 'f',
    weightsSha256: changes.weights ?? HASH,
    bytes: 1,
    files: [],
  },
});
const hashOf = (...changes: Parameters<typeof commit>): string => stepHash(HASH, commit(...changes), 1, HASH);

describe('the step hash', () => {
  it('does not see when, how fast or at which isolation level something happened', () => {
    expect(hashOf({ review: { milliseconds: 99, createdAt: '2027-01-01T00:00:00.000Z' } })).toBe(hashOf());
    expect(hashOf({ rollout: { verdict: { ...rollout.verdict, sandboxLevel: 'L2' } } })).toBe(hashOf());
  });

  it.each([
    ['a text', { rollout: { text: 'other' } }],
    ['a reward', { rollout: { reward: 0.5 } }],
    ['an advantage', { rollout: { advantage: 0.31 } }],
    ['a verdict', { rollout: { verdict: { ...rollout.verdict, reason: 'raised' } } }],
    ['a decision', { review: { decision: 'retry' as const } }],
    ['feedback', { review: { feedback: 'x' } }],
    ['a weight', { weights: 'b'.repeat(64) }],
  ])('sees a change of %s', (_what, change) => {
    expect(hashOf(change)).not.toBe(hashOf());
  });

  it('starts from the configuration without its name', () => {
    const config = runConfigSchema.parse({ name: 'one' });
    expect(initialHash({ ...config, name: 'two', preset: 'other' }, HASH, FILES)).toBe(
      initialHash(config, HASH, FILES),
    );
    expect(initialHash({ ...config, seed: 2 }, HASH, FILES)).not.toBe(initialHash(config, HASH, FILES));
  });

  it('starts from what files hold, wherever they lie', () => {
    const placed = (folder: string, files: Partial<NamedFiles> = {}, given: object = {}): string =>
      initialHash(
        runConfigSchema.parse({
          framework: 'fixed-tasks',
          frameworkSettings: { tasks: join(folder, 'tasks.jsonl'), ...given },
          policy: { model: join(folder, 'policy') },
          supervision: {
            reviewer: 'checklist',
            reviewerSettings: { rules: join(folder, 'rules.json') },
            model: join(folder, 'judge.gguf'),
          },
        }),
        HASH,
        { ...FILES, ...files },
      );
    const here = placed('/here');
    expect(placed('/there')).toBe(here);
    expect(placed('/here', { supervisorSha256: 'other' })).not.toBe(here);
    expect(placed('/here', { weightsSha256: 'other' })).not.toBe(here);
    expect(placed('/here', { tasks: [] })).not.toBe(here);
    expect(placed('/here', {}, { order: 'as written' })).not.toBe(here);
  });
});
