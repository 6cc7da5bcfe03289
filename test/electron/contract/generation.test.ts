import { describe, expect, it } from 'vitest';
import { generationConfigSchema, samplingOf } from '../../../electron/contract/index.ts';

const of = (roles?: object) => generationConfigSchema.parse({ temperature: 0.8, topP: 0.95, roles });

describe('how a role is sampled', () => {
  it('is as the run where it has nothing of its own', () => {
    const all = { temperature: 0.8, topP: 0.95 };
    for (const role of ['proposer', 'solver', 'estimator', 'assistant']) {
      expect(samplingOf(of(), role)).toEqual(all);
      expect(samplingOf(of({}), role)).toEqual(all);
    }
    expect(samplingOf(of({ proposer: { temperature: 1.2 } }), 'solver')).toEqual(all);
  });

  it('is its own in what it names, and for estimates the solver’s in what they do not', () => {
    const roles = of({ proposer: { temperature: 1.2 }, solver: { temperature: 0.5, topP: 0.7 } });
    expect(samplingOf(roles, 'proposer')).toEqual({ temperature: 1.2, topP: 0.95 });
    expect(samplingOf(roles, 'estimator')).toEqual({ temperature: 0.5, topP: 0.7 });
    expect(samplingOf(of({ solver: { topP: 0.7 }, estimator: { temperature: 1 } }), 'estimator')).toEqual({
      temperature: 1,
      topP: 0.7,
    });
  });

  it('is never greedy, for a response without choice cannot be trained', () => {
    for (const temperature of [0, -1])
      expect(generationConfigSchema.safeParse({ roles: { solver: { temperature } } }).success).toBe(false);
  });
});
