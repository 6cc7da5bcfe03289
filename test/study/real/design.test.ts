import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configOf, plannedRuns, readDesign, runName } from './design.ts';

const design = readDesign(join(import.meta.dirname, 'design.yaml'));
const MODELS = { policy: '/models/policy', supervisor: '/models/judge.gguf' };

describe('the design with real weights', () => {
  it('gives arms of one seed the same run but for what supervises it', () => {
    const configs = Object.keys(design.arms).map((arm) => configOf(design, { arm, seed: 2 }, MODELS));
    const { supervision: first, name: _, ...common } = configs[0]!;
    for (const { supervision, name, ...rest } of configs) {
      expect(name).toMatch(/^real-weights\/\w+\/2$/);
      expect(rest).toEqual(common);
      expect(supervision.model).toBe(MODELS.supervisor);
    }
    expect(common).toMatchObject({ steps: 8, seed: 2, train: { lora: { rank: 16 } } });
    expect(common.policy.model).toBe(MODELS.policy);
    const [alone, supervised, rule, filler] = configs.map(({ supervision }) => supervision);
    expect(Object.values(alone!.phases)).toEqual([0, 0, 0, 0, 0]);
    expect(first).toEqual(alone);
    expect([supervised!.summary, supervised!.merge, supervised!.contextText]).toEqual([
      'model',
      'model',
      'reviews',
    ]);
    expect([rule!.summary, rule!.merge]).toEqual(['rule', 'text']);
    expect({ ...filler, contextText: 'reviews' }).toEqual(supervised);
  });

  it('takes its first part where nothing else is asked for, seed after seed', () => {
    const named = (asked: Parameters<typeof plannedRuns>[1]): string[] =>
      plannedRuns(design, asked).map((run) => runName(design, run));
    expect(named({ arms: null, seeds: null })).toEqual(['real-weights/alone/1', 'real-weights/supervised/1']);
    expect(named({ arms: ['rule', 'filler'], seeds: [2, 3] })).toEqual([
      'real-weights/rule/2',
      'real-weights/filler/2',
      'real-weights/rule/3',
      'real-weights/filler/3',
    ]);
    expect(() => plannedRuns(design, { arms: ['other'], seeds: null })).toThrow(
      'The design "real-weights" has the arms alone, supervised, rule, filler, not "other".',
    );
  });
});
