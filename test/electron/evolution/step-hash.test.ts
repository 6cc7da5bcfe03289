import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  runConfigSchema,
  type RunConfigInput,
  type ReviewRecord,
  type RolloutRecord,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { initialHash, stepHash, type NamedFiles } from '../../../electron/evolution/loop/step-hash.ts';

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
): Parameters<typeof stepHash>[2] => ({
  tasks: [],
  rollouts: [{ ...rollout, ...changes.rollout }],
  reviews: [{ ...review, ...changes.review }],
  summaries: [],
  wordings: [],
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
const PLACE = { step: 1, stage: 'self-play', iteration: 1, contextHash: HASH };
const hashOf = (...changes: Parameters<typeof commit>): string =>
  stepHash(['policy'], HASH, commit(...changes), PLACE);

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

  it('sees what a model put into words, but not when and how fast, and is as before where none did', () => {
    const wording = {
      kind: 'merge',
      output: 'Read twice.',
      milliseconds: 5,
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    const of = (changes: object): string =>
      stepHash(['policy'], HASH, { ...commit(), wordings: [{ ...wording, ...changes } as never] }, PLACE);
    expect(of({})).not.toBe(hashOf());
    expect(of({ output: 'Read once.' })).not.toBe(of({}));
    expect(of({ milliseconds: 99, createdAt: '2027-01-01T00:00:00.000Z' })).toBe(of({}));
  });

  it('sees the place in the schedule where a framework has several roles, and is as before where it has one', () => {
    const at = (roles: [string, ...string[]], place: object): string =>
      stepHash(roles, HASH, commit(), { ...PLACE, ...place });
    expect(at(['policy'], { stage: 'other', iteration: 2 })).toBe(hashOf());
    const two: [string, string] = ['challenger', 'solver'];
    expect(at(two, { stage: 'other' })).not.toBe(at(two, {}));
    expect(at(two, { iteration: 2 })).not.toBe(at(two, {}));
  });

  it('starts from the configuration without its name', () => {
    const config = runConfigSchema.parse({ name: 'one' });
    expect(initialHash({ ...config, name: 'two', preset: 'other' }, HASH, FILES)).toBe(
      initialHash(config, HASH, FILES),
    );
    expect(initialHash({ ...config, seed: 2 }, HASH, FILES)).not.toBe(initialHash(config, HASH, FILES));
  });

  it('sees a file of seeds by the tasks in it, and that the policy writes its own', () => {
    const of = (seeds?: string, files = FILES): string =>
      initialHash(
        runConfigSchema.parse({ framework: { name: 'azr', ...(seeds === undefined ? {} : { seeds }) } }),
        HASH,
        files,
      );
    expect(of('/a/seeds.jsonl')).toBe(of('/b/other.jsonl'));
    expect(of('/a/seeds.jsonl', { ...FILES, tasks: [] })).not.toBe(of('/a/seeds.jsonl'));
    expect(of('own')).not.toBe(of());
  });

  it('sees roles that are sampled apart, and is as before where none is', () => {
    const of = (roles?: object): string =>
      initialHash(runConfigSchema.parse({ ...PRESETS.demo, generation: { roles } }), HASH, FILES);
    expect(of({})).toBe(of());
    expect(of({ solver: { temperature: 0.6 } })).not.toBe(of());
    expect(of({ solver: { topP: 0.9 } })).not.toBe(of());
  });

  it('sees a system text for wording where a model words lines, and is as before where none does', () => {
    const of = (supervision: object, system?: string): string =>
      initialHash(
        runConfigSchema.parse({
          supervision: { ...supervision, wordingPrompts: system === undefined ? {} : { system } },
        }),
        HASH,
        FILES,
      );
    const own = 'Material follows <<{{delimiter}}.';
    for (const worded of [{ merge: 'model' }, { summary: 'model' }]) {
      expect(of(worded, own)).not.toBe(of(worded));
      expect(of(worded, ' ')).toBe(of(worded));
    }
    expect(of({ merge: 'text' }, own)).toBe(of({ merge: 'text' }));
  });

  it('sees that nobody is asked where nothing can be compared; asking is as before there was a choice', () => {
    const of = (nothingToCompare?: 'ask' | 'say'): string =>
      initialHash(runConfigSchema.parse({ supervision: { nothingToCompare } }), HASH, FILES);
    expect(of('ask')).toBe(of());
    expect(of('say')).not.toBe(of());
  });

  it('does not see where weights lie while others work', () => {
    const of = (policy: NonNullable<RunConfigInput['policy']>): string =>
      initialHash(runConfigSchema.parse({ ...PRESETS.demo, policy }), HASH, FILES);
    expect(new Set([of({}), of({ offload: 'always' }), of({ offload: 'never' })]).size).toBe(1);
    expect(of({ threads: 2 })).not.toBe(of({}));
  });

  it('sees an adapter and its size', () => {
    const of = (lora: object): string =>
      initialHash(
        runConfigSchema.parse({ ...PRESETS.demo, train: { ...PRESETS.demo.train, ...lora } }),
        HASH,
        FILES,
      );
    const hashes = [{}, { lora: {} }, { lora: { rank: 8 } }].map(of);
    expect(new Set(hashes).size).toBe(3);
  });

  // Written down from the version that had one section of settings for all frameworks.
  it.each([
    [
      'the demo, which asked of every plan then',
      asking(PRESETS.demo),
      'b49eb90e907e6a1780be443b854addb4a5dcc659328163f34f46ca534638f3a1',
    ],
    [
      'the paper, with the first tasks of then',
      withoutSeeds(PRESETS['azr-paper']),
      '5b8e15aadef09b0a650254d2628b31c13e907e7dcc3625bcdeb3989aea3462b8',
    ],
    [
      'fixed tasks',
      { framework: { name: 'fixed-tasks' } },
      'e6dcc943f9bd450bf659c7c993c53bb93e5172598a5922ab13fc67d645afb97f',
    ],
    [
      'fixed tasks of a file, in the spelling of then',
      {
        framework: 'fixed-tasks',
        frameworkSettings: { tasks: '/a/tasks.jsonl' },
        azr: { taskTypes: ['deduction'], batchSize: 48 },
      },
      '650dfb4c47afb8457eda34d88edbe3008fa7ad668d14ddfd083aa5fe4fbf7b55',
    ],
  ])('of %s is what it was before frameworks had settings of their own', (_what, config, hash) => {
    expect(initialHash(runConfigSchema.parse(config), HASH, FILES)).toBe(hash);
  });

  it('starts from what files hold, wherever they lie', () => {
    const placed = (folder: string, files: Partial<NamedFiles> = {}, given: object = {}): string =>
      initialHash(
        runConfigSchema.parse({
          framework: { name: 'fixed-tasks', tasks: join(folder, 'tasks.jsonl'), ...given },
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
    expect(placed('/here', {}, { batchSize: 9 })).not.toBe(here);
  });
});

function asking(preset: RunConfigInput): RunConfigInput {
  return { ...preset, supervision: { ...preset.supervision, nothingToCompare: 'ask' } };
}

function withoutSeeds(preset: RunConfigInput): RunConfigInput {
  const { seeds: _, ...framework } = preset.framework as Record<string, unknown>;
  return { ...preset, framework } as RunConfigInput;
}
