import { describe, expect, it } from 'vitest';
import { contrastsOf, demoConfigs, type DemoColumn } from '../../../electron/experiments/demo/demo.ts';

const column = (arm: DemoColumn['arm'], withContext: boolean, passed: number, n = 100): DemoColumn => ({
  arm,
  withContext,
  outcomes: [
    {
      suite: 'toy-refusal',
      items: Array.from({ length: n }, (_, index) => ({
        itemId: String(index),
        text: '',
        passed: index < passed,
        reason: null,
        newTokens: 1,
      })),
    },
  ] as unknown as DemoColumn['outcomes'],
});

describe('the demo', () => {
  it('gives the supervised arm a positive difference where it passes more than the one alone', () => {
    const [contrast] = contrastsOf([
      column('alone', false, 29),
      column('supervised', false, 49),
      column('supervised', true, 100),
    ]);
    expect(contrast?.difference).toBeCloseTo(0.2, 10);
    expect(contrast?.interval.low).toBeGreaterThan(0);
    expect(contrast?.interval.high).toBeLessThan(0.35);
  });

  const options = {
    steps: 24,
    seed: 3,
    rewardedShare: 0.25,
    probability: 0.3,
    reviewer: 'llama',
    items: 10,
    points: 6,
  } as const;

  it('has its context worded by the model, or by rule where that is asked for, and differs in nothing else', () => {
    const [model, rule] = [
      demoConfigs({ ...options, merge: 'model' }),
      demoConfigs({ ...options, merge: 'rule' }),
    ];
    expect(model.alone).toEqual(rule.alone);
    expect(rule.supervised.supervision).toMatchObject({ merge: 'guidance' });
    expect(model.supervised).toEqual({
      ...rule.supervised,
      supervision: { ...rule.supervised.supervision, summary: 'model', merge: 'model' },
    });
  });

  it('differs between its arms in nothing but the review probabilities and the name', () => {
    const { alone, supervised } = demoConfigs({ ...options, merge: 'rule' });
    expect({
      ...supervised,
      name: alone.name,
      supervision: { ...supervised.supervision, phases: alone.supervision.phases },
    }).toEqual(alone);
    expect(Object.values(alone.supervision.phases)).toEqual([0, 0, 0, 0, 0]);
    expect(Object.values(supervised.supervision.phases)).toEqual([0.3, 0.3, 0.3, 0.3, 0.3]);
  });
});
