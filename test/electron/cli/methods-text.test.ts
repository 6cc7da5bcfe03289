import { describe, expect, it } from 'vitest';
import { methodsText, planOf } from '../../../electron/cli/methods-text.ts';
import { TRAIN_METHODS } from '../../../electron/contract/index.ts';
import type { MethodPlan } from '../../../electron/plan/index.ts';

/** Every way on a machine with so many bytes, each taking less than the one before. */
function ways(free: number): MethodPlan[] {
  const needs = [16e9, 12e9, 10e9, 6e9, 4e9, 2e9, 1e9];
  const suggested = needs.findIndex((needed) => needed <= free);
  return TRAIN_METHODS.map((method, at): MethodPlan => {
    const needed = needs[at] ?? 0;
    return {
      method,
      plan: {
        fits: needed <= free,
        device: 'cpu',
        freeBytes: free,
        neededBytes: needed,
        phases: { rollout: { weights: 1e9 }, update: { weights: 1e9, grads: needed - 1e9 }, optimizer: {} },
        maxConcurrent: 1,
        rows: 1,
        gradCheckpoint: false,
        offloads: false,
        disk: { first: 1e9, each: 2e9, parked: 0 },
        obstacle: method.precision === 'nf4' ? 'nf4 needs a library.' : null,
        systemInUser: false,
        suggestions: [],
      },
      stepSeconds:
        at === 0
          ? { value: 75, source: 'measured', from: { kind: 'probe' }, at: null, n: 1, load: null }
          : null,
      isSuggested: at === suggested,
    };
  });
}

describe('the ways to train, on a terminal', () => {
  it('are a table with what fits, and say which one is nearest and how to ask for it', () => {
    const lines = methodsText(ways(7e9)).split('\n');
    expect(lines[0]).toBe(
      'Ways to train it, with the lengths and rows of the preset small-real; 7.0 GB are free.',
    );
    expect(lines[3]).toMatch(
      /^ {2}every parameter, float32 .* 1\.0 GB +16\.0 GB .* no +2\.0 GB +1 min 15 s$/,
    );
    expect(lines[6]).toMatch(/^→ every parameter, bfloat16, moments in 8 bits .* yes .* not measured yet$/);
    expect(lines.filter((line) => line.startsWith('→'))).toHaveLength(2);
    expect(lines[9]).toMatch(/^ {2}an adapter of rank 16, nf4 .* not here /);
    expect(lines.at(-1)).toBe('nf4 needs a library.');
    expect(lines.at(-2)).toContain(
      'that fits: --set train.precision=bfloat16 --set train.optimizer=adamw8bit.',
    );
    expect(methodsText(ways(4e9))).toContain('--set train.lora.rank=16 --set train.lora.alpha=32');
    expect(methodsText(ways(20e9))).toContain('nothing has to be set');
    expect(methodsText(ways(0.5e9))).toContain('None of them fits');
  });

  it('are those of a real preset with the model in the place of its own', () => {
    expect(planOf('coder')).toMatchObject({ preset: 'small-real', policy: { model: 'coder' } });
  });
});

describe('a chat template without a place for a system text', () => {
  it('is told with the ways to train the model', () => {
    const said =
      'Its chat template has no place for a system text: it will stand in front of the first question.';
    expect(methodsText(ways(7e9))).not.toContain(said);
    const refusing = ways(7e9).map((way) => ({ ...way, plan: { ...way.plan, systemInUser: true } }));
    expect(methodsText(refusing).split('\n').at(-1)).toBe(said);
  });
});
